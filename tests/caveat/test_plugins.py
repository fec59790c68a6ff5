"""Offers of other packages, as loaders find them."""

from importlib.metadata import EntryPoint, EntryPoints

import pytest

from caveat import plugins
from caveat.adapters.documents import loaders
from caveat.plugins import Extension


@pytest.fixture
def _offered(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("logbook", "log_package:make", Extension.LOADER)

    def find(group: str) -> EntryPoints:
        return EntryPoints([point] if group == Extension.LOADER else [])

    monkeypatch.setattr(plugins, "entry_points", find)


@pytest.mark.usefixtures("_offered")
def test_an_ending_is_read_once_a_package_offers_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for each in (loaders.list_suffixes, loaders.compute_loaders_version):
        each.cache_clear()
    with_it = loaders.compute_loaders_version()
    assert ".logbook" in loaders.list_suffixes()
    monkeypatch.setattr(plugins, "entry_points", lambda group: EntryPoints())
    for each in (loaders.list_suffixes, loaders.compute_loaders_version):
        each.cache_clear()
    assert ".logbook" not in loaders.list_suffixes()
    assert loaders.compute_loaders_version() != with_it < 2**31 - 5_000

"""Offers of other packages: an import that hangs is given up, and a name is taken once."""

import time
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from caveat import plugins
from caveat.adapters.documents import loaders
from caveat.plugins import Extension, PluginProblem


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A file on the path for a module of a name of its own that offers a notifier and a loader."""
    module = tmp_path.name  # what was imported stays
    points = {
        Extension.NOTIFIER: EntryPoint("slow", f"{module}:make", Extension.NOTIFIER),
        Extension.LOADER: EntryPoint("logbook", f"{module}:make", Extension.LOADER),
    }

    def find(group: str) -> EntryPoints:
        return EntryPoints([points[kind] for kind in points if kind == group])

    monkeypatch.setattr(plugins, "entry_points", find)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path / f"{module}.py"


def test_an_import_that_hangs_is_given_up(offered: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offered.write_text("import time\ntime.sleep(5)\nmake = print\n")
    monkeypatch.setattr(plugins, "_LONGEST_S", 0.2)
    began = time.monotonic()
    with pytest.raises(PluginProblem, match="notifier “slow” of a package was not imported within"):
        plugins.loaded(Extension.NOTIFIER, "slow")
    assert time.monotonic() - began < 4


def test_what_takes_its_time_is_waited_for(offered: Path) -> None:
    offered.write_text("import time\ntime.sleep(0.3)\nmake = print\n")
    assert plugins.loaded(Extension.NOTIFIER, "slow") is print


def test_an_ending_is_read_once_a_package_offers_it(
    offered: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in (loaders.suffixes, loaders.loaders_version):
        each.cache_clear()
    with_it = loaders.loaders_version()
    assert ".logbook" in loaders.suffixes()
    monkeypatch.setattr(plugins, "entry_points", lambda group: EntryPoints())
    for each in (loaders.suffixes, loaders.loaders_version):
        each.cache_clear()
    assert ".logbook" not in loaders.suffixes()
    assert loaders.loaders_version() != with_it < 2**31 - 5_000

"""The mix of failures, and how it is dealt into runs."""

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from benchmarks.mix import Mix, Script, deal, read_mix
from benchmarks.recovery import MIX
from caveat.contracts.failure import FailureType
from caveat.contracts.investigation import Work

SHIPPED = read_mix(MIX)


def changed(row: dict[str, Any]) -> dict[str, Any]:
    raw = tomllib.loads(MIX.read_text(encoding="utf-8"))
    raw["failure"] = [{"name": "odd", "why": "", "share": 1.0, **row}]
    return raw


@given(failures=some.integers(1, 600), seed=some.integers(0, 9))
def test_every_failure_is_dealt_once_and_none_hides_another(failures: int, seed: int) -> None:
    scripts = deal(SHIPPED, failures, seed)
    assert sum(len(script.fates) for script in scripts) == failures
    for script in scripts:
        assert_apart(script)


def assert_apart(script: Script) -> None:
    places = [fate.place for fate in script.fates]
    searches = {(at.assignment, at.query) for at in places if at.work is Work.SEARCH}
    sources = [(at.assignment, at.query, at.source) for at in places if at.work is not Work.SEARCH]
    assert len(set(places)) == len(places)
    assert len(set(sources)) == len(sources)
    assert not searches & {source[:2] for source in sources}


def test_the_same_seed_deals_the_same() -> None:
    assert deal(SHIPPED, 100, 3) == deal(SHIPPED, 100, 3)
    assert deal(SHIPPED, 100, 3) != deal(SHIPPED, 100, 4)


def test_shares_are_of_the_failures() -> None:
    fates = [fate for script in deal(SHIPPED, 500, 1) for fate in script.fates]
    counted = Counter(fate.row.name for fate in fates)
    assert counted == {row.name: round(row.share * 500) for row in SHIPPED.failure}
    assert {fate.row.failure_type for fate in fates} == set(FailureType)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"failure_type": "timeout", "steps": {"read": 1}, "reaches": [0, 1]}, "partly done"),
        (
            {"failure_type": "not_found", "steps": {"analyse": 1}, "alternative": "works"},
            "alternative input",
        ),
        ({"failure_type": "auth_error", "steps": {"read": 1}, "key": "expired"}, "scope"),
        ({"failure_type": "timeout", "steps": {"read": 1}, "category": "business"}, "cannot be"),
        ({"failure_type": "timeout", "steps": {"read": 1}, "share": 0.5}, "add up"),
        ({"failure_type": "timeout", "steps": {"dance": 1}}, "steps"),
    ],
)
def test_what_is_no_mix_is_refused(row: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Mix.model_validate(changed(row))


def test_a_file_that_is_no_mix_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mix.toml").write_text("failure = 3", encoding="utf-8")
    with pytest.raises(ValueError, match="validation error"):
        read_mix(tmp_path / "mix.toml")

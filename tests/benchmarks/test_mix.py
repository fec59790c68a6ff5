"""The mix of failures, and how it is dealt into runs."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as some

from benchmarks.mix import Script, deal, read_mix
from benchmarks.recovery import MIX
from caveat.contracts.failure import FailureType
from caveat.contracts.investigation import Work

SHIPPED = read_mix(MIX)


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


def test_shares_are_of_the_failures() -> None:
    fates = [fate for script in deal(SHIPPED, 500, 1) for fate in script.fates]
    counted = Counter(fate.row.name for fate in fates)
    assert counted == {row.name: round(row.share * 500) for row in SHIPPED.failure}
    assert {fate.row.failure_type for fate in fates} == set(FailureType)

"""The quorum benchmark, small."""

from typing import Any

import pytest
from temporalio.testing import WorkflowEnvironment

from benchmarks.quorum import Measured, confidence, error, kept, measure, trials


async def test_nothing_blocks_and_confidence_is_as_documented(
    environment: WorkflowEnvironment,
) -> None:
    measured, names = await measure(environment.client, trials(6, seed=1))
    assert measured.blocked == 0
    assert measured.reported + measured.ended_by_name == measured.runs == 6
    assert names.total() == measured.ended_by_name
    assert measured.reported > 0
    assert measured.max_confidence_error < 0.001


def a_report(value: float) -> dict[str, Any]:
    """One angle with two sources that fit by 0.6 and 0.5; nothing failed."""
    said = {"state": "accepted", "relevance": 0.5}
    return {
        "confidence": {"value": value},
        "sections": [{"assignment_id": "a1", "claims": ["c1", "c2", "c3"]}],
        "claims": [
            {"id": "c1", "source_id": "s1", **said, "relevance": 0.6},
            {"id": "c2", "source_id": "s2", **said},
            {"id": "c3", "source_id": "s2", **said, "state": "overruled", "relevance": 0.9},
        ],
        "answered": True,
        "sources": [],
        "failures": [],
        "debate": {"missing": []},
    }


def test_the_formula_is_worked_out_apart_from_the_rules() -> None:
    (trial,) = trials(1, seed=1)
    trial.faults.clear()
    trial.world.partial.clear()
    trial.world.broken = ()
    trial.sources = {"a1": trial.sources["a1"]}
    trial.world.calls["search " + trial.queries["a1"][0]] = 1
    for name in trial.sources["a1"][:2]:
        trial.world.calls[f"read {name}"] = 1
    report = a_report(0.5)
    whole = 0.9 * (0.6 - 0.1)
    assert confidence(trial, report) == pytest.approx(whole)
    assert error(trial, report) == pytest.approx(0.05 / whole)
    lost = {"task_id": "a1-analyse-s1", "recovered": False}
    report["failures"] = [lost]
    # Two thirds were done, for a search that worked is not counted: the angle does not count.
    assert confidence(trial, report) == pytest.approx(whole - 0.10)
    trial.world.calls["read " + trial.sources["a1"][2]] = 1
    assert confidence(trial, report) == pytest.approx(whole)
    report["failures"] = [{**lost, "recovered": True}]
    assert confidence(trial, report) == pytest.approx(whole)
    report["debate"]["missing"] = ["sceptic"]
    assert confidence(trial, report) == pytest.approx(whole - 0.20)
    report["claims"][1]["relevance"] = 0.4  # less than three quarters: the first stands alone
    assert confidence(trial, report) == pytest.approx(0.90 * whole - 0.20)
    report["debate"]["missing"], report["answered"] = [], False
    assert confidence(trial, report) == 0.24


@pytest.mark.parametrize(
    ("blocked", "off", "well"), [(0, 0.1, True), (1, 0.0, False), (0, 0.11, False)]
)
def test_what_is_blocked_or_off_fails(blocked: int, off: float, *, well: bool) -> None:
    assert kept(Measured(9, blocked, 9, 0, off)) is well


def test_the_same_seed_draws_the_same() -> None:
    first, again = trials(3, seed=2), trials(3, seed=2)
    assert [trial.faults for trial in first] == [trial.faults for trial in again]

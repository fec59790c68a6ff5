"""The quorum benchmark, small."""

import pytest
from temporalio.testing import WorkflowEnvironment

from benchmarks.quorum import error, measure, trials


async def test_nothing_blocks_and_ledgers_add_up(environment: WorkflowEnvironment) -> None:
    measured, names = await measure(environment.client, trials(6, seed=1))
    assert measured.blocked == 0
    assert measured.reported + measured.ended_by_name == measured.runs == 6
    assert names.total() == measured.ended_by_name
    assert measured.reported > 0
    assert measured.max_confidence_error < 0.001


def test_a_confidence_that_its_ledger_does_not_come_to_is_found() -> None:
    ledger = [
        {"operation": "set", "amount": 0.5},
        {"operation": "multiply", "amount": 0.9},
        {"operation": "subtract", "amount": 0.2},
        {"operation": "limit", "amount": 0.24},
    ]
    assert error({"confidence": {"value": 0.24, "ledger": ledger}}) == pytest.approx(0.0)
    assert error({"confidence": {"value": 0.25, "ledger": ledger}}) == pytest.approx(0.01)

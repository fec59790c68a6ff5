"""What a run leaves on the server: counts that depend on no machine, and grow as its sources do."""

import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from benchmarks.overhead import Measured, Shape, by_asyncio, by_caveat

AROUND = 19
"""Activities of a run beside one a source: taking stock, the plan, six searches, comparing, three
participants, the synthesis and its form, the audit, publishing, keeping, remembering, a notice."""


async def measured(client: Client, sources: int) -> Measured:
    first, _again = await by_caveat(Shape(sources, scale=0), client, ())
    return first


async def test_a_run_costs_no_more_than_it_did(environment: WorkflowEnvironment) -> None:
    """Whoever adds a step or a large payload sees it here; the bounds are a tenth above today's."""
    with environment.with_time_skipping_disabled():
        costs = [await measured(environment.client, sources) for sources in (30, 90)]
    for each in costs:
        assert each.activities == AROUND + each.sources
        tasks, events, size = each.workflow_tasks or 0, each.events or 0, each.history_kb or 0
        # How many results come at once is the machine's; one task a result is the worst.
        assert 0 < tasks < each.activities
        assert 0 < events <= 3 * (each.activities + tasks) + 20
        assert 0 < size <= 100 + 10 * each.sources
    small, _ = costs
    assert (small.events or 0) <= 250
    assert (small.history_kb or 0) <= 400


async def test_the_simulated_calls_take_their_time() -> None:
    measured = await by_asyncio(Shape(6, scale=0.005))
    assert measured.ratio == pytest.approx(1.0, abs=0.3)

"""What a run has the server do, as `benchmarks.overhead` counts it: it depends on no machine."""

from temporalio.testing import WorkflowEnvironment

from benchmarks.overhead import Shape, by_asyncio, by_caveat

AROUND = 15
"""Activities of a run beside one a source: taking stock, the plan, six searches, comparing, three
participants, the synthesis and its form, the audit, publishing, keeping, a notice."""


async def test_a_run_has_an_activity_a_source_and_a_few_around_them(
    environment: WorkflowEnvironment,
) -> None:
    """Whoever adds a step sees it here; tasks, events and bytes are the benchmark's to measure."""
    with environment.with_time_skipping_disabled():
        for sources in (24, 36):
            measured, _ = await by_caveat(Shape(sources, scale=0), environment.client, ())
            # Documents of a folder that are found at one moment are read by one activity.
            assert AROUND + sources < (measured.activities or 0) <= AROUND + sources * 7 / 4


async def test_the_simulated_calls_take_their_time() -> None:
    measured = await by_asyncio(Shape(6, scale=0.005))
    assert (measured.ratio or 0) >= 0.95

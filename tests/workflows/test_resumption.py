"""Analyses that break off: the next attempt reads only the rest, whoever starts it."""

from collections.abc import Callable

import pytest

from caveat.contracts.claim import Analysis
from caveat.contracts.report import Remedy
from caveat.contracts.source import Snapshot
from caveat.contracts.tasks import AnalysisTask
from caveat.failures import timed_out
from caveat.ports import Answer
from caveat.rules.audit import audit
from standins.ports import FakeReasoner, World
from tests.fakes.runs import Start, report_of, texts

KEY = "page 1"


@pytest.fixture
def begun_at(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Where each attempt at one analysis begins."""
    whole = FakeReasoner.analyse
    starts: list[int] = []

    async def analyse(
        self: FakeReasoner,
        task: AnalysisTask,
        snapshot: Snapshot,
        on_partial: Callable[[Analysis, float], None],
    ) -> Answer[Analysis]:
        if task.source.title == KEY:
            starts.append(task.start_at)
        return await whole(self, task, snapshot, on_partial)

    monkeypatch.setattr(FakeReasoner, "analyse", analyse)
    return starts


async def test_a_second_attempt_reads_only_what_the_first_left(
    start: Start, world: World, begun_at: list[int]
) -> None:
    half = len(world.page("page 1").text) // 2
    world.partial[KEY] = 0.5
    report = await report_of(await start())
    assert begun_at == [0, half]
    assert report.failures == ()
    # What the first attempt found is in the report, once, and where it says.
    (found,) = [claim for claim in report.claims if claim.quote == "Alpha is 1 units wide"]
    assert found.end < half
    assert [len(section.claims) for section in report.sections] == [6, 6]
    assert audit(report, texts(world)).passed


async def test_an_attempt_that_comes_no_further_forgets_nothing(
    start: Start, world: World, begun_at: list[int]
) -> None:
    half = len(world.page("page 1").text) // 2
    world.partial[KEY] = 0.5

    def faults(kind: str, key: str) -> None:
        if (kind, key) == ("analyse", KEY) and 2 <= world.calls[f"analyse {KEY}"] <= 4:
            raise timed_out("It is slow.", resource=key)

    world.faults = faults
    report = await report_of(await start())
    assert begun_at == [0, half, half, half, half]  # the fifth is the coordinator's
    (failed,) = report.failures
    assert (failed.remedy, failed.recovered) == (Remedy.REMAINING_WORK, True)
    assert (failed.attempts, failed.completeness) == (4, 0.5)
    assert [len(section.claims) for section in report.sections] == [6, 6]
    assert audit(report, texts(world)).passed

"""What an analysis takes over from an earlier attempt at it, and what it does not believe."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from temporalio.testing import ActivityEnvironment

from activities.analysis import Analyst
from caveat.contracts.claim import Analysis
from caveat.contracts.source import Snapshot
from caveat.contracts.tasks import AnalysisTask
from caveat.ports import Answer
from tests.activities.test_failures import CLAIM, FIELDS, PAGE, a_full_world
from tests.fakes.ports import FakeReasoner, FakeSnapshots

SIZE = len(PAGE.text)
HALF = SIZE // 2
FOUND = Analysis(claims=(CLAIM,), rejected_quotes=2, read_to=HALF)
INVENTED = CLAIM.model_copy(update={"quote": "Alpha is 9 units wide", "id": "c9"})


@dataclass(frozen=True)
class Listening(FakeReasoner):
    """Tells what it was asked, and finds the only claim of the page wherever it begins."""

    starts: list[int] = field(default_factory=list)

    async def analyse(
        self, task: AnalysisTask, snapshot: Snapshot, on_partial: Callable[[Analysis, float], None]
    ) -> Answer[Analysis]:
        self.starts.append(task.start_at)
        return await super().analyse(task, snapshot, on_partial)


def wire(found: Analysis) -> dict[str, Any]:
    """A partial result as it comes back from the server: without its type."""
    return found.model_dump(mode="json")


async def resumed(*details: Any, start_at: int = 0) -> tuple[Analysis, list[int]]:
    """Analyse the page after an attempt whose last sign of life carried these details."""
    world = a_full_world()
    reasoner = Listening(world)
    environment = ActivityEnvironment()
    environment.info = replace(environment.info, attempt=2, heartbeat_details=details)
    task = AnalysisTask.model_validate(
        {"task_id": "t1", "description": "Do it", **FIELDS[AnalysisTask], "start_at": start_at}
    )
    envelope = await environment.run(Analyst(reasoner, FakeSnapshots(world)).analyse, task)
    await asyncio.sleep(0)
    assert envelope.result is not None
    return envelope.result, reasoner.starts


async def test_it_goes_on_where_the_earlier_attempt_was() -> None:
    found, starts = await resumed(wire(FOUND), 0.5)
    assert starts == [HALF]
    assert [(claim.start, claim.quote) for claim in found.claims] == [(0, CLAIM.quote)]
    assert (found.rejected_quotes, found.read_to) == (2, SIZE)


async def test_quotes_of_the_earlier_attempt_are_verified_again() -> None:
    found, _ = await resumed(wire(FOUND.model_copy(update={"claims": (CLAIM, INVENTED)})), 0.5)
    assert [claim.quote for claim in found.claims] == [CLAIM.quote]
    assert found.rejected_quotes == 3


async def test_what_was_read_whole_is_not_read_again() -> None:
    found, starts = await resumed(wire(FOUND.model_copy(update={"read_to": SIZE})), 0.9)
    assert starts == []
    assert found.claims == (CLAIM,)


@pytest.mark.parametrize(
    "details",
    [
        (),
        (7,),
        ("half",),
        ({"no": "analysis"}, 0.5),
        (wire(FOUND), "half"),
        (wire(FOUND), 7.0),
        (wire(FOUND), 0.5, "more"),
        ({**wire(FOUND), "read_to": -1}, 0.5),
        (wire(Analysis()), 0.0),
    ],
)
async def test_details_that_are_no_partial_result_are_ignored(details: tuple[Any, ...]) -> None:
    found, starts = await resumed(*details)
    assert starts == [0]
    assert [claim.quote for claim in found.claims] == [CLAIM.quote]
    assert found.rejected_quotes == 0


async def test_what_lies_before_the_task_is_not_taken_over() -> None:
    found, starts = await resumed(wire(FOUND), 0.5, start_at=HALF + 1)
    assert starts == [HALF + 1]
    assert found.claims == ()

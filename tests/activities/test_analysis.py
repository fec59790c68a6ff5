"""What an analysis takes over from an earlier attempt at it, and what it does not believe."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from temporalio.testing import ActivityEnvironment

from caveat.activities.reasoning import ReasoningActivities
from caveat.contracts.envelope import SubagentResult, Usage
from caveat.contracts.source import Analysis, Snapshot
from caveat.contracts.tasks import AnalysisTask
from caveat.ports import Answer
from tests.fakes.ports import FakeReasoner, FakeRules, FakeSnapshots
from tests.fakes.tasks import CLAIM, FIELDS, PAGE, a_full_world

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


def beat(found: Analysis | None, completeness: Any = 0.5, **more: Any) -> dict[str, Any]:
    """A sign of life as it comes back from the server: without its type."""
    partial = None if found is None else found.model_dump(mode="json")
    return {"partial": partial, "completeness": completeness, **more}


async def tried_again(
    *details: Any, start_at: int = 0
) -> tuple[SubagentResult[Analysis], list[int]]:
    """Analyse the page after an attempt whose last sign of life carried these details."""
    world = a_full_world()
    reasoner = Listening(world)
    environment = ActivityEnvironment()
    environment.info = replace(environment.info, attempt=2, heartbeat_details=details)
    task = AnalysisTask.model_validate(
        {"task_id": "t1", "description": "Do it", **FIELDS[AnalysisTask], "start_at": start_at}
    )
    envelope = await environment.run(
        ReasoningActivities(reasoner, FakeSnapshots(world), FakeRules(world)).analyse, task
    )
    await asyncio.sleep(0)
    return envelope, reasoner.starts


async def resumed(*details: Any, start_at: int = 0) -> tuple[Analysis, list[int]]:
    envelope, starts = await tried_again(*details, start_at=start_at)
    assert envelope.result is not None
    return envelope.result, starts


async def test_it_goes_on_where_the_earlier_attempt_was() -> None:
    found, starts = await resumed(beat(FOUND))
    assert starts == [HALF]
    assert [(claim.start, claim.quote) for claim in found.claims] == [(0, CLAIM.quote)]
    assert (found.rejected_quotes, found.read_to) == (2, SIZE)


async def test_quotes_of_the_earlier_attempt_are_verified_again() -> None:
    found, _ = await resumed(beat(FOUND.model_copy(update={"claims": (CLAIM, INVENTED)})))
    assert [claim.quote for claim in found.claims] == [CLAIM.quote]
    assert found.rejected_quotes == 3


async def test_what_was_read_whole_is_not_read_again() -> None:
    found, starts = await resumed(beat(FOUND.model_copy(update={"read_to": SIZE}), 0.9))
    assert starts == []
    assert [(claim.start, claim.quote) for claim in found.claims] == [(0, CLAIM.quote)]


@pytest.mark.parametrize(
    "details",
    [
        (),
        (7,),
        ("half",),
        ({"no": "beat"},),
        ({**beat(FOUND), "partial": {"no": "analysis"}},),
        (beat(FOUND, "half"),),
        (beat(FOUND, 7.0),),
        (beat(FOUND, 1.0),),
        (beat(FOUND), "more"),
        (beat(FOUND, usage={"model_calls": "many"}),),
        ({**beat(FOUND), "partial": {**beat(FOUND)["partial"], "read_to": -1}},),
        (beat(Analysis(), 0.0),),
        (beat(None, 0.0),),
    ],
)
async def test_details_that_are_no_partial_result_are_ignored(details: tuple[Any, ...]) -> None:
    found, starts = await resumed(*details)
    assert starts == [0]
    assert [claim.quote for claim in found.claims] == [CLAIM.quote]
    assert found.rejected_quotes == 0


async def test_what_lies_before_the_task_is_not_taken_over() -> None:
    found, starts = await resumed(beat(FOUND), start_at=HALF + 1)
    assert starts == [HALF + 1]
    assert found.claims == ()


SPENT = Usage(model_calls=3, input_tokens=900, output_tokens=90, cost_usd=0.3)


@pytest.mark.parametrize("found", [None, FOUND])
async def test_what_earlier_attempts_spent_is_not_forgotten(found: Analysis | None) -> None:
    envelope, _ = await tried_again(beat(found, usage=SPENT.model_dump(mode="json")))
    assert envelope.usage == SPENT

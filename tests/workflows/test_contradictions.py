"""Contradictions in a whole run: settled by rule, by people, by nobody, or too late."""

import asyncio
from dataclasses import replace

import pytest
from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.workflowservice.v1 import ResetWorkflowExecutionRequest
from temporalio.client import WorkflowUpdateFailedError
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.contradiction import ContradictionState, SettledBy
from caveat.contracts.envelope import AgentType, FailureType
from caveat.contracts.outcome import Outcome, Progress
from caveat.contracts.report import Report, ReportStatus
from caveat.contracts.source import Claim, ClaimState, Snapshot, SourceKind
from caveat.failures import forbidden
from caveat.rules.audit.checks import audit
from caveat.rules.contradictions.track_record import compute_track_record
from tests.fakes.ports import World
from tests.fakes.runs import (
    BOTH,
    PROVIDER,
    SHORT_S,
    Asking,
    Handle,
    Start,
    awaiting,
    failing,
    fault,
    report_of,
    rule,
    serving,
    texts,
    there,
)
from tests.fakes.worlds import disagreeing

A = {"ruling": "a", "reason": "It is newer.", "decided_by": "Ada"}


def claimants(world: World) -> tuple[str, ...]:
    """Who made the claims that people ruled on."""
    return tuple(each.id for each in next(iter(world.rulings.values())).claimants)


async def ruled(asking: Asking, ruling: dict[str, str]) -> tuple[Handle, Report]:
    """A run that waited for a ruling on its first contradiction."""
    handle = await asking()
    await asking.rule(handle, 1, ruling)
    return handle, await report_of(handle)


def claim_of(report: Report, page: int) -> Claim:
    source = next(each for each in report.sources if each.title == f"page {page}")
    return next(claim for claim in report.claims if claim.source_id == source.id)


async def test_clearly_better_evidence_settles_alone(start: Start, world: World) -> None:
    disagreeing(world, (1, 2))
    world.pages[1] = replace(world.pages[1], kind=SourceKind.BLOG)
    handle = await start()
    report = await report_of(handle)
    (found,) = report.contradictions
    assert (found.state, found.settled_by) == (ContradictionState.RESOLVED, SettledBy.EVIDENCE)
    assert found.ruling == "a"
    assert claim_of(report, 2).state is ClaimState.OVERRULED
    assert f"[{claim_of(report, 2).id}]" not in report.sections[0].summary
    assert len(world.reports) == 1
    assert audit(report, texts(world)).passed


async def test_a_ruling_that_arrives_before_its_contradiction_waits_for_it(
    environment: WorkflowEnvironment, task_queue: str, world: World
) -> None:
    disagreeing(world, (1, 2))
    early = {"contradiction_id": "contradiction-1", **A}
    handle: Handle = await environment.client.start_workflow(
        "Research",
        {"topic": "alpha and beta"},
        id=f"research-{task_queue}",
        task_queue=task_queue,
        start_signal="resolve_contradiction",
        start_signal_args=[early],
        result_type=Outcome,
    )
    async with serving(environment.client, world, task_queue):
        (found,) = (await report_of(handle)).contradictions
        seen = await handle.query("progress", result_type=Progress)
    assert (found.settled_by, found.decided_by) == (SettledBy.PERSON, "Ada")
    assert seen.rejections == ()


async def test_a_ruling_patches_the_prose_that_it_touches(asking: Asking, world: World) -> None:
    world.uses_model = True
    disagreeing(world, (1, 2))
    handle = await asking()
    await awaiting(handle)
    before = world.calls.copy()
    await asking.rule(handle, 1, A)
    await report_of(handle)
    # The answer, of one sentence, is written anew, a section is mended, and the other one stays.
    assert (world.calls - before)["synthesise"] == (world.calls - before)["revise"] == 1


async def test_a_person_is_asked_beside_a_provisional_report(asking: Asking, world: World) -> None:
    disagreeing(world, (1, 2))
    handle = await asking()
    progress = await awaiting(handle)
    provisional = await handle.query("report", result_type=Report)
    assert progress.provisional
    assert provisional.status is ReportStatus.PROVISIONAL
    assert provisional.contradictions[0].is_open
    assert "[contradiction-1]" in provisional.sections[0].summary
    assert audit(provisional, texts(world)).passed
    await asking.rule(handle, 1, BOTH)
    report = await report_of(handle)
    (found,) = report.contradictions
    assert report.status is ReportStatus.FINAL
    assert (found.settled_by, found.ruling) == (SettledBy.PERSON, "both")
    assert (found.decided_by, found.reason) == ("Ada", "They measure different things.")
    assert world.reports == [provisional, report]
    assert [ruling.decided_by for ruling in world.rulings.values()] == ["Ada"]
    assert report.metrics.waiting_seconds > 0
    assert audit(report, texts(world)).passed


async def test_a_persons_ruling_is_asked_once(start: Start, asking: Asking, world: World) -> None:
    disagreeing(world, (1, 2))
    first, _ = await ruled(asking, A)
    ((key, ruling),) = world.rulings.items()
    world.rulings[key] = ruling.model_copy(update={"signed": True})  # as `caveat rule` does
    assert all(who.said for who in ruling.claimants)
    report = await report_of(await start(id="another", topic="Another question on the same"))
    (found,) = report.contradictions
    assert (found.settled_by, found.ruling) == (SettledBy.PERSON, "a")
    assert (found.decided_by, found.decided) == ("Ada", ruling.decided)
    assert f"in {first.id}, on the same words" in found.steps[-1].reason
    assert report.metrics.waiting_seconds == 0
    assert len(world.rulings) == 1
    assert audit(report, texts(world)).passed
    assert found.reused is not None
    assert (found.reused.decided_by, found.reused.run_id) == ("Ada", first.id)
    withdrawn = {"number": 2, "choice": None, "signed": True}
    world.rulings[(*key[:2], 2)] = ruling.model_copy(update=withdrawn)
    asked = await report_of(await start(id="anew", arbitration_timeout=SHORT_S))
    assert asked.contradictions[0].needs_review


async def test_a_ruling_is_changed_or_withdrawn(start: Start, asking: Asking, world: World) -> None:
    disagreeing(world, (1, 2))
    first, before = await ruled(asking, A)
    change = {"contradiction_id": "contradiction-1", "replaces": True}
    other = {"ruling": "b", "reason": "The older one was right.", "decided_by": "Bob"}
    changed = await report_of(
        await start(id="second", follow_up_of=first.id, rulings=[{**change, "ruling": other}])
    )
    (found,) = changed.contradictions
    assert (found.state, found.ruling, found.decided_by) == ("resolved", "b", "Bob")
    assert [(each.decided_by, each.choice) for each in found.rulings] == [
        ("Ada", "a"),
        ("Bob", "b"),
    ]
    assert found.rulings[0] == before.contradictions[0].rulings[0]
    assert "Ada had ruled “a”, and Bob ruled “b”" in found.steps[-1].reason
    assert claim_of(changed, 1).state is ClaimState.OVERRULED
    assert changed.revision is not None
    assert any("Bob" in each for each in changed.revision.changes)
    assert audit(changed, texts(world)).passed

    # Of the run that was first asked, which knows of no change by itself.
    back = {"reason": "Both tables are wrong.", "decided_by": "Cy"}
    withdrawn = await report_of(
        await start(id="third", follow_up_of=first.id, rulings=[{**change, "ruling": back}])
    )
    (found,) = withdrawn.contradictions
    assert (found.state, found.ruling, found.decided_by) == ("provisional", None, None)
    assert found.needs_review
    assert {claim_of(withdrawn, page).state for page in (1, 2)} == {ClaimState.CONTESTED}
    assert [each.choice for each in found.rulings] == ["a", "b", None]
    assert audit(withdrawn, texts(world)).passed
    kept = [(each.run_id, each.number, each.choice) for each in world.rulings.values()]
    assert kept == [(first.id, 1, "a"), (first.id, 2, "b"), (first.id, 3, None)]
    assert compute_track_record(claimants(world)[0], tuple(world.rulings.values())).ruled == 0


async def test_when_nobody_comes_neither_claim_is_used(start: Start, world: World) -> None:
    disagreeing(world, (1, 2))
    report = await report_of(await start(arbitration_timeout=SHORT_S))
    (found,) = report.contradictions
    assert found.state is ContradictionState.PROVISIONAL
    assert (found.confidence, found.requires_human_review) == (0.5, True)
    for page in (1, 2):
        assert claim_of(report, page).state is ClaimState.UNCERTAIN
        assert f"[{claim_of(report, page).id}]" not in report.sections[0].summary
    assert report.status is ReportStatus.FINAL
    assert audit(report, texts(world)).passed


async def test_a_follow_up_asks_nothing_again_unsettled(start: Start, world: World) -> None:
    disagreeing(world, (1, 2))
    failing(world, "analyse page 12", fault(FailureType.AUTH_ERROR, provider=PROVIDER))
    first = await start(arbitration_timeout=SHORT_S)
    (settled,) = (await report_of(first)).contradictions
    world.faults = lambda kind, key: None
    again = await start(id="second", follow_up_of=first.id, arbitration_timeout=SHORT_S)
    report = await report_of(again)
    assert report.metrics.waiting_seconds == 0
    assert [(each.state, each.decided) for each in report.contradictions] == [
        (ContradictionState.PROVISIONAL, settled.decided)
    ]


async def test_senseless_answers_are_kept_and_harm_nothing(asking: Asking, world: World) -> None:
    disagreeing(world, (1, 2))
    junk: list[list[object]] = [
        [],
        ["contradiction-1"],
        ["contradiction-7", "a", "There is none."],
        [{"contradiction_id": "contradiction-1", "ruling": "maybe", "reason": "x"}],
        [{"contradiction_id": 3}],
        [1, 2, 3, 4, 5, 6],
        [None],
    ]
    handle = await asking()
    for given in junk:
        await handle.signal("resolve_contradiction", args=given)
    progress = await handle.query("progress", result_type=Progress)
    assert progress.rejected == len(junk)
    assert all(each.reason for each in progress.rejections)
    await asking.rule(handle, 1, BOTH)
    await report_of(handle)


async def test_a_terminated_arbitration_leaves_uncertainty(asking: Asking, world: World) -> None:
    disagreeing(world, (1, 2))
    handle = await asking()
    await asking.client.get_workflow_handle(f"{handle.id}/contradiction-1").terminate()
    report = await report_of(handle)
    assert report.contradictions[0].state is ContradictionState.PROVISIONAL


async def test_a_late_ruling_makes_a_revision_with_changes(start: Start, world: World) -> None:
    disagreeing(world, (1, 2), (3, 4))
    first = await start(arbitration_timeout=SHORT_S)
    await first.result()
    compared = world.calls["detect"]  # twice, where a stalled machine lost a heartbeat
    late = [{"contradiction_id": "contradiction-1", "ruling": BOTH}]
    second = await start(id="second", follow_up_of=first.id, rulings=late)
    report = await report_of(second)
    settled, other = report.contradictions
    assert (settled.state, settled.decided_by) == (ContradictionState.RESOLVED, "Ada")
    assert other.state is ContradictionState.PROVISIONAL
    assert f"[{claim_of(report, 1).id}]" in report.sections[0].summary
    assert report.revision is not None
    assert report.revision.of == first.id
    assert any("Ada" in change for change in report.revision.changes)
    assert world.calls["detect"] == compared
    assert [ruling.run_id for ruling in world.rulings.values()] == [first.id]
    assert audit(report, texts(world)).passed

    late = [{"contradiction_id": "contradiction-2", "ruling": BOTH}]
    third = await report_of(await start(id="third", follow_up_of=first.id, rulings=late))
    assert [each.state for each in third.contradictions] == [ContradictionState.RESOLVED] * 2


async def test_a_dispute_beside_the_answer_holds_up_no_report(start: Start, world: World) -> None:
    disagreeing(world, (1, 2), affects_answer=False)
    first = await start()
    report = await report_of(first)
    (found,) = report.contradictions
    assert report.status is ReportStatus.FINAL
    assert (found.is_open, found.needs_review) == (True, True)
    assert found.arbitration == f"{first.id}/contradiction-1"
    assert report.metrics.waiting_seconds == 0
    assert report.disputed == ()
    assert len(world.reports) == 1
    assert {claim_of(report, page).state for page in (1, 2)} == {ClaimState.CONTESTED}
    assert audit(report, texts(world)).passed
    late = [{"contradiction_id": "contradiction-1", "ruling": {"ruling": "a", "reason": "Newer."}}]
    revised = await report_of(await start(id="second", follow_up_of=first.id, rulings=late))
    assert revised.contradictions[0].settled_by is SettledBy.PERSON
    assert claim_of(revised, 2).state is ClaimState.OVERRULED
    assert audit(revised, texts(world)).passed


async def test_of_two_late_rulings_on_a_run_that_goes_on_the_first_counts(
    start: Start, asking: Asking, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    disagreeing(world, (1, 2))
    reached, ruled, work = asyncio.Event(), asyncio.Event(), world.work

    async def held_up(kind: str, key: str) -> None:
        if kind == "synthesise" and world.calls[kind]:  # of the final report: nobody ruled in time
            reached.set()
            await ruled.wait()
        await work(kind, key)

    monkeypatch.setattr(world, "work", held_up)
    ada = {"contradiction_id": "contradiction-1", **BOTH}
    bo = {**ada, "ruling": "a", "decided_by": "Bo"}
    handle = await start(arbitration_timeout=SHORT_S)
    await reached.wait()
    assert "is kept" in await handle.execute_update("rule_late", ada)
    with pytest.raises(WorkflowUpdateFailedError) as refused:
        await handle.execute_update("rule_late", bo)
    assert "was ruled on by Ada already" in str(refused.value.cause)
    assert "is kept" in await handle.execute_update("rule_late", ada), "it came twice"
    ruled.set()
    await report_of(handle)
    revision = asking.client.get_workflow_handle(f"{handle.id}-revision-1", result_type=Outcome)
    (found,) = (await report_of(revision)).contradictions
    assert (found.decided_by, found.ruling) == ("Ada", "both")


async def test_a_ruling_while_the_provisional_report_is_written_is_for_the_next_one(
    start: Start, asking: Asking, world: World
) -> None:
    disagreeing(world, (1, 2))
    world.delays["synthesise"] = 1.5
    handle = await start()
    arbitration = asking.client.get_workflow_handle(f"{handle.id}/contradiction-1")
    await there(arbitration)
    await arbitration.execute_update("rule", BOTH)
    report = await report_of(handle)
    first, last = world.reports
    assert (first.status, last.status) == (ReportStatus.PROVISIONAL, ReportStatus.FINAL)
    assert last == report
    assert all(audit(each, texts(world)).passed for each in world.reports)


def _refuse(kind: str, key: str) -> None:
    raise forbidden("/reports may not be written to.", resource="/reports")


def _tamper(world: World) -> None:
    for address, snapshot in list(world.kept.items()):
        changed = snapshot.text.replace("Alpha is", "Alpha was")
        world.kept[address] = snapshot.model_copy(update={"text": changed})


@pytest.mark.parametrize(
    ("step", "agents", "said"),
    [
        ("publish", [AgentType.PUBLISHER], "/reports may not be written to."),
        ("audit", [], "The report did not pass its audit"),
    ],
)
async def test_a_provisional_report_that_cannot_be_written_is_named_while_people_wait(
    asking: Asking, world: World,
    step: str, agents: list[AgentType], said: str,
) -> None:  # fmt: skip
    disagreeing(world, (1, 2))
    kept: dict[str, Snapshot] = {}

    def broken(kind: str, key: str) -> None:
        if step == "audit" and kind == "synthesise" and not kept:
            kept.update(world.kept)
            _tamper(world)
        elif kind == step:
            _refuse(kind, key)

    world.faults = broken
    handle = await asking()
    progress = await awaiting(handle)
    assert not progress.provisional
    assert progress.provisional_problem is not None
    assert progress.provisional_problem.startswith("The provisional report could not be writ")
    assert said in progress.provisional_problem
    assert [(each.agent_type, each.recovered) for each in progress.failures] == [
        (agent, False) for agent in agents
    ]
    assert await handle.query("report") is None
    details = (await handle.query("__temporal_workflow_metadata")).current_details
    assert "The provisional report could not be written" in details
    world.faults = lambda kind, key: None
    world.kept.update(kept)
    await asking.rule(handle, 1, BOTH)
    report = await report_of(handle)
    assert [(each.agent_type, each.recovered) for each in report.failures] == [
        (agent, True) for agent in agents
    ]
    assert report.status is ReportStatus.FINAL
    assert audit(report, texts(world)).passed


async def test_a_run_reset_to_its_first_task_asks_anew(asking: Asking, world: World) -> None:
    """The question that it asked before is open still, under the same id."""
    disagreeing(world, (1, 2))
    client = asking.client
    handle = await asking()
    arbitration = client.get_workflow_handle(f"{handle.id}/contradiction-1")
    asked = (await arbitration.describe()).run_id
    await client.workflow_service.reset_workflow_execution(
        ResetWorkflowExecutionRequest(
            namespace=client.namespace,
            workflow_execution=WorkflowExecution(workflow_id=handle.id),
            reason="as an operator does",
            workflow_task_finish_event_id=3,
            request_id="reset",
        )
    )
    again = client.get_workflow_handle(handle.id, result_type=Outcome)
    while (await arbitration.describe()).run_id == asked:  # noqa: ASYNC110  # the server tells nobody
        await asyncio.sleep(0.05)
    await awaiting(again)
    await rule(client, again, 1, BOTH)
    report = await report_of(again)
    assert report.contradictions[0].settled_by is SettledBy.PERSON

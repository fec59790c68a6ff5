"""Follow-ups: what was mended is tried again, who refuses still is asked once, reports stand."""

from collections.abc import Callable

import pytest
from temporalio.client import WorkflowFailureError

from caveat.contracts.envelope import FailureType
from caveat.contracts.outcome import Ending
from caveat.failures import PortFailure, not_found, unavailable
from caveat.rules.audit.checks import audit
from tests.fakes.ports import World
from tests.fakes.runs import PROVIDER, Start, end_of, failing, fault, report_of, texts

REFUSALS = {
    "401": fault(FailureType.AUTH_ERROR, provider=PROVIDER),
    "402": fault(FailureType.PERMANENT, provider=PROVIDER),
}
"""A key, a bill: what a provider's adapter makes of these statuses."""

REASONING = frozenset({"detect", "debate", "synthesise", "write"})
Works = Callable[[str, str], bool]


def refusing(world: World, error: PortFailure, works: Works) -> None:
    """Let some work be refused, and new credentials too."""

    def faults(kind: str, key: str) -> None:
        if kind == "refresh" or works(kind, key):
            raise error

    world.faults = faults


def half_way(kind: str, key: str) -> bool:
    """The second angle's analyses, and everything that is reasoned about after them."""
    return kind in REASONING or (kind == "analyse" and int(key.split()[1]) > 6)


@pytest.mark.parametrize("status", REFUSALS)
async def test_refused_work_is_done_after_a_mend(start: Start, world: World, status: str) -> None:
    world.delays["search beta"] = 1.0  # the first angle's analyses are done by then
    refusing(world, REFUSALS[status], half_way)
    quoted = await report_of(await start())  # what was found is shown in quotes
    lost = {each.task_id for each in quoted.failures if each.agent_type == "analyst"}
    assert len(lost) == 6
    world.faults = lambda kind, key: None
    before = world.calls.copy()
    first = world.evidence[0].run_id
    report = await report_of(await start(follow_up_of=first, id="follow-up"))
    assert world.calls["analyse"] - before["analyse"] == 6
    assert [world.calls[kind] - before[kind] for kind in ("plan", "search", "read")] == [0, 0, 0]
    assert [len(section.claims) for section in report.sections] == [6, 6]
    assert lost <= {each.task_id for each in report.failures}
    assert all(each.recovered for each in report.failures)
    assert audit(report, texts(world)).passed


async def test_a_provider_still_refusing_is_asked_once(start: Start, world: World) -> None:
    world.delays["search beta"] = 1.0
    refusing(world, REFUSALS["402"], half_way)
    await report_of(await start())
    before = world.calls.copy()
    first = world.evidence[0].run_id
    quoted = await report_of(await start(follow_up_of=first, id="follow-up"))
    message = REFUSALS["402"].failure.message
    assert message in {each.failure.message for each in quoted.failures}
    calls = {kind: world.calls[kind] - before[kind] for kind in (*REASONING, "analyse")}
    assert calls == {**dict.fromkeys(REASONING, 0), "analyse": 1}
    # Nothing was lost by trying: after the mend the whole of it is still there to be tried again.
    world.faults = lambda kind, key: None
    report = await report_of(await start(follow_up_of=world.evidence[-1].run_id, id="again"))
    assert [len(section.claims) for section in report.sections] == [6, 6]


@pytest.mark.parametrize("everything", [False, True])
async def test_what_is_gone_is_left_out(start: Start, world: World, everything: bool) -> None:
    def faults(kind: str, key: str) -> None:
        if (kind, key) == ("read", "page 1"):
            raise not_found("Gone.", resource=key)
        if (kind, key) == ("read", "page 7"):
            raise unavailable("Busy.", resource=key)

    world.faults = faults
    first = await report_of(await start())
    world.faults = lambda kind, key: None
    before = world.calls.copy()
    handle = await start(follow_up_of=first.run_id, id="follow-up", retry_all=everything)
    second = await report_of(handle)
    assert world.calls["read page 7"] - before["read page 7"] == 1
    assert world.calls["read page 1"] - before["read page 1"] == int(everything)
    assert [len(section.claims) for section in second.sections] == [5 + everything, 6]


async def test_only_work_done_is_made_good_whatever_the_budget(start: Start, world: World) -> None:
    world.uses_model = True
    failing(world, ("analyse page 1", "analyse page 7"), unavailable("Busy.", resource="page 1"))
    first = await report_of(await start())
    world.faults = lambda kind, key: None
    for calls in (1, 4, 9, 20):
        before = world.calls["analyse"]
        budget = {"model_calls": calls}
        handle = await start(follow_up_of=first.run_id, id=f"follow-up-{calls}", budget=budget)
        try:
            failures = (await report_of(handle)).failures
        except WorkflowFailureError:
            failures = (await end_of(handle)).failures
        analyses = [each for each in failures if each.agent_type == "analyst"]
        assert len(analyses) == 2
        assert sum(each.recovered for each in analyses) == world.calls["analyse"] - before


async def test_a_run_without_anything_to_retry_gets_no_revision(start: Start, world: World) -> None:
    failing(world, "read page 1", not_found("Gone.", resource="page 1"))
    first = await report_of(await start())
    end = await end_of(await start(follow_up_of=first.run_id, id="follow-up"))
    assert end.ending is Ending.NOTHING_TO_FOLLOW_UP
    assert [each.run_id for each in world.reports] == [first.run_id]


@pytest.mark.parametrize("kind", ["read page 1", "detect"])
async def test_where_all_fails_again_reports_stand(start: Start, world: World, kind: str) -> None:
    world.uses_model = world.debates = True

    failing(world, kind, unavailable("Busy.", resource=kind))
    first = await report_of(await start())
    end = await end_of(await start(follow_up_of=first.run_id, id="follow-up"))
    assert end.ending is Ending.NOTHING_RECOVERED
    assert "Busy." in end.message
    assert end.message.endswith(f"The report of {first.run_id} stays as it was.")
    assert [each.run_id for each in world.reports] == [first.run_id]

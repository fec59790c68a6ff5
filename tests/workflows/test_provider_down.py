"""A provider of models that does not answer: the run waits for it, and nothing is lost."""

import asyncio
import datetime as dt
from collections import Counter
from itertools import product

import pytest
from temporalio import activity
from temporalio.api.enums.v1 import EventType

from caveat.contracts.envelope import AgentType, FailureCategory, FailureType, Usage
from caveat.contracts.outcome import Ending, Progress
from caveat.contracts.phase import Phase
from caveat.failures import PortFailure
from caveat.rendering.details import render_run_details
from caveat.rendering.words import format_datetime
from caveat.rules.audit.checks import audit
from caveat.rules.run.recovery import PROBES
from caveat.workflows.names import PHASE, Handler
from caveat.workflows.research.breaker import DOWN, FIRST
from tests.fakes.patience import PATIENCE_S
from tests.fakes.ports import World
from tests.fakes.runs import PROVIDER, Handle, Start, end_of, failing, fault, report_of, texts

MODEL = frozenset({"plan", "analyse", "detect", "synthesise", "verify"})
"""What a model is asked for."""


def down(kind: FailureType, retry_after_s: float | None = None) -> PortFailure:
    return fault(kind, provider=PROVIDER, retry_recommended=True, retry_after_s=retry_after_s)


def away(world: World, error: PortFailure, minutes: float, *works: str) -> list[dt.datetime]:
    """Let the provider be away for so long from the first call on; return when it was called."""
    asked: list[dt.datetime] = []

    def faults(kind: str, _: str) -> None:
        if kind in (works or MODEL):
            now = activity.info().started_time
            asked.append(now)
            if now < asked[0] + dt.timedelta(minutes=minutes):
                raise error

    world.uses_model = True
    world.faults = faults
    return asked


OUTAGES = {
    "429 with a time": down(FailureType.RATE_LIMITED, retry_after_s=20.0),
    "529": down(FailureType.RATE_LIMITED),
    "5xx": down(FailureType.UNAVAILABLE),
    "hangs": down(FailureType.TIMEOUT),
}


@pytest.mark.parametrize(
    ("kind", "works"), [*product(OUTAGES, [()]), ("hangs", ("analyse",)), ("529", ("synthesise",))]
)
async def test_an_outage_costs_waiting_and_never_a_run(
    start: Start, world: World, kind: str, works: tuple[str, ...]
) -> None:
    asked = away(world, OUTAGES[kind], 30, *works)
    report = await report_of(await start())
    assert [len(section.claims) for section in report.sections] == [6, 6]
    assert all(failed.recovered for failed in report.failures)
    assert audit(report, texts(world)).passed
    assert report.metrics.waiting_seconds > 20 * 60
    # Those on their way when it went, each with its retries, and then one probe at a time.
    refused = [each for each in asked if each < asked[0] + dt.timedelta(minutes=30)]
    assert len(refused) < (len(world.pages) + DOWN) * 4 + 15


async def test_after_a_rate_limit_few_are_asked_at_once(start: Start, world: World) -> None:
    under_way: list[int] = []
    ended = 0
    asked = away(world, OUTAGES["429 with a time"], 5, "analyse")
    refuse = world.faults

    def faults(kind: str, key: str) -> None:
        nonlocal ended
        ended += kind == "analyse"
        refuse(kind, key)
        if kind == "analyse":
            under_way.append(world.calls["analyse"] - ended + 1)

    world.faults = faults
    world.delays["analyse"] = 0.2
    await report_of(await start())
    assert len(asked) > len(under_way) == len(world.pages)
    assert max(under_way) < FIRST


async def test_what_lost_attempts_took_is_counted(start: Start, world: World) -> None:
    took = Usage(model_calls=1, input_tokens=1_000_000)
    asked = away(world, PortFailure(OUTAGES["529"].failure, took), 30, "synthesise")
    report = await report_of(await start())
    refused = [each for each in asked if each < asked[0] + dt.timedelta(minutes=30)]
    assert report.metrics.tokens // took.input_tokens == len(refused) > 4


async def test_people_see_that_a_run_waits_and_why(start: Start, world: World) -> None:
    answers = asyncio.Event()

    def faults(kind: str, _: str) -> None:
        if kind == "plan" and not answers.is_set():
            raise OUTAGES["529"]

    world.faults = faults
    run = await start()
    progress = await waiting(run)
    assert progress.provider_wait is not None
    words = f"waiting for the provider since {format_datetime(progress.provider_wait.since)}"
    assert words in render_run_details(progress)
    found = (await run.describe()).typed_search_attributes.get(PHASE)
    answers.set()
    assert found == Phase.AWAITING_PROVIDER
    report = await report_of(run)
    assert report.failures == () or all(each.recovered for each in report.failures)
    after = await run.query(Handler.PROGRESS, result_type=Progress)
    assert after.provider_wait is None
    assert (await run.describe()).typed_search_attributes.get(PHASE) == Phase.DONE


async def waiting(run: Handle) -> Progress:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            progress: Progress = await run.query(Handler.PROGRESS, result_type=Progress)
            if progress.provider_wait is not None:
                return progress
            await asyncio.sleep(0.05)


async def test_after_six_hours_a_run_reports_what_it_has(start: Start, world: World) -> None:
    done = Counter[str]()

    def faults(kind: str, _: str) -> None:
        done[kind] += 1
        if kind in MODEL and (kind not in {"plan", "analyse"} or done["analyse"] > 8):
            raise OUTAGES["529"]

    world.uses_model = True
    world.faults = faults
    report = await report_of(await start())
    assert sum(len(section.claims) for section in report.sections) == 8
    hours = report.metrics.waiting_seconds / 3600
    assert 6 <= hours < 6.2, "six hours, and the probe under way"
    lost = [each for each in report.failures if not each.recovered]
    assert {each.failure.failure_type for each in lost} == {FailureType.RATE_LIMITED}
    assert all(each.attempts for each in lost if each.agent_type == AgentType.ANALYST)
    assert audit(report, texts(world)).passed


async def test_a_bound_of_time_ends_the_wait(start: Start, world: World) -> None:
    away(world, OUTAGES["5xx"], 24 * 60)
    end = await end_of(await start(deadline="30m"))
    assert end.ending in {Ending.PLANNING_FAILED, Ending.BUDGET_TOO_SMALL}
    (planning,) = [each for each in end.phases if each.phase is Phase.PLANNING]
    (failed,) = [each for each in end.phases if each.phase is Phase.FAILED]
    assert dt.timedelta(minutes=20) < failed.at - planning.at < dt.timedelta(minutes=31)


async def test_one_hanging_document_is_a_gap_nobody_awaits(start: Start, world: World) -> None:
    def faults(kind: str, key: str) -> None:
        if (kind, key) == ("analyse", "page 3"):
            raise OUTAGES["hangs"]

    world.uses_model = True
    world.faults = faults
    report = await report_of(await start())
    (lost,) = report.failures
    assert lost.attempts == 8  # four by Temporal, and one more try of as many
    assert report.metrics.waiting_seconds == 0
    assert [len(section.claims) for section in report.sections] == [5, 6]


async def count_analyses(run: Handle) -> tuple[int, int]:
    """Count the analyses that were given out before the coordinator knew more, and after a refusal.

    It is the history that says so: on a busy machine a refusal comes later than calls are taken to
    be at work, or in one task with that, which does not count.
    """
    first = after = 0
    is_timed = is_refused = hears = knows = False
    async for event in run.fetch_history_events():
        match event.event_type:
            case EventType.EVENT_TYPE_TIMER_FIRED:
                is_timed = True
            case EventType.EVENT_TYPE_ACTIVITY_TASK_FAILED:
                is_refused = True
            case EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED:
                hears, knows = is_refused, hears
            case EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
                if event.activity_task_scheduled_event_attributes.activity_type.name == "analyse":
                    after += knows
                    first += not (hears or is_timed)
    return first, after


async def test_a_dying_key_costs_calls_under_way_and_one_more(start: Start, world: World) -> None:
    refused = fault(FailureType.AUTH_ERROR, provider=PROVIDER)
    world.delays["analyse"] = 0.2

    def faults(kind: str, _: str) -> None:
        if kind == "analyse" or (kind in MODEL and world.calls["analyse"]):
            raise refused

    world.uses_model = True
    world.faults = faults
    run = await start()
    await end_of(run)
    first, after = await count_analyses(run)
    assert world.calls["refresh"] == 1
    # The plan made one place more; whoever comes later asks nothing.
    assert 0 < first <= PROBES + 1
    assert after <= 1
    assert world.calls["synthesise"] == world.calls["detect"] == 0


async def test_an_empty_account_costs_the_calls_on_their_way(start: Start, world: World) -> None:
    world.delays |= {"analyse": 2.0, "analyse page 1": 0.01}
    failing(world, ("analyse", "detect"), fault(FailureType.PERMANENT, provider=PROVIDER))
    world.uses_model = True
    run = await start()
    await end_of(run)
    first, after = await count_analyses(run)
    assert 0 < first <= PROBES
    assert not after
    assert world.calls["refresh"] == world.calls["synthesise"] == world.calls["detect"] == 0


async def test_requests_that_are_called_invalid_stop_their_kind(start: Start, world: World) -> None:
    invalid = fault(FailureType.PERMANENT, provider=PROVIDER)
    failure = invalid.failure.model_copy(update={"category": FailureCategory.VALIDATION})
    world.delays["analyse"] = 0.2

    def faults(kind: str, _: str) -> None:
        if kind == "analyse":
            raise PortFailure(failure)

    world.uses_model = True
    world.faults = faults
    run = await start()
    end = await end_of(run)
    first, after = await count_analyses(run)
    assert end.ending is Ending.INSUFFICIENT_AGENTS
    assert 0 < first <= PROBES
    assert after < PROBES, "the first two to fail made way for two others"
    never = sum(each.attempts == 0 for each in end.failures)
    assert never == len(world.pages) - world.calls["analyse"]

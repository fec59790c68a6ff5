"""Topics that are researched again and again: Temporal schedules, and what their runs found."""

import datetime as dt
import time
from dataclasses import dataclass
from typing import Any

from temporalio import client as temporal
from temporalio.client import Client

from caveat.clients import translation
from caveat.clients.run_description import create_run_id
from caveat.clients.translation import read_memo, translate_errors
from caveat.contracts.base import Contract
from caveat.contracts.plan import ResearchRequest
from caveat.problem import BadInput
from caveat.rendering.commands import quote_for_shell
from caveat.workers.settings import Settings
from caveat.workers.signing import load_signer
from caveat.workflows.names import MEMO, QUEUE, SHOWN, build_route

_PREFIX = "schedule-"
_EVERY = "every_s"


class Scheduled(Contract):
    schedule: str
    topic: str
    every: dt.timedelta
    latest: str | None = None  # the run that it started last, None before the first
    # when the next one is due, UTC, which is skipped where the latest still goes on; None of one
    # that is paused
    next: dt.datetime | None = None
    paused: bool = False  # whether somebody paused it, as Temporal's own tools can


@dataclass(frozen=True)
class Schedules:
    """The schedules of one server; every method raises `OutOfReach` when it does not answer."""

    client: Client
    settings: Settings | None = None  # as of `Runs`

    async def create(self, request: ResearchRequest, every: dt.timedelta) -> Scheduled:
        """Have a topic researched now, and again after each interval."""
        # A run that still goes on when the next is due is not joined by it, and of runs that were
        # missed while no server was there the last alone is made up for.
        from caveat.workflows.research.workflow import Research  # noqa: PLC0415  # loads all that a run is made of

        base = create_run_id(request.topic)
        schedule = _PREFIX + base.removeprefix("research-")
        request = request.model_copy(update={"schedule": schedule})
        if self.settings is not None:
            request = load_signer(self.settings).add_grant(base, request)
        action = temporal.ScheduleActionStartWorkflow(
            Research.run,
            request.write_sent(),
            id=base,
            task_queue=QUEUE,
            static_summary=translation.build_summary(request.topic),
            memo={MEMO: build_route(request), SHOWN: request.topic},
            priority=translation.compute_priority(request),
        )
        memo: dict[str, Any] = {SHOWN: request.topic, _EVERY: every.total_seconds()}
        # The server counts intervals from 1970: without this, a day would end at midnight.
        since = dt.timedelta(seconds=int(time.time()) % int(every.total_seconds()))
        interval = temporal.ScheduleIntervalSpec(every=every, offset=since)
        skips = temporal.ScheduleOverlapPolicy.SKIP
        plan = temporal.Schedule(
            action=action,
            spec=temporal.ScheduleSpec(intervals=[interval]),
            policy=temporal.SchedulePolicy(overlap=skips, catchup_window=every),
            state=temporal.ScheduleState(note=translation.build_summary(request.topic)),
        )
        with translate_errors():
            await self.client.create_schedule(schedule, plan, trigger_immediately=True, memo=memo)
        return Scheduled(schedule=schedule, topic=request.topic, every=every)

    async def list_all(self) -> list[Scheduled]:
        with translate_errors():
            listed = [each async for each in await self.client.list_schedules()]
            return sorted(
                [await _parse_schedule(each) for each in listed if each.id.startswith(_PREFIX)],
                key=lambda each: each.schedule,
            )

    async def delete(self, schedule: str) -> None:
        """Start no more runs of a schedule; one that goes on is not touched."""
        unknown = BadInput(
            f"There is no schedule {quote_for_shell(schedule)}: `caveat schedule list` lists those "
            "that are known."
        )
        if not schedule.startswith(_PREFIX):  # it may be somebody else's
            raise unknown
        with translate_errors(unknown):
            await self.client.get_schedule_handle(schedule).delete()


async def _parse_schedule(listed: temporal.ScheduleListDescription) -> Scheduled:
    memo, info = await read_memo(listed), listed.info
    actions = [each.action for each in (info.recent_actions if info else ())]
    started = [
        action.workflow_id
        for action in actions
        if isinstance(action, temporal.ScheduleActionExecutionStartWorkflow)
    ]
    paused = listed.schedule is not None and listed.schedule.state.paused
    following = info.next_action_times if info and not paused else ()
    return Scheduled(
        schedule=listed.id,
        topic=str(memo.get(SHOWN, "")),
        every=dt.timedelta(seconds=float(memo.get(_EVERY, 0))),
        latest=next(reversed(started), None),
        next=next(iter(following), None),
        paused=paused,
    )

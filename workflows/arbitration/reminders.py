"""Reminders: people are told that somebody waits for them, and told again before it is too late."""

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from temporalio import workflow

from caveat.contracts.contradiction import Case
from caveat.contracts.envelope import SubagentResult
from caveat.contracts.notice import Delivery, Notice, NoticeKind
from caveat.contracts.tasks import NotificationTask
from caveat.rendering.amounts import span_words
from caveat.rendering.commands import rule
from caveat.rules.contradictions.choices import PAIR, options
from caveat.workflows.delegation import tell

LAST_CALL = timedelta(minutes=30)
"""Before the deadline: time enough to open two sources and read around the quotes."""

APART = timedelta(minutes=5)
"""Between two reminders: one that follows sooner tells nobody anything new."""

SHOWN = 300  # characters of what differs: with it and the commands a notice stays under its 1,000


@dataclass(frozen=True)
class Reminder:
    """When people are told, counted from the opening, and what is special about it."""

    after: timedelta
    name: str


def reminders(timeout: timedelta) -> tuple[Reminder, ...]:
    """Choose when to tell people: at the opening, at half-time, and for the last call."""
    # One that would lie in the past, or follow the one before it by less than `APART`, is left out:
    # below ten minutes only the opening is told, up to seventy no last call.
    wanted = (
        Reminder(timedelta(0), "opened"),
        Reminder(timeout / 2, "half-time"),
        Reminder(timeout - LAST_CALL, "last call"),
    )
    kept = [wanted[0]]
    for reminder in wanted[1:]:
        if reminder.after >= kept[-1].after + APART:
            kept.append(reminder)
    return tuple(kept)


class Reminders:
    """Tells people of one case until it is settled.

    Args:
        deadline: until when, UTC.
        on_told: called with how each delivery ended.
    """

    def __init__(
        self, case: Case, deadline: datetime, on_told: Callable[[SubagentResult[Delivery]], None]
    ) -> None:
        self._case = case
        self._deadline = deadline
        self._arbitration = workflow.info().workflow_id
        self._on_told = on_told
        self._waiting: list[asyncio.Task[None]] = []
        self._telling: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Tell people that it is open, and set the timers of the other reminders."""
        for number, reminder in enumerate(reminders(self._case.timeout), start=1):
            if reminder.after:
                self._waiting.append(asyncio.create_task(self._later(number, reminder)))
            else:
                self._tell(number, reminder)

    def stop(self) -> None:
        """Tell nobody from now on; a delivery that is under way goes on."""
        for waiting in self._waiting:
            waiting.cancel()

    async def delivered(self) -> None:
        """Wait for the deliveries that are under way."""
        await asyncio.gather(*self._telling)

    async def _later(self, number: int, reminder: Reminder) -> None:
        await workflow.sleep(reminder.after, summary=f"Remind people: {reminder.name}")
        # A worker that was away for long finds reminders due and the deadline behind them.
        if workflow.now() < self._deadline:
            self._tell(number, reminder)

    def _tell(self, number: int, reminder: Reminder) -> None:
        notice = Notice(
            id=f"{self._arbitration}-notify-{number}",
            kind=NoticeKind.PERSON_NEEDED,
            run_id=self._case.run_id,
            topic=self._case.topic,
            message=self._message(),
            created=workflow.now(),
            arbitration=self._arbitration,
        )
        task = NotificationTask(
            task_id=f"{self._case.contradiction.id}-notify-{number}",
            description=f"Tell people: a contradiction waits for them ({reminder.name})",
            notice=notice,
        )
        self._telling.append(asyncio.create_task(self._deliver(task)))

    async def _deliver(self, task: NotificationTask) -> None:
        self._on_told(await tell(task, self._case.route))

    def _message(self) -> str:
        minutes = math.ceil((self._deadline - workflow.now()) / timedelta(minutes=1))
        left = span_words(timedelta(minutes=minutes))
        about = " ".join(self._case.contradiction.about.split())
        values = len(self._case.sides)
        who = "Two sources disagree" if values == PAIR else f"Sources give {values} values"
        command = rule(self._arbitration, options(values))
        return (
            f"{who}: {about[:SHOWN].rstrip('.')}. A person may rule until "
            f"{self._deadline:%Y-%m-%d %H:%M} UTC ({left} left): {command[:500]}"
        )

"""Reminders: people are told that somebody waits for them, and told again before it is too late."""

import asyncio
import math
from collections.abc import Callable
from datetime import timedelta

from temporalio import workflow

from caveat.contracts.contradiction import Hearing
from caveat.contracts.envelope import SubagentResult
from caveat.contracts.notice import Delivery, Notice, NoticeKind
from caveat.contracts.tasks import NotificationTask
from caveat.rendering.amounts import format_span
from caveat.rendering.commands import format_ruling_command
from caveat.rules.contradictions.choices import PAIR, format_options
from caveat.workflows.delegation import tell

LAST_CALL = timedelta(minutes=30)
"""Before the deadline: time enough to open two sources and read around the quotes."""

APART = timedelta(minutes=5)
"""Between two reminders: one that follows sooner tells nobody anything new."""

SHOWN = 300  # characters of what differs: with it and the commands a notice stays under its 1,000


def choose_reminders(timeout: timedelta) -> dict[str, timedelta]:
    """Choose when to tell people, counted from the opening: then, at half-time, and near the end.

    Below ten minutes only the opening is told, up to seventy no last call.
    """
    wanted = {"opened": timedelta(0), "half-time": timeout / 2, "last call": timeout - LAST_CALL}
    kept: dict[str, timedelta] = {}
    for name, after in wanted.items():
        if not kept or after >= max(kept.values()) + APART:
            kept[name] = after
    return kept


class Reminders:
    """Tells people of one case until it is settled.

    Args:
        opened: as it stands at the beginning.
        on_told: called with how each delivery ended.
    """

    def __init__(
        self, opened: Hearing, on_told: Callable[[SubagentResult[Delivery]], None]
    ) -> None:
        self._opened = opened
        self._on_told = on_told
        self._telling: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Tell people that it is open, and set the timers of the other reminders."""
        self._waiting = asyncio.create_task(self._remind())

    def stop(self) -> None:
        """Tell nobody from now on; a delivery under way is not stopped."""
        self._waiting.cancel()

    async def wait_for_deliveries(self) -> None:
        """Wait for the deliveries that are under way."""
        await asyncio.gather(*self._telling)

    async def _remind(self) -> None:
        began = workflow.now()
        for number, (name, after) in enumerate(
            choose_reminders(self._opened.case.timeout).items(), start=1
        ):
            left = began + after - workflow.now()
            if left > timedelta(0):
                await workflow.sleep(left, summary=f"Remind people: {name}")
            # A worker that was away for long finds reminders due and the deadline behind them.
            if workflow.now() < self._opened.deadline:
                self._telling.append(asyncio.create_task(self._tell(number, name)))

    async def _tell(self, number: int, name: str) -> None:
        case, arbitration = self._opened.case, self._opened.contradiction.arbitration or ""
        notice = Notice(
            id=f"{arbitration}-notify-{number}",
            kind=NoticeKind.PERSON_NEEDED,
            run_id=case.run_id,
            topic=case.topic,
            message=self._format_message(arbitration),
            created=workflow.now(),
            arbitration=arbitration,
        )
        task = NotificationTask(
            task_id=f"{case.contradiction.id}-notify-{number}",
            description=f"Tell people: a contradiction waits for them ({name})",
            notice=notice,
        )
        self._on_told(await tell(task, case.route))

    def _format_message(self, arbitration: str) -> str:
        case, deadline = self._opened.case, self._opened.deadline
        minutes = math.ceil((deadline - workflow.now()) / timedelta(minutes=1))
        left = format_span(timedelta(minutes=minutes))
        about = " ".join(case.contradiction.about.split())
        values = len(case.sides)
        who = "Two sources disagree" if values == PAIR else f"Sources give {values} values"
        return (
            f"{who}: {about[:SHOWN].rstrip('.')}. A person may rule until "
            f"{deadline:%Y-%m-%d %H:%M} UTC ({left} left): "
            f"{format_ruling_command(arbitration, format_options(values))[:500]}"
        )

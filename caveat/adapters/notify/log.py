"""Notices in the log of this process."""

import logging
from dataclasses import dataclass

from caveat.contracts.tasks import Notice
from caveat.ports import Notifier

_LOGGER = logging.getLogger("caveat.notices")


@dataclass(frozen=True)
class LogNotifier:
    """Warns through the logger `caveat.notices`, one line a notice, and tells who else is there."""

    services: Notifier | None = None

    async def notify(self, notice: Notice) -> None:
        """Write the line; it ends with the notice's id, so that repetitions can be told."""
        _LOGGER.warning(
            "%s: %s (run %s, notice %s)",
            notice.kind,
            flatten_text(notice.message),
            flatten_text(notice.run_id),
            flatten_text(notice.id),
            extra={
                "kind": notice.kind.value,
                "run": flatten_text(notice.run_id),
                "told": f"{notice.kind}: {flatten_text(notice.message)}",  # to people, without ids
            },
        )
        if self.services is not None:
            await self.services.notify(notice)


def flatten_text(text: str) -> str:
    """Write a text on one line: no topic may forge another, or steer a terminal."""
    return " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())

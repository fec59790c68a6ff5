"""Notices as lines of the worker's log."""

import logging
from dataclasses import dataclass

from caveat.contracts.notice import Notice

_LOGGER = logging.getLogger("caveat.notices")


@dataclass(frozen=True)
class LogNotifier:
    """Warns through the logger `caveat.notices`, one line a notice."""

    async def notify(self, notice: Notice) -> None:
        """Write the line; it ends with the notice's id, so that repetitions can be told."""
        _LOGGER.warning(
            "%s: %s (run %s, notice %s)",
            notice.kind,
            one_line(notice.message),
            one_line(notice.run_id),
            one_line(notice.id),
            extra={"kind": notice.kind.value, "run": one_line(notice.run_id)},
        )


def one_line(text: str) -> str:
    """Write a text on one line: no topic may forge another, or steer a terminal."""
    return " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())

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
            _one_line(notice.message),
            _one_line(notice.run_id),
            _one_line(notice.id),
            extra={"kind": notice.kind.value, "run": _one_line(notice.run_id)},
        )


def _one_line(text: str) -> str:
    # Messages quote topics, and a topic must be able neither to forge a line nor to steer a
    # terminal.
    return " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())

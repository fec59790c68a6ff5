"""Notices in the log of this process."""

import logging
from dataclasses import dataclass

from caveat.contracts.tasks import Notice
from caveat.ports import Notifier
from caveat.rendering.visible import sanitize_line

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
            sanitize_line(notice.message),
            sanitize_line(notice.run_id),
            sanitize_line(notice.id),
            extra={
                "kind": notice.kind.value,
                "run": sanitize_line(notice.run_id),
                "told": f"{notice.kind}: {sanitize_line(notice.message)}",  # to people, without ids
            },
        )
        if self.services is not None:
            await self.services.notify(notice)

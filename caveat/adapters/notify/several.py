"""Notifiers of this process: its log, several as one, and one whose notices lead to their page."""

import asyncio
import logging
from dataclasses import dataclass

from caveat.contracts.notice import Notice
from caveat.failures import PortFailure
from caveat.ports import Notifier
from caveat.rendering.links import build_contradiction_path


@dataclass(frozen=True)
class Several:
    """Tells everybody, also when somebody cannot be told."""

    # When the delivery is tried again, all of them are told again, and recognise the notice by its
    # id.
    notifiers: tuple[Notifier, ...]

    async def notify(self, notice: Notice) -> None:
        telling = (notifier.notify(notice) for notifier in self.notifiers)
        ends = await asyncio.gather(*telling, return_exceptions=True)
        failures = [end for end in ends if end is not None]
        # A failure with a name says more of what to do than one without.
        failures.sort(key=lambda end: not isinstance(end, PortFailure))
        if failures:
            raise failures[0]


@dataclass(frozen=True)
class Linking:
    """Adds to a notice about a contradiction the address of its page."""

    notifier: Notifier
    address: str  # of the page, as people reach it

    async def notify(self, notice: Notice) -> None:
        if notice.arbitration is not None:
            link = self.address.rstrip("/") + build_contradiction_path(notice.arbitration)
            notice = notice.model_copy(update={"link": link})
        await self.notifier.notify(notice)


_LOGGER = logging.getLogger("caveat.notices")


@dataclass(frozen=True)
class LogNotifier:
    """Warns through the logger `caveat.notices`, one line a notice."""

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


def flatten_text(text: str) -> str:
    """Write a text on one line: no topic may forge another, or steer a terminal."""
    return " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())

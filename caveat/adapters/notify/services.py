"""Notices by mail, to telephones and chats: whatever Apprise has a name for."""

import asyncio
from dataclasses import dataclass, field

from apprise import Apprise, NotifyType

from caveat.contracts.tasks import Notice, NoticeKind
from caveat.failures import unavailable
from caveat.rendering.links import build_contradiction_path
from caveat.rendering.visible import sanitize_line

_TITLE = 120  # characters of a title: what a locked screen shows

_ALARMS = {
    NoticeKind.UNKNOWN_FAILURE: NotifyType.FAILURE,
    NoticeKind.PERSON_NEEDED: NotifyType.WARNING,
    NoticeKind.QUORUM_LOST: NotifyType.WARNING,
    NoticeKind.CRITICAL_AGENT_FAILED: NotifyType.WARNING,
    NoticeKind.FAILED: NotifyType.WARNING,
}
"""What somebody should do something about; most of all about what nobody foresaw."""


@dataclass(frozen=True)
class Services:
    addresses: str = field(repr=False)  # as Apprise writes them, with spaces; they hold passwords
    page: str | None = None  # its address, as people reach it: what notices lead to
    _apprise: Apprise = field(default_factory=Apprise, init=False, repr=False)

    def __post_init__(self) -> None:
        if not self._apprise.add(self.addresses):
            raise ValueError("one of its addresses belongs to no service that Apprise knows")

    async def notify(self, notice: Notice) -> None:
        """Deliver a notice; a repetition ends with the same id."""
        link = None
        if self.page and notice.arbitration:
            link = self.page + build_contradiction_path(notice.arbitration)
        told = await asyncio.to_thread(
            self._apprise.notify,
            title=sanitize_line(f"{notice.kind.replace('_', ' ')}: {notice.topic}")[:_TITLE],
            body="\n\n".join(filter(None, (notice.message, link, notice.id))),
            notify_type=_ALARMS.get(notice.kind, NotifyType.INFO),
        )
        if not told:
            raise unavailable(
                "A service of CAVEAT_NOTIFY did not take a notice; the worker's log says which.",
                resource="CAVEAT_NOTIFY",
            )

"""Notices that lead to the page on which they can be answered."""

from dataclasses import dataclass

from caveat.contracts.notice import Notice
from caveat.ports import Notifier
from caveat.rendering.links import contradiction_path


@dataclass(frozen=True)
class Linking:
    """Adds to a notice about a contradiction the address of its page.

    Attributes:
        notifier: tells people.
        address: of the page, as people reach it.
    """

    notifier: Notifier
    address: str

    async def notify(self, notice: Notice) -> None:
        """Deliver a notice; see `ports.Notifier`."""
        if notice.arbitration is not None:
            link = self.address.rstrip("/") + contradiction_path(notice.arbitration)
            notice = notice.model_copy(update={"link": link})
        await self.notifier.notify(notice)

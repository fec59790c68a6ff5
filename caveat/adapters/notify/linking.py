"""Notices that lead to the page on which they can be answered."""

from dataclasses import dataclass
from urllib.parse import quote

from caveat.contracts.notice import Notice
from caveat.ports import Notifier


def page_of(address: str, arbitration: str) -> str:
    """Return the address of a contradiction's page."""
    return f"{address.rstrip('/')}/contradictions/{quote(arbitration, safe='/')}"


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
            link = page_of(self.address, notice.arbitration)
            notice = notice.model_copy(update={"link": link})
        await self.notifier.notify(notice)

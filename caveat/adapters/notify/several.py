"""Several notifiers as one."""

from dataclasses import dataclass

from caveat.contracts.notice import Notice
from caveat.failures import PortFailure
from caveat.ports import Notifier


@dataclass(frozen=True)
class Several:
    """Tells everybody, also when somebody cannot be told.

    Attributes:
        notifiers: in the order in which they are told. When the delivery is tried again, all of
            them are told again, and recognise the notice by its id.
    """

    notifiers: tuple[Notifier, ...]

    async def notify(self, notice: Notice) -> None:
        """Deliver a notice through each.

        Raises:
            PortFailure: the first failure, after all have been tried.
        """
        failures: list[PortFailure] = []
        for notifier in self.notifiers:
            try:
                await notifier.notify(notice)
            except PortFailure as failure:
                failures.append(failure)
        if failures:
            raise failures[0]

"""How a sender numbers what it sends, and when a receiver is given it again."""

import datetime as dt
from dataclasses import dataclass, field

from caveat.contracts.base import Contract
from caveat.contracts.message import TTL, Message, MessageKind, Priority


@dataclass
class Numbering:
    """One series of one sender.

    A number is taken when its message is confirmed and not before: what was refused leaves no gap.

    Attributes:
        sender: who sends.
        series: a name that no other series of this sender has.
    """

    sender: str
    series: str
    _taken: dict[tuple[str, Priority], int] = field(default_factory=dict)
    _doubts: int = 0

    def message(  # noqa: PLR0913  # each is an attribute of a message
        self,
        kind: MessageKind,
        body: Contract,
        *,
        now: dt.datetime,
        recipient: str | None = None,
        priority: Priority = Priority.NORMAL,
        run: str | None = None,
        correlation: str | None = None,
        ttl: dt.timedelta = TTL,
    ) -> Message:
        """Write the next message to a recipient, None for everybody; its id follows from it."""
        to = recipient or "*"
        series = f"{self.series}.{self._doubts}" if self._doubts else self.series
        number = self._taken.get((to, priority), 0) + 1
        return Message.model_validate(
            {
                "id": f"{series}/{recipient or 'all'}/{priority}/{number}",
                "sender": self.sender,
                "recipient": recipient,
                "kind": kind,
                "priority": priority,
                "series": series,
                "number": number,
                "run": run,
                "correlation": correlation,
                "time": now,
                "expires": now + ttl,
                "data": body,
            }
        )

    def doubted(self) -> None:
        """Begin another series, because nobody knows whether the last message was accepted.

        Were its number and id given to another message, whoever has the first would suppress the
        second as the same.
        """
        self._doubts += 1
        self._taken.clear()

    def confirmed(self, message: Message) -> None:
        """Go on with the number after that of a message that was accepted."""
        to = message.recipient or "*"
        key = (to, message.priority)
        self._taken[key] = max(self._taken.get(key, 0), message.number)


LADDER_S = (1.0, 2.0, 4.0)
"""Seconds before each further attempt, as of every task: a fault that outlives 7 s needs more than
the same message once more."""

ATTEMPTS = len(LADDER_S) + 1
"""The first one, and one after each rung; then the message is dead."""

MOST_WAITING = 1_000
"""Messages that wait for one agent at most: whoever is so far behind is better told by its senders'
failures than by a backlog. The next one is refused to its sender, and none is dropped for it."""


def delay(failures: int) -> float | None:
    """Return the seconds until the next attempt after so many failures; None after the last."""
    return LADDER_S[failures - 1] if 0 < failures < ATTEMPTS else None

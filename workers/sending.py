"""Sending one message after the other, so that each has a number and no number is missing."""

import asyncio
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from caveat.contracts.base import Contract
from caveat.contracts.message import Message, MessageKind, Priority
from caveat.failures import PortFailure
from caveat.intake import now
from caveat.ports import Messages
from caveat.rules.messages import Numbering


@dataclass
class Sender:
    """Numbers, signs and sends the messages of one participant.

    Attributes:
        name: of the participant.
        sign: signs its messages.
    """

    name: str
    sign: Callable[[Message], Message]
    _numbering: Numbering = field(init=False)
    _sending: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        self._numbering = Numbering(self.name, f"{self.name}-{uuid.uuid4().hex[:16]}")

    async def send(  # noqa: PLR0913  # each is an attribute of a message
        self,
        messages: Messages,
        kind: MessageKind,
        body: Contract,
        *,
        recipient: str | None,
        run: str | None,
        priority: Priority,
        correlation: str | None = None,
    ) -> Message:
        """Send a message, and return it.

        Raises:
            PortFailure: it was refused, or nobody knows what became of it.
        """
        async with self._sending:  # a number is taken by one message alone
            message = self.sign(
                self._numbering.message(
                    kind,
                    body,
                    now=now(),
                    recipient=recipient,
                    run=run,
                    priority=priority,
                    correlation=correlation,
                )
            )
            try:
                await messages.send(message)
            except PortFailure:
                self._numbering.doubted()
                raise
            self._numbering.confirmed(message)
            return message

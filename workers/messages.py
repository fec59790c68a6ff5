"""Messages over RabbitMQ, and how one participant sends them."""

import asyncio
import uuid
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from caveat.contracts.base import Contract
from caveat.contracts.message import Message, Priority, is_coordinator
from caveat.failures import PortFailure
from caveat.intake import Intake, now
from caveat.ports import Messages
from caveat.rules.messages import Keys, MasterKey, Numbering, is_signed, sign_message
from caveat.workers.settings import Settings, SettingsProblem, require_package
from caveat.workers.signing import load_signer


def create_messages(settings: Settings, keys: Keys | None = None) -> Messages:
    """Make what carries messages, signed with these keys or the coordinator's own."""
    if settings.messages is None:
        raise SettingsProblem("Messages need a broker: set CAVEAT_MESSAGES to a RabbitMQ.")
    known = keys or read_master_key(settings)

    def create_intake(agent: str) -> Intake:
        settings.messages_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return Intake(
            agent,
            settings.messages_folder / f"{agent}.db",
            trusted=lambda message: is_signed(message, known),
            ordered=not is_coordinator(agent),  # several workers may receive what is for it
        )

    url = settings.messages.get_secret_value()
    if urlsplit(url).scheme not in {"amqp", "amqps"}:  # the URL holds a password
        raise SettingsProblem("CAVEAT_MESSAGES must be a URL that begins with amqp:// or amqps://.")
    require_package("aio_pika", "rabbitmq", "CAVEAT_MESSAGES")
    from caveat.adapters.rabbitmq.messages import RabbitMessages  # noqa: PLC0415  # an extra

    return RabbitMessages(url, create_intake, lambda message: sign_message(message, known))


def read_master_key(settings: Settings) -> MasterKey:
    """Return the coordinator's key, from which those of all agents follow."""
    return MasterKey(load_signer(settings).key)


@dataclass
class Sender:
    """Numbers, signs and sends the messages of one participant, one after the other."""

    # So each has a number, and no number is missing.

    name: str
    messages: Messages
    keys: Keys
    _numbering: Numbering = field(init=False)
    _sending: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        self._numbering = Numbering(self.name, f"{self.name}-{uuid.uuid4().hex[:16]}")

    async def send(  # each is an attribute of a message
        self,
        body: Contract,
        *,
        recipient: str | None,
        run: str | None,
        priority: Priority,
        correlation: str | None = None,
    ) -> Message:
        async with self._sending:  # a number is taken by one message alone
            message = sign_message(
                self._numbering.build_message(
                    body,
                    now=now(),
                    recipient=recipient,
                    run=run,
                    priority=priority,
                    correlation=correlation,
                ),
                self.keys,
            )
            try:
                await self.messages.send(message)
            except PortFailure:
                self._numbering.begin_series()
                raise
            self._numbering.confirm(message)
            return message

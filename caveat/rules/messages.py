"""Messages: who wrote them, how they are numbered, and when they are tried again."""

import datetime as dt
import hashlib
import hmac
import json
from dataclasses import dataclass, field
from typing import Protocol

from caveat.contracts.base import Contract
from caveat.contracts.message import COORDINATOR, TTL, Message, Priority, is_coordinator


@dataclass
class Numbering:
    """One series of one sender."""

    # A number is taken when its message is confirmed and not before: what was refused leaves no
    # gap.

    sender: str
    series: str  # a name that no other series of this sender has
    _taken: dict[tuple[str, Priority], int] = field(default_factory=dict)
    _doubts: int = 0

    def build_message(  # each is an attribute of a message
        self,
        body: Contract,
        *,
        now: dt.datetime,
        recipient: str | None = None,
        priority: Priority = Priority.NORMAL,
        run: str | None = None,
        correlation: str | None = None,
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
                "priority": priority,
                "series": series,
                "number": number,
                "run": run,
                "correlation": correlation,
                "time": now,
                "expires": now + TTL,
                "data": body,
            }
        )

    def begin_series(self) -> None:
        """Begin another series, because nobody knows whether the last message was accepted."""
        # Were its number and id given to another message, whoever has the first would suppress the
        # second as the same.
        self._doubts += 1
        self._taken.clear()

    def confirm(self, message: Message) -> None:
        """Go on with the number after that of a message that was accepted."""
        to = message.recipient or "*"
        key = (to, message.priority)
        self._taken[key] = max(self._taken.get(key, 0), message.number)


LADDER_S = (1.0, 2.0, 4.0)
"""Seconds before each further attempt, as of every task: a fault that outlives 7 s needs more than
the same message once more."""

ATTEMPTS = len(LADDER_S) + 1  # the first one, and one after each rung; then the message is dead

MOST_WAITING = 1_000
"""Messages that wait for one agent at most: whoever is so far behind is better told by its senders'
failures than by a backlog. The next one is refused to its sender, and none is dropped for it."""


def compute_delay(failures: int) -> float | None:
    """Return the seconds until the next attempt after so many failures; None after the last."""
    return LADDER_S[failures - 1] if 0 < failures < ATTEMPTS else None


_EVERYBODY = "*"


class Keys(Protocol):
    """Knows the keys that one side may use."""

    def find_key(self, agent: str | None) -> bytes | None:
        """Return the key shared with an agent, None for everybody; None where it is not known."""


@dataclass(frozen=True)
class MessageKeys:
    agent: str
    own: bytes  # shared with the coordinator
    everybody: bytes  # shared with every agent

    @classmethod
    def read(cls, agent: str, text: str) -> "MessageKeys":
        """Read what `caveat admin agent-key` printed."""
        own, colon, everybody = text.strip().partition(":")
        if not colon:
            raise ValueError("it must be two hexadecimal numbers with a colon between them")
        return cls(agent, bytes.fromhex(own), bytes.fromhex(everybody))

    def find_key(self, agent: str | None) -> bytes | None:
        """See `Keys`; of other agents it knows none."""
        if agent is None:
            return self.everybody
        return self.own if agent == self.agent or is_coordinator(agent) else None


@dataclass(frozen=True)
class MasterKey:
    """The coordinator's key, from which all others follow."""

    master: bytes

    def find_key(self, agent: str | None) -> bytes | None:
        """See `Keys`."""
        return derive_key(self.master, agent)

    @property
    def name(self) -> str:
        """The name of the coordinator that has this key; it does not reveal it."""
        return f"{COORDINATOR}-{derive_key(self.master, COORDINATOR).hex()[:12]}"

    def format_keys(self, agent: str) -> str:
        """Write the keys of an agent as `MessageKeys.read` reads them."""
        return f"{derive_key(self.master, agent).hex()}:{derive_key(self.master, None).hex()}"


def derive_key(master: bytes, agent: str | None) -> bytes:
    return hmac.digest(master, b"agent\0" + (agent or _EVERYBODY).encode(), hashlib.sha256)


def sign_message(message: Message, keys: Keys) -> Message:
    """Sign a message; without its key it stays unsigned, and its receiver will refuse it."""
    key = keys.find_key(_find_key_holder(message))
    if key is None:
        return message
    return message.model_copy(update={"signature": _compute_signature(message, key)})


def is_signed(message: Message, keys: Keys) -> bool:
    """Say whether a message was written by whom it names, as far as a receiver's keys tell."""
    key = keys.find_key(_find_key_holder(message))
    return key is not None and hmac.compare_digest(
        _compute_signature(message, key), message.signature
    )


def _find_key_holder(message: Message) -> str | None:
    """The agent whose key signs it: of two, the one that is not the coordinator."""
    return message.recipient if is_coordinator(message.sender) else message.sender


def _compute_signature(message: Message, key: bytes) -> str:
    # Everything but the signature and what a resend counts, with sorted keys: one text a message.
    facts = message.model_dump(mode="json", exclude={"signature", "resent"}, exclude_none=True)
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()

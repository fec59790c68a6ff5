"""Signatures of messages: an agent shares its key with the coordinator, and with nobody else.

The coordinator derives every agent's key from one of its own. It signs what it sends with the key
of the recipient, and what it sends to everybody with a key that all agents have: such a broadcast
proves that it came from one of them or from the coordinator, and no more.
"""

import hashlib
import hmac
import json
from dataclasses import dataclass
from typing import Protocol

from caveat.contracts.message import COORDINATOR, Message, is_coordinator

_EVERYBODY = "*"


class Keys(Protocol):
    """Knows the keys that one side may use."""

    def key(self, agent: str | None) -> bytes | None:
        """Return the key shared with an agent, None for everybody; None where it is not known."""


@dataclass(frozen=True)
class MessageKeys:
    """The keys of an agent.

    Attributes:
        agent: its name.
        own: shared with the coordinator.
        everybody: shared with every agent.
    """

    agent: str
    own: bytes
    everybody: bytes

    @classmethod
    def read(cls, agent: str, text: str) -> "MessageKeys":
        """Read what `caveat messages key` printed.

        Raises:
            ValueError: it is no such text.
        """
        own, colon, everybody = text.strip().partition(":")
        if not colon:
            raise ValueError("it must be two hexadecimal numbers with a colon between them")
        return cls(agent, bytes.fromhex(own), bytes.fromhex(everybody))

    def key(self, agent: str | None) -> bytes | None:
        """See `Keys`; of other agents it knows none."""
        if agent is None:
            return self.everybody
        return self.own if agent == self.agent or is_coordinator(agent) else None


@dataclass(frozen=True)
class MasterKey:
    """The coordinator's key, from which all others follow."""

    master: bytes

    def key(self, agent: str | None) -> bytes | None:
        """See `Keys`."""
        return key_of(self.master, agent)

    @property
    def name(self) -> str:
        """The name of the coordinator that has this key; it does not reveal it."""
        return f"{COORDINATOR}-{key_of(self.master, COORDINATOR).hex()[:12]}"

    def printed(self, agent: str) -> str:
        """Write the keys of an agent as `MessageKeys.read` reads them."""
        return f"{key_of(self.master, agent).hex()}:{key_of(self.master, None).hex()}"


def key_of(master: bytes, agent: str | None) -> bytes:
    """Derive the key of an agent, or the one that everybody has."""
    return hmac.digest(master, b"agent\0" + (agent or _EVERYBODY).encode(), hashlib.sha256)


def signed(message: Message, keys: Keys) -> Message:
    """Sign a message; without its key it stays unsigned, and its receiver will refuse it."""
    key = keys.key(_shared_with(message))
    if key is None:
        return message
    return message.model_copy(update={"signature": _digest(message, key)})


def holds(message: Message, keys: Keys) -> bool:
    """Say whether a message was written by whom it names, as far as a receiver's keys tell."""
    key = keys.key(_shared_with(message))
    return key is not None and hmac.compare_digest(_digest(message, key), message.signature)


def _shared_with(message: Message) -> str | None:
    """The agent whose key signs it: of two, the one that is not the coordinator."""
    return message.recipient if is_coordinator(message.sender) else message.sender


def _digest(message: Message, key: bytes) -> str:
    # Everything but the signature and what a resend counts, with sorted keys: one text a message.
    facts = message.model_dump(mode="json", exclude={"signature", "resent"}, exclude_none=True)
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()

"""Messages: who wrote them, how they are numbered, and when they are tried again."""

from caveat.rules.messages.delivery import ATTEMPTS, LADDER_S, MOST_WAITING, Numbering, delay
from caveat.rules.messages.signing import Keys, MasterKey, MessageKeys, holds, signed

__all__ = [
    "ATTEMPTS",
    "LADDER_S",
    "MOST_WAITING",
    "Keys",
    "MasterKey",
    "MessageKeys",
    "Numbering",
    "delay",
    "holds",
    "signed",
]

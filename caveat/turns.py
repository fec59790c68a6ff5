"""Turns: the model calls of one task, each of which is an activity of its own.

A task whose first answer must be mended needs another call. The subagent does not make it: it says
so, and the coordinator gives the task out again, for one more turn. Earlier answers are kept, so
that the same task begins where it was and pays for the new call alone.
"""

from contextvars import ContextVar

from caveat.contracts.base import Contract
from caveat.contracts.envelope import Usage


class Turns(Contract):
    """Which turn of a task this is, and whether it is the last that the task may take."""

    number: int = 1
    last: bool = True


class AnotherTurn(Exception):
    """A task needs one more model call than its turn allows.

    Args:
        usage: what this turn has spent.
    """

    def __init__(self, usage: Usage) -> None:
        super().__init__("The answer must be mended, which takes another turn.")
        self.usage = usage


CURRENT: ContextVar[Turns | None] = ContextVar("turn", default=None)
"""The turn that runs in this context; None outside the activities, where nobody counts."""

"""A question to a model: what is asked, for what, and within which bounds."""

from dataclasses import dataclass
from enum import StrEnum
from math import ceil
from typing import Generic, TypeVar

from pydantic import BaseModel

from caveat.adapters.claude.messages.problems import Purpose
from caveat.contracts.tasks import Task

M = TypeVar("M", bound=BaseModel)

SEARCH_RESULTS = 25_000
"""Tokens that one web search puts into its model's prompt: ten results of a long passage each have
about 20,000."""


class Effort(StrEnum):
    """How much a model is to think before it answers."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    @property
    def room(self) -> int:
        """Tokens that thinking may take beside what is said."""
        return {Effort.LOW: 4_000, Effort.MEDIUM: 8_000, Effort.HIGH: 24_000}[self]


def least_room(room: int) -> int:
    """Return the tokens that an answer can do with: rooms are four to ten times what is said."""
    return ceil(room / 4)


@dataclass(frozen=True)
class Bounds:
    """The bounds of one role."""

    # seconds for a whole task, its second turn included. Shorter than the activity's start-to-close
    # in `workflows/options.py`, so that a slow answer ends as a timeout with its usage and not as a
    # lost worker.
    deadline_s: float
    room: int  # tokens of what is said; asked for again with more where it is not enough
    # how much is thought before, where the model can; None for not at all
    effort: Effort | None = None

    @property
    def most(self) -> int:
        """Tokens of an answer at most, thinking included."""
        return self.room + (self.effort.room if self.effort else 0)


@dataclass(frozen=True)
class Question(Generic[M]):
    """One task of one role."""

    task: Task  # of the role; says how many turns may be taken
    purpose: Purpose  # what the call is for, as its failures name it
    system: str
    content: str
    answer: type[M]
    bounds: Bounds
    # what stands before the task and is asked about more than once, so that servers cache it; empty
    # for nothing
    shared: str = ""

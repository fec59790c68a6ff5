"""A role: how a model is asked for one kind of work.

Whoever adds a role writes its file, its activity in `activities/reasoning.py`, and its policy in
`workflows/options.py`.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from math import ceil
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel

from caveat.contracts.phase import RateCard, Step
from caveat.contracts.plan import ReasonerCard
from caveat.contracts.source import Snapshot
from caveat.contracts.tasks import Task
from caveat.ports import Answer

A = TypeVar("A", bound=Task)
V = TypeVar("V")
M = TypeVar("M", bound=BaseModel)

OPUS = "claude-opus-5-5"
"""The most able: for what a run does once, and what decides what everything else is worth."""

SONNET = "claude-sonnet-5-5"
"""At half its price: for what is done for every source or claim, and what decides nothing."""


class Effort(StrEnum):
    """How much a model is to think before it answers."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    @property
    def room(self) -> int:
        """Tokens that thinking may take beside what is said."""
        return {Effort.LOW: 4_000, Effort.MEDIUM: 8_000, Effort.HIGH: 24_000}[self]


def compute_least_room(room: int) -> int:
    """Return the tokens that an answer can do with: rooms are four to ten times what is said."""
    return ceil(room / 4)


@dataclass(frozen=True)
class Bounds:
    # seconds for a whole task, its second turn included. Shorter than the role's start-to-close, so
    # that a slow answer ends as a timeout with its usage and not as a lost worker.
    deadline_s: float
    room: int  # tokens of what is said; asked for again with more where it is not enough
    # how much is thought before, where the model can; None for not at all
    effort: Effort | None = None

    @property
    def most(self) -> int:
        """Tokens of an answer at most, thinking included."""
        return self.room + (self.effort.room if self.effort else 0)


@dataclass(frozen=True)
class ModelSettings:
    """Which model is called, with which instructions and within which bounds."""

    name: str  # of the work, as settings, prices and reports say it
    # of whoever does it, as failures say it; the Markdown file of this name has the instructions
    agent: str
    model: str  # who does it unless settings name another
    bounds: Bounds
    # of a run that its calls are booked for; None where another one's stand for them
    step: Step | None = None
    searches: int = 0  # of the web that the server makes for one call

    @property
    def instructions(self) -> str:
        """The same for every task of the role, byte for byte, so that servers cache them."""
        return read_prompt(self.agent)


OnPartial = Callable[[Any, float], None]
"""Told what was found so far, and the share of the work that is done, 0 to 1; that survives when
the call does not."""

NO_TEXT = Snapshot(text="")


def ignore(partial: Any, share: float) -> None:
    """Keep nothing of what was found so far."""


@dataclass(frozen=True)
class Question(Generic[M]):
    """What a model is asked, and what its answer is held against."""

    task: Task  # of the role; says how many calls it may take, and how many tokens each answer
    about: str  # a topic or a title, by which its failures name it
    content: str
    answer: type[M]
    # what code finds wrong with an answer that fits its schema, which is returned once; or nothing
    find_objection: Callable[[M], str | None] = lambda _: None
    shared: str = ""  # what stands before the content and is asked about again, for servers' caches
    settings: ModelSettings | None = None  # of another call that belongs to the role
    agent: str = ""  # who is named where it fails, if not that of the settings
    own: str = ""  # instructions of whoever plays the role, behind those of the role


@dataclass(frozen=True)
class LanguageModel(ABC):
    """A model that plays a role in one task."""

    text: Snapshot  # of the source that the task is about, if it is about one
    on_partial: OnPartial
    longest: int | None  # characters of a prompt that its server reads whole; None if not known

    @abstractmethod
    async def ask(self, question: Question[M]) -> Answer[tuple[M, ...]]:
        """Return every answer that fits its schema, at least one, the best one last."""


class Reasoner(Protocol):
    """Plans, reads for meaning and writes; with a language model or without.

    A task says how many calls it may take, and how many tokens each answer.
    """

    @property
    def card(self) -> ReasonerCard:
        """Who this is, as every report states it."""

    async def rate_card(self) -> RateCard:
        """What a call of each role takes at most; nothing of roles that call no model."""

    async def ask(
        self, role: "Role[A, V]", task: A, text: Snapshot = NO_TEXT, on_partial: OnPartial = ignore
    ) -> Answer[V]:
        """Do a task of a role, with the text of the source that it is about, if any."""


@dataclass(frozen=True)
class Role(Generic[A, V]):
    """What a reasoner is asked to do; see `Reasoner.ask`."""

    name: str  # of its activity
    settings: ModelSettings
    # how a language model does it
    play: Callable[[A, LanguageModel], Awaitable[Answer[V]]]
    # what there is without a language model; None where nothing is
    without_model: Callable[[A], V] | None = None


@cache
def read_prompt(agent: str) -> str:
    return resources.files(__package__).joinpath(f"{agent}.md").read_text("utf-8")

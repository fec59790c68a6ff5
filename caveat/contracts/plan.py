"""The request, what can be searched for it, and the plan that is made of both."""

import datetime as dt
import re
from enum import StrEnum
from typing import Annotated

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BeforeValidator,
    Field,
    StringConstraints,
    field_validator,
)
from pydantic_core import PydanticCustomError

from caveat.contracts.backend import Backend, ReasonerName
from caveat.contracts.base import Contract, Count, Share
from caveat.contracts.contradiction import LateRuling
from caveat.contracts.envelope import Failure
from caveat.contracts.message import Priority
from caveat.contracts.source import SourceRef, Unread

TOPIC_LIMIT = 2_000  # characters. A question, not a document: longer input belongs in a corpus.
MOST_SOURCES = 1_000  # of a run: the largest size that was tried (docs/overhead.md)
MOST_TURNS = 5  # calls that one task may take at most, whatever a request says: more is a loop

MOST_ANGLES = 8  # of a plan
MOST_QUESTIONS = 3  # that a planner asks: who is asked more leaves


class Depth(StrEnum):
    """How much a run reads."""

    OVERVIEW = "overview"
    DEEP = "deep"
    EXHAUSTIVE = "exhaustive"


class Format(StrEnum):
    """The formats that a report is written in."""

    MARKDOWN = "md"
    PDF = "pdf"
    JSON = "json"
    HTML = "html"
    WORD = "docx"
    BIB = "bib"  # the sources, as BibTeX
    CSV = "csv"  # the table of documents
    TABLE = "table.md"  # the same, as Markdown


_TYPED_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*([smhdSMHD])")
UNIT_S = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def _read_duration(value: object) -> object:
    """Parse `90s`, `10m` or `6h`; other values stay."""
    typed = _TYPED_DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
    return float(typed[1]) * UNIT_S[typed[2].lower()] if typed else value


Duration = Annotated[dt.timedelta, BeforeValidator(_read_duration)]


def _require_span(span: dt.timedelta) -> dt.timedelta:
    if not dt.timedelta(seconds=1) <= span <= dt.timedelta(days=30):
        raise PydanticCustomError("span", "must be from 1s to 30d")
    return span


Span = Annotated[Duration, AfterValidator(_require_span)]
"""Thirty days: who waits longer has forgotten the run, or mistaken a unit."""


def _split_formats(value: object) -> object:
    """Split comma-separated formats, each once."""
    names = [each.strip().lower() for each in value.split(",")] if isinstance(value, str) else value
    return tuple(dict.fromkeys(names)) if isinstance(names, list | tuple) else names


Formats = Annotated[tuple[Format, ...], BeforeValidator(_split_formats), Field(min_length=1)]

MOST_CALLS, MOST_TOKENS, MOST_USD = 1_000_000, 10**12, 1_000_000.0
"""A larger bound is a mistaken unit."""


class Budget(Contract):
    """Bounds of a run; None means no bound.

    A share of each is reserved for the synthesis, so that a run that reaches one still reports.
    """

    turns: int | None = Field(default=None, ge=1, le=MOST_TURNS)  # of one task; 1 mends no answer
    model_calls: int | None = Field(default=None, ge=1, le=MOST_CALLS)  # to a language model
    tokens: int | None = Field(default=None, ge=1, le=MOST_TOKENS)  # input and output tokens
    # US dollars; a model whose price is not known stops the run's model calls
    cost_usd: float | None = Field(
        default=None,
        gt=0,
        le=MOST_USD,
        allow_inf_nan=False,
        description="Spend at most so many US dollars on language models.",
    )


class Grant(Contract):
    """Proof that folders were named by somebody who can read the state folder of the worker.

    Anyone who reaches a Temporal server can start runs on it. A worker opens other folders than its
    own only for a run with such a grant.
    """

    run_id: str  # the run that it is for; revisions of its report, which it starts itself, included
    folders: tuple[str, ...]  # absolute folders
    topic: str = ""  # that may be asked of them, and no other; empty in old ones: opens nothing
    signature: str  # HMAC-SHA256 of these, hexadecimal


class ResearchRequest(Contract):
    """What a person asks for; only the topic is required."""

    # What people set has a description: every face says it (`caveat.clients.options`).
    topic: str = Field(
        min_length=1,
        max_length=TOPIC_LIMIT,
        description="The question; quotation marks keep its signs.",
    )
    # on the worker's machine; none for the worker's own; others than its own need a grant
    corpus: tuple[str, ...] = Field(
        default=(), description="A folder of documents, or a document; may be repeated."
    )
    depth: Depth = Field(default=Depth.DEEP, description="How much to read")
    team: str = Field(default="general", description="Who works on it, by the name of a team file.")
    formats: Formats = Field(
        default=(Format.MARKDOWN, Format.PDF, Format.JSON), description="What to write, with commas"
    )
    max_sources: int | None = Field(default=None, ge=1, le=MOST_SOURCES)  # of the whole run
    arbitration_timeout: Span = dt.timedelta(hours=6)  # for a person to settle a contradiction
    approve_plan: bool = Field(
        default=False, description="Have a person approve the plan before anything is looked for."
    )
    approval_timeout: Span = dt.timedelta(hours=24)  # then the run ends by name
    # as ISO 639-1 has it; None for the question's. Quotes stay as they are
    language: str | None = Field(
        default=None,
        pattern="^[a-z]{2}$",
        description="Language of the prose, such as de, if not the question's.",
    )
    critical: tuple[str, ...] = ()  # their titles, besides the team's own
    budget: Budget = Budget()  # what the run may spend
    # None waits for all; what is left behind is named as late
    deadline: Span | None = Field(
        default=None,
        description="Leave stragglers behind after so long, such as 10m, if enough is found.",
    )
    follow_up_of: str | None = None  # the run whose failures are tried again
    asked_of: str | None = None  # the run to whose kept evidence one more question is put
    searches: bool = False
    retry_all: bool = False  # whether a follow-up also tries what is not likely to work now
    schedule: str | None = None  # which starts it, so that its report says what changed
    rulings: tuple[LateRuling, ...] = ()  # that came too late for the run; nothing is tried again
    grant: Grant | None = None  # who named the folders
    priority: Priority = Priority.NORMAL  # among runs of the same workers
    reasoner: ReasonerName | None = None  # None for that of the worker that begins
    backend: Backend | None = None  # where it is decided, which commands do and no person

    @field_validator("corpus")
    @classmethod
    def _named(cls, corpus: tuple[str, ...]) -> tuple[str, ...]:
        # An empty path is the current folder to every file system, and to nobody who types it.
        if not all(folder.strip() for folder in corpus):
            raise PydanticCustomError("unnamed_folder", "a corpus must have a name")
        return corpus

    @field_validator("topic", mode="before")
    @classmethod
    def _trimmed(cls, topic: object) -> object:
        if not isinstance(topic, str):
            return topic
        words = topic.split()
        # Nobody sees controls and formats: a topic of them alone is empty.
        return " ".join(words) if any(map(str.isprintable, "".join(words))) else ""


class Assignment(Contract):
    id: str  # `a1`, `a2`, ... in plan order.
    title: str = Field(min_length=1, max_length=200)  # the section's title
    question: str = Field(min_length=1, max_length=TOPIC_LIMIT)  # what its subagents try to answer
    queries: tuple[str, ...] = Field(min_length=1, max_length=4)  # searches, best first
    critical: bool = False  # whether the run fails without it
    instructions: str = Field(default="", max_length=2_000)  # the specialist's own
    agent: str | None = None  # the agent that it goes to by message; None for Caveat's own
    patience_s: float = Field(default=3_600.0, gt=0, le=86_400)  # of silence at most
    sources: int | None = Field(default=None, ge=1, le=50)  # None leaves it to the depth
    claims: int | None = Field(default=None, ge=1, le=20)  # of one source; None as above

    @property
    def is_elsewhere(self) -> bool:
        """Whether an agent outside Caveat carries it out."""
        return self.agent is not None


class QuorumPolicy(Contract):
    """How many assignments must bring something, and what a missing one costs."""

    minimum_share: float = Field(gt=0, le=1)  # share of the assignments, 0 to 1, rounded up
    penalty: Share  # confidence that each missing assignment takes away


class ReasonerCard(Contract):
    """Who reasons in this run, as every report states it."""

    name: str  # short name, for example `extractive`
    disclosure: str  # one sentence about what it can and cannot do
    uses_language_model: bool  # whether any text came from a language model
    models: tuple[str, ...] = ()  # that answered, in alphabetical order; on the card of a plan none


class Answerers(Contract):
    """The reasoners and models behind a report."""

    models: tuple[str, ...] = ()  # language models
    with_model: tuple[str, ...] = ()  # reasoners that were answered by one
    without_model: tuple[str, ...] = ()  # reasoners that answered without one

    def __add__(self, other: "Answerers") -> "Answerers":
        """Merge two, each name once, in alphabetical order."""
        merged = {name: tuple(sorted({*names, *getattr(other, name)})) for name, names in self}
        return Answerers(**merged)


_Trimmed = StringConstraints(strip_whitespace=True, min_length=1)
Question = Annotated[str, _Trimmed, Field(max_length=TOPIC_LIMIT)]
PlannersQuestion = Annotated[str, _Trimmed, Field(max_length=180)]
PersonsAnswer = Annotated[str, StringConstraints(strip_whitespace=True, max_length=300)]
"""Every angle minds it, with its question."""


class Plan(Contract):
    assignments: tuple[Assignment, ...] = Field(min_length=1, max_length=MOST_ANGLES)
    reasoner: ReasonerCard
    quorum: QuorumPolicy
    debate: bool = False  # whether its team has what was found debated before anything is written
    # what only a person can tell; asked where a person approves the plan
    questions: tuple[PlannersQuestion, ...] = Field(default=(), max_length=MOST_QUESTIONS)


class Proposal(Contract):
    """A plan that waits for a person, until when, UTC."""

    plan: Plan
    deadline: AwareDatetime


class Approval(Contract):
    """A person's decision on a plan; an empty one approves it as it is."""

    drop: tuple[str, ...] = ()  # ids of angles to leave out
    edit: dict[str, Question] = Field(default={}, max_length=MOST_ANGLES)  # questions by angle's id
    add: tuple[Question, ...] = Field(default=(), max_length=MOST_ANGLES)  # further questions
    answers: tuple[PersonsAnswer, ...] = Field(default=(), max_length=MOST_QUESTIONS)  # in order
    by: str | None = Field(default=None, min_length=1, max_length=200)  # their own name


class BrokenDocument(Contract):
    path: str
    failure: Failure


LISTED = 100  # documents whose titles a planner is shown: some 2,000 tokens, and 30 KB of history


class Inventory(Contract):
    """What a corpus holds, as a worker that may open it says."""

    corpus: tuple[str, ...]  # absolute folders that will be searched, in order
    documents: Count  # documents that can be searched
    languages: tuple[str, ...] = ()  # of these documents, in order of the alphabet
    broken: tuple[BrokenDocument, ...] = ()  # documents that cannot be read
    unread: tuple[Unread, ...] = ()  # files that were not looked at
    beyond: bool = False  # whether there is more to search, as the web
    grant: Grant | None = None  # lets every worker of this user open these folders for the run
    # search engines that each query is put to, best first among equals; none for an unnamed one
    engines: tuple[str, ...] = ()
    reasoner: ReasonerCard | None = None  # of the worker that took stock
    events: bool = False  # whether the run's events are published to a broker
    listed: tuple[SourceRef, ...] = ()  # the first `LISTED` by path, for a planner
    backend: Backend | None = None  # who took stock, and works on undecided runs

"""Teams as their files describe them: the specialists, and the quorum that they are held to."""

from typing import Annotated, Self

from pydantic import AfterValidator, Field, StringConstraints, field_validator, model_validator

from caveat.contracts.base import Contract
from caveat.contracts.claim import FigureKind
from caveat.contracts.message import AgentName
from caveat.contracts.plan import QuorumPolicy

PLACEHOLDER = "{topic}"
"""Stands for the run's topic in briefs and queries."""

SPECIALISTS = 8
"""Specialists at most: a plan holds no more assignments."""

_NAME = 60
"""Characters of a name: people type it."""

_TITLE = 200
"""Characters of a title, as of any assignment's."""

_BRIEF = 1_000
"""Characters of a brief: half of what a question may have, the other half is the topic's."""

_INSTRUCTIONS = 1_500
"""Characters of a specialist's own instructions: as many as half of what every analyst is told, and
paid for with each source."""

_QUERY = 200
"""Characters of a query: some thirty words, of which a search reads no more."""


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _plain(text: str) -> str:
    if "{" in text or "}" in text:
        raise ValueError(
            f"cannot hold a placeholder such as {PLACEHOLDER}: that is for briefs and queries"
        )
    return text


def _filled_by_the_topic(text: str) -> str:
    rest = text.replace(PLACEHOLDER, "")
    if "{" in rest or "}" in rest:
        raise ValueError(f"has an unknown placeholder: {PLACEHOLDER} is the only one")
    return text


def _words(limit: int) -> StringConstraints:
    return StringConstraints(strip_whitespace=True, min_length=1, max_length=limit)


_OneLine = AfterValidator(_one_line)
_Plain = AfterValidator(_plain)
_Filled = AfterValidator(_filled_by_the_topic)

Name = Annotated[str, _words(_NAME), _OneLine, _Plain]
Title = Annotated[str, _words(_TITLE), _OneLine, _Plain]
Brief = Annotated[str, _words(_BRIEF), _OneLine, _Filled]
Instructions = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=_INSTRUCTIONS), _Plain
]
Query = Annotated[str, _words(_QUERY), _OneLine, _Filled]


class Specialist(Contract):
    """One member of a team, who works on one assignment.

    Attributes:
        name: one word that people type, for example `financial`.
        title: the angle in a few words; becomes the section's title.
        brief: what the specialist tries to answer; `{topic}` stands for the topic.
        queries: searches to begin with, best first; `{topic}` stands for the topic.
        critical: whether the run fails without this specialist.
        instructions: the specialist's own, for a language model that reads for it.
        figures: kinds of figures that it looks for; its findings say which they state.
        needs_figure: whether only a finding that states one of them fills its critical seat.
        agent: the agent that takes this seat, where it lives elsewhere (docs/messages.md).
        patience: seconds without a word after which that agent counts as silent.
    """

    name: Name
    title: Title
    brief: Brief
    queries: tuple[Query, ...] = Field(min_length=1, max_length=4)
    critical: bool = Field(default=False, strict=True)
    instructions: Instructions = ""
    figures: tuple[FigureKind, ...] = ()
    needs_figure: bool = Field(default=False, strict=True)
    agent: AgentName | None = None
    patience: float = Field(default=3_600.0, gt=0, le=86_400)

    @model_validator(mode="after")
    def _needs_what_it_can_have(self) -> Self:
        if self.needs_figure and not (self.figures and self.critical):
            raise ValueError("needs_figure is for a critical specialist with figures of its own")
        return self


class Team(Contract):
    """Who works on a run, and the quorum that they are held to.

    Attributes:
        quorum: how many assignments must bring something, and what a missing one costs.
        specialists: one assignment each, in this order; with none, the planner finds the angles.
    """

    quorum: QuorumPolicy
    specialists: tuple[Specialist, ...] = Field(default=(), max_length=SPECIALISTS)

    @field_validator("specialists")
    @classmethod
    def _told_apart(cls, specialists: tuple[Specialist, ...]) -> tuple[Specialist, ...]:
        taken: set[str] = set()
        for specialist in specialists:
            own = {same(specialist.name), same(specialist.title)}
            if not taken.isdisjoint(own):
                raise ValueError(
                    f"has “{specialist.name}” ({specialist.title}) with a name or title that "
                    "another one has"
                )
            taken |= own
        return specialists


def same(name: str) -> str:
    """Return what two spellings of a name have in common: case and white space do not count."""
    return _one_line(name).casefold()

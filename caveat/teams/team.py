"""Teams as their files describe them: specialists, the quorum, and the assignments that follow.

A mistake in a file becomes one sentence that names file and field.
"""

from collections.abc import Sequence
from typing import Annotated, Self

from pydantic import AfterValidator, Field, StringConstraints, field_validator, model_validator

from caveat.contracts.base import Contract
from caveat.contracts.claim import FigureKind
from caveat.contracts.message import AgentName
from caveat.contracts.plan import TOPIC_LIMIT, Assignment, QuorumPolicy
from caveat.failures import PortFailure, invalid
from caveat.rules.lines import collapse_spaces, shorten

PLACEHOLDER = "{topic}"  # stands for the run's topic in briefs and queries
SPECIALISTS = 8  # specialists at most: a plan holds no more assignments
_NAME = 60  # characters of a name: people type it
_TITLE = 200  # characters of a title, as of any assignment's

_BRIEF = 1_000
"""Characters of a brief: half of what a question may have, the other half is the topic's."""

_INSTRUCTIONS = 1_500
"""Characters of a specialist's own instructions: as many as half of what every analyst is told, and
paid for with each source."""

_QUERY = 200  # characters of a query: some thirty words, of which a search reads no more


def _reject_placeholders(text: str) -> str:
    if "{" in text or "}" in text:
        raise ValueError(
            f"cannot contain a placeholder such as {PLACEHOLDER}: only briefs and queries can"
        )
    return text


def _check_placeholders(text: str) -> str:
    rest = text.replace(PLACEHOLDER, "")
    if "{" in rest or "}" in rest:
        raise ValueError(f"has an unknown placeholder: {PLACEHOLDER} is the only one")
    return text


def _limit_length(limit: int) -> StringConstraints:
    return StringConstraints(strip_whitespace=True, min_length=1, max_length=limit)


_OneLine = AfterValidator(collapse_spaces)
_Plain = AfterValidator(_reject_placeholders)
_Filled = AfterValidator(_check_placeholders)

Name = Annotated[str, _limit_length(_NAME), _OneLine, _Plain]
Title = Annotated[str, _limit_length(_TITLE), _OneLine, _Plain]
Brief = Annotated[str, _limit_length(_BRIEF), _OneLine, _Filled]
Instructions = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=_INSTRUCTIONS), _Plain
]
Query = Annotated[str, _limit_length(_QUERY), _OneLine, _Filled]


class Specialist(Contract):
    name: Name  # one word that people type, for example `financial`
    title: Title  # the angle in a few words; becomes the section's title
    brief: Brief  # what the specialist tries to answer; `{topic}` stands for the topic
    # searches to begin with, best first; `{topic}` stands for the topic
    queries: tuple[Query, ...] = Field(min_length=1, max_length=4)
    # whether the run fails without this specialist
    critical: bool = Field(default=False, strict=True)
    instructions: Instructions = ""  # the specialist's own, for a language model that reads for it
    # kinds of figures that it looks for; its findings say which they state
    figures: tuple[FigureKind, ...] = ()
    # whether a critical specialist counts only with a finding that states one of them
    needs_figure: bool = Field(default=False, strict=True)
    # the agent that does its work, reached by messages (docs/messages.md)
    agent: AgentName | None = None
    # seconds without a word after which it counts as silent
    patience: float = Field(default=3_600.0, gt=0, le=86_400)

    @model_validator(mode="after")
    def _needs_what_it_can_have(self) -> Self:
        if self.needs_figure and not (self.figures and self.critical):
            raise ValueError("needs_figure is for a critical specialist with figures of its own")
        return self


class Team(Contract):
    quorum: QuorumPolicy  # how many assignments must bring something, and what a missing one costs
    # whether three participants of a language model examine the claims before anything is written;
    # two of them are its quorum
    debate: bool = Field(default=False, strict=True)
    # one assignment each, in this order; with none, the planner finds the angles
    specialists: tuple[Specialist, ...] = Field(default=(), max_length=SPECIALISTS)

    @field_validator("specialists")
    @classmethod
    def _told_apart(cls, specialists: tuple[Specialist, ...]) -> tuple[Specialist, ...]:
        taken: set[str] = set()
        for specialist in specialists:
            own = {normalise_name(specialist.name), normalise_name(specialist.title)}
            if not taken.isdisjoint(own):
                raise ValueError(
                    f"has “{specialist.name}” ({specialist.title}) with a name or title that "
                    "another one has"
                )
            taken |= own
        return specialists


def normalise_name(name: str) -> str:
    return collapse_spaces(name).casefold()


_TOPIC_OF_QUERY = 200
"""Characters of the topic in a query: some thirty words, and searches read no more."""


def build_assignments(team: Team, topic: str) -> tuple[Assignment, ...]:
    return tuple(
        _build_assignment(specialist, topic, number)
        for number, specialist in enumerate(team.specialists, start=1)
    )


def mark_critical(
    assignments: Sequence[Assignment], wanted: Sequence[str], team: Team
) -> tuple[Assignment, ...]:
    """Mark the assignments that a request calls critical, in addition to the team's own.

    Args:
        assignments: of the plan, in the order of the specialists.
        wanted: titles or names of specialists, in any case.
    """
    called = [{normalise_name(assignment.title)} for assignment in assignments]
    for names, specialist in zip(called, team.specialists, strict=False):
        names.add(normalise_name(specialist.name))
    for name in wanted:
        if not any(normalise_name(name) in names for names in called):
            raise _build_unknown_member(name, assignments, team)
    keys = {normalise_name(name) for name in wanted}
    return tuple(
        assignment if keys.isdisjoint(names) else assignment.model_copy(update={"critical": True})
        for assignment, names in zip(assignments, called, strict=True)
    )


def _build_assignment(specialist: Specialist, topic: str, number: int) -> Assignment:
    brief = specialist.brief
    times = max(1, brief.count(PLACEHOLDER))
    room = (TOPIC_LIMIT - len(brief)) // times
    subject = shorten(topic.rstrip(" ?!.") or topic, _TOPIC_OF_QUERY)
    return Assignment(
        id=f"a{number}",
        title=specialist.title,
        question=brief.replace(PLACEHOLDER, shorten(topic, room)),
        queries=tuple(query.replace(PLACEHOLDER, subject) for query in specialist.queries),
        critical=specialist.critical,
        instructions=specialist.instructions,
        figures=specialist.figures,
        needs_figure=specialist.needs_figure,
        agent=specialist.agent,
        patience_s=specialist.patience,
    )


def _build_unknown_member(name: str, assignments: Sequence[Assignment], team: Team) -> PortFailure:
    if team.specialists:
        subject = f"No specialist is called “{name}”"
        there = [f"{member.name} ({member.title})" for member in team.specialists]
    else:
        subject = f"No angle of the plan is titled “{name}”"
        there = [f"“{assignment.title}”" for assignment in assignments]
    return invalid(f"{subject}; those that can be critical are: {', '.join(there)}.", resource=name)

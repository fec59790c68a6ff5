"""Teams as their files describe them: the specialists, and the quorum that they are held to.

A mistake in a file becomes one sentence that names file and field.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources.abc import Traversable
from textwrap import shorten
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    Field,
    StringConstraints,
    ValidationError,
    field_validator,
    model_validator,
)

from caveat.contracts.base import Contract
from caveat.contracts.claim import FigureKind
from caveat.contracts.message import AgentName
from caveat.contracts.plan import QuorumPolicy
from caveat.failures import PortFailure, invalid

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

_SENTENCE = 500
"""Characters that a failure's message may have; names and titles are of any length."""

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


def mistake(sentence: str, *, resource: str) -> PortFailure:
    """Name what is wrong in one sentence, cut where it is longer than a failure may say."""
    return invalid(shorten(sentence, _SENTENCE, placeholder=" …"), resource=resource)


_SUBJECT = re.compile(r"\A(?:Value error, |(?:Input|String|Tuple) (?=should))")


def read(file: Traversable) -> Team:
    """Read a team file.

    Raises:
        PortFailure: the file cannot be read, is not TOML, or does not describe a team.
    """
    data = _table(file)
    try:
        return Team.model_validate(data)
    except ValidationError as error:
        # A misspelt field is both unknown and missing, and the spelling is what helps.
        first = min(
            error.errors(include_url=False), key=lambda each: each["type"] != "extra_forbidden"
        )
        wrong = f"{_field(first['loc'], data)} {_complaint(first['type'], first['msg'])}"
        raise mistake(f"The team file {file} is wrong: {wrong}.", resource=str(file)) from None


def _table(file: Traversable) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_bytes().decode("utf-8"))
    except OSError as error:
        why = f"cannot be read: {error.strerror}"
    except UnicodeDecodeError:
        why = "is not text in UTF-8"
    except tomllib.TOMLDecodeError as error:
        why = f"is not valid TOML: {error}"
    raise mistake(f"The team file {file} {why}.", resource=str(file))


def _complaint(kind: str, message: str) -> str:
    """Say a validation error in the words of somebody who writes a team file."""
    match kind:
        case "missing":
            return "is missing"
        case "extra_forbidden":
            return "is no field of a team file"
        case "string_too_short" | "too_short":
            return "is empty"
        case "model_type" | "model_attributes_type":
            return "should be a table"
        case "tuple_type":
            return "should be a list"
        case _:
            # Pydantic begins with what it validates: "Input should", "Tuple should".
            said = _SUBJECT.sub("", message)
            return said[0].lower() + said[1:]


def _field(place: Sequence[int | str], data: Mapping[str, Any]) -> str:
    match place:
        case ["specialists", int(index), *rest]:
            who = _who(index, data["specialists"][index])
            return f"{_path(rest)} of {who}" if rest else who
        case _:
            return _path(place)


def _who(index: int, specialist: object) -> str:
    name = specialist.get("name") if isinstance(specialist, dict) else None
    return f"specialist “{name}”" if isinstance(name, str) and name else f"specialist {index + 1}"


def _path(place: Sequence[int | str]) -> str:
    """Write `("queries", 0)` as people count: `queries[1]`."""
    text = ""
    for part in place:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")

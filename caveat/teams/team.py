"""Teams as their files describe them: specialists, the quorum, and the assignments that follow.

A mistake in a file becomes one sentence that names file and field.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints, field_validator

from caveat.contracts.base import Contract
from caveat.contracts.message import AgentName
from caveat.contracts.plan import MOST_ANGLES, TOPIC_LIMIT, Assignment, QuorumPolicy
from caveat.failures import invalid
from caveat.rules.lines import collapse_spaces, shorten
from caveat.tables import read_table

PLACEHOLDER = "{topic}"  # stands for the run's topic in briefs and queries
_SUFFIX = ".toml"
_OneLine = AfterValidator(collapse_spaces)


def _limit_length(limit: int, least: int = 1) -> StringConstraints:
    return StringConstraints(strip_whitespace=True, min_length=least, max_length=limit)


class Specialist(Contract):
    # one word that people type, for example `financial`
    name: Annotated[str, _limit_length(60), _OneLine]
    title: Annotated[str, _limit_length(200), _OneLine]  # becomes the section's title
    # what the specialist tries to answer; half of a question's room, as the topic may take the rest
    brief: Annotated[str, _limit_length(1_000), _OneLine]
    # searches to begin with, best first, of some thirty words, of which a search reads no more
    queries: tuple[Annotated[str, _limit_length(200), _OneLine], ...] = Field(
        min_length=1, max_length=4
    )
    # whether the run fails without this specialist
    critical: bool = Field(default=False, strict=True)
    # the specialist's own, for a language model that reads for it; paid for with each source
    instructions: Annotated[str, _limit_length(1_500, 0)] = ""
    # the agent that does its work, reached by messages (docs/messages.md)
    agent: AgentName | None = None
    # seconds without a word after which it counts as silent
    patience: float = Field(default=3_600.0, gt=0, le=86_400)


class Team(Contract):
    quorum: QuorumPolicy  # how many assignments must bring something, and what a missing one costs
    # whether three participants of a language model examine the claims before anything is written;
    # two of them are its quorum
    debate: bool = Field(default=False, strict=True)
    # one assignment each, in this order; with none, the planner finds the angles
    specialists: tuple[Specialist, ...] = Field(default=(), max_length=MOST_ANGLES)

    @field_validator("specialists")
    @classmethod
    def _told_apart(cls, specialists: tuple[Specialist, ...]) -> tuple[Specialist, ...]:
        taken: set[str] = set()
        for each in specialists:
            own = {normalise_name(each.name), normalise_name(each.title)}
            if not taken.isdisjoint(own):
                raise ValueError(f"has “{each.name}” ({each.title}), which another one is called")
            taken |= own
        return specialists


@dataclass(frozen=True)
class TeamCatalogue:
    """Finds teams by the name of their file, without `.toml`."""

    # Names are looked up among the files that are there, so a name never leads out of the folders.

    # of the user's own teams, in order of precedence; they win over the teams that ship with
    # Caveat, and a folder that does not exist has none
    folders: tuple[Path, ...] = ()

    def list_names(self) -> tuple[str, ...]:
        return tuple(sorted(self._index_files()))

    def read_team(self, name: str) -> Team:
        files = self._index_files()
        if name not in files:
            known = ", ".join(sorted(files))
            own = f", or describe your own in {self.folders[0]}" if self.folders else ""
            raise invalid(f"There is no team “{name}”; choose one of: {known}{own}.", resource=name)
        return read_table(files[name], "The team file", Team)

    def _index_files(self) -> dict[str, Traversable]:
        files: dict[str, Traversable] = {}
        for folder in (*self.folders, resources.files("caveat.teams")):
            for file in _list_files(folder):
                files.setdefault(file.name.removesuffix(_SUFFIX), file)
        return files


def _list_files(folder: Traversable) -> Iterator[Traversable]:
    try:
        files = list(folder.iterdir())
    except FileNotFoundError:
        return
    except OSError as error:
        raise invalid(
            f"The folder of teams {folder} cannot be read: {error.strerror}.", resource=str(folder)
        ) from None
    for file in files:
        # Editors keep hidden files next to those that they edit.
        if file.name.endswith(_SUFFIX) and not file.name.startswith("."):
            yield file


def normalise_name(name: str) -> str:
    return collapse_spaces(name).casefold()


_TOPIC_OF_QUERY = 200  # characters of the topic in a query, of which a search reads no more


def build_assignments(team: Team, topic: str) -> tuple[Assignment, ...]:
    return tuple(
        _build_assignment(specialist, topic, number)
        for number, specialist in enumerate(team.specialists, start=1)
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
        agent=specialist.agent,
        patience_s=specialist.patience,
    )


def mark_critical(
    assignments: Sequence[Assignment], wanted: Sequence[str], team: Team
) -> tuple[Assignment, ...]:
    """Mark the assignments that a request calls critical, in addition to the team's own.

    Args:
        assignments: of the plan, in the order of the specialists.
        wanted: titles or names of specialists, in any case.
    """
    called = {each.id: [each.title] for each in assignments}
    for names, specialist in zip(called.values(), team.specialists, strict=False):
        names.append(specialist.name)
    chosen = set()
    for name in wanted:
        ids = {at for at in called if normalise_name(name) in map(normalise_name, called[at])}
        if not ids:
            there = ", ".join(f"“{names[-1]}”" for names in called.values())
            message = f"Nothing is called “{name}”; those that can be critical are: {there}."
            raise invalid(message, resource=name)
        chosen |= ids
    return tuple(
        each.model_copy(update={"critical": True}) if each.id in chosen else each
        for each in assignments
    )

"""From what a person typed to a research request, or one clear sentence why not."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path

from pydantic import ValidationError

from caveat.contracts.plan import TOPIC_LIMIT, Budget, Depth, Format, ResearchRequest
from caveat.failures import PortFailure
from caveat.teams.catalogue import TeamCatalogue
from caveat.teams.staffing import assigned, with_critical
from clients.durations import duration_of
from clients.folders import absolute, require_folder
from clients.problems import BadInput


@dataclass(frozen=True)
class Wish:
    """A request as it was typed.

    Attributes:
        topic: the question.
        corpus: folders, relative ones to the current folder.
        depth: name of a depth.
        team: name of a team.
        formats: names of formats, separated by commas.
        max_sources: upper bound of sources read, None when it was not given.
        critical: titles of angles, or names of specialists, that the run cannot do without.
        deadline: when stragglers are left behind, such as `10m`; None when it was not given.
        arbitration_timeout: how long a person may take over a contradiction, such as `6h`.
        max_cost: US dollars that the run may spend, None when it was not given.
    """

    topic: str
    corpus: Sequence[str] = ()
    depth: str = Depth.DEEP
    team: str = "general"
    formats: str = "md,pdf,json"
    max_sources: int | None = None
    critical: Sequence[str] = ()
    deadline: str | None = None
    arbitration_timeout: str = "6h"
    max_cost: float | None = None


def request_of(wish: Wish, *, teams: TeamCatalogue | None, corpus_is_here: bool) -> ResearchRequest:
    """Validate a wish.

    Args:
        wish: what was typed.
        teams: those that the worker knows, None when that is for the worker alone to say.
        corpus_is_here: whether the worker reads this machine's folders; otherwise an absolute
            folder need not exist here.

    Raises:
        BadInput: something in it cannot be; the sentence names the first thing.
    """
    _require_topic(wish.topic)
    formats = formats_of(wish.formats)
    depth = _depth(wish.depth)
    budget = _budget(wish.max_cost)
    deadline = None if wish.deadline is None else duration_of(wish.deadline, "--deadline")
    if teams is not None:
        _require_team(wish, teams)
    try:
        return ResearchRequest(
            topic=wish.topic,
            corpus=tuple(_folder(each, corpus_is_here=corpus_is_here) for each in wish.corpus),
            depth=depth,
            team=wish.team,
            formats=formats,
            max_sources=wish.max_sources,
            critical=tuple(wish.critical),
            deadline=deadline,
            arbitration_timeout=duration_of(wish.arbitration_timeout, "--arbitration-timeout"),
            budget=budget,
        )
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise BadInput(f"{'.'.join(map(str, first['loc']))}: {first['msg']}.") from None


def apart(request: ResearchRequest, folder: Path) -> ResearchRequest:
    """Keep the folder that the report is written to out of the corpus, where it lies inside it.

    A folder that is the corpus itself stays: the reports in it are known by their mark.
    """
    inside = any(Path(corpus) in folder.parents for corpus in request.corpus)
    return (
        request.model_copy(update={"exclude": (*request.exclude, str(folder))})
        if inside
        else request
    )


def formats_of(text: str) -> tuple[Format, ...]:
    """Read the names of formats, separated by commas, each once.

    Raises:
        BadInput: one of them is not a format, or there is none.
    """
    names = [name for part in text.split(",") if (name := part.strip().lower())]
    known = [each.value for each in Format]
    for name in names:
        if name not in known:
            raise BadInput(f"There is no format “{name}”: choose from {', '.join(known)}.")
    if not names:
        raise BadInput(f"No format was named: choose from {', '.join(known)}.")
    return tuple(dict.fromkeys(Format(name) for name in names))


def _require_topic(topic: str) -> None:
    length = len(" ".join(topic.split()))
    if not length:
        raise BadInput("The topic is empty: ask a question, in quotation marks.")
    if length > TOPIC_LIMIT:
        raise BadInput(
            f"The topic has {length:,} characters and {TOPIC_LIMIT:,} is the most: ask a question, "
            "and give long texts as documents with --corpus."
        )
    if not _is_text(topic):
        raise BadInput("The topic contains bytes that are not text: type it in UTF-8.")


def _is_text(topic: str) -> bool:
    """Tell undecodable bytes, which arrive as lone surrogates, from unusual characters."""
    try:
        topic.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _depth(name: str) -> Depth:
    try:
        return Depth(name)
    except ValueError:
        known = ", ".join(each.value for each in Depth)
        raise BadInput(f"There is no depth “{name}”: choose from {known}.") from None


def _budget(max_cost: float | None) -> Budget:
    if max_cost is not None and not 0 < max_cost < inf:
        raise BadInput("--max-cost takes US dollars above 0, for example 2.50.")
    return Budget(cost_usd=max_cost)


def _require_team(wish: Wish, teams: TeamCatalogue) -> None:
    """Make sure of the team, and of who in it is critical; angles are known once they are planned.

    Raises:
        BadInput: there is no such team, or nobody in it who is called so.
    """
    for title in wish.critical:
        if not title.strip():
            raise BadInput("--critical takes the title of an angle, and it is empty.")
    try:
        team = teams.team(wish.team)
        if team.specialists:
            with_critical(assigned(team, wish.topic), wish.critical, team)
    except PortFailure as failure:
        raise BadInput(str(failure)) from None


def _folder(typed: str, *, corpus_is_here: bool) -> str:
    if not typed.strip():
        raise BadInput("--corpus is empty: name a folder of documents, `.` for the current one.")
    if not corpus_is_here and Path(typed).is_absolute():
        return typed
    folder = absolute(typed)
    require_folder(folder)
    return str(folder)

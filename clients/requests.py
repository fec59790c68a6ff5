"""From what was asked for to a request that can be started, or one clear sentence why not."""

import hashlib
import re
import secrets
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from caveat.clients.estimating import Forecast, build_forecast
from caveat.clients.folders import gather, require_documents, require_folder, resolve_folder
from caveat.clients.parsing import join_words, parse_duration, parse_formats
from caveat.clients.problems import BadInput
from caveat.clients.servers import names_own_server
from caveat.contracts.backend import Backend
from caveat.contracts.message import Priority
from caveat.contracts.plan import TOPIC_LIMIT, Budget, Depth, ResearchRequest
from caveat.failures import PortFailure
from caveat.rendering.amounts import format_money
from caveat.rendering.backends import describe_backend
from caveat.rendering.mistakes import describe_first_mistake
from caveat.rules.text.words import LANGUAGES
from caveat.teams.catalogue import TeamCatalogue
from caveat.teams.team import build_assignments, mark_critical
from caveat.workers.backends import adapt_settings, build_backend
from caveat.workers.settings import OWN_REASONERS, Settings

E = TypeVar("E", bound=StrEnum)

_SLUG = 40
"""Characters of a topic in a run id: enough to recognise it in a list 100 characters wide."""

_NO_SLUG = "topic"
"""Stands for a topic that has no Latin letters or digits; its text is a search attribute."""


def create_run_id(topic: str, order: str = "") -> str:
    """Name a run after its topic, for example `research-how-fast-is-the-universe-3fa9c1`.

    Args:
        order: what asks for it and for no other run, so that asking twice names one run.
    """
    end = hashlib.sha256(order.encode()).hexdigest()[:6] if order else secrets.token_hex(3)
    return f"{build_run_prefix(topic)}{end}"


def build_run_prefix(topic: str) -> str:
    """Return how the ids of all runs of a topic begin."""
    return f"research-{slugify_topic(topic)}-"


def slugify_topic(topic: str) -> str:
    """Reduce a topic to lower-case ASCII words joined by hyphens, cut between words."""
    plain = unicodedata.normalize("NFKD", topic).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)
    kept = ""
    for word in words:
        longer = f"{kept}-{word}" if kept else word[:_SLUG]
        if len(longer) > _SLUG:
            break
        kept = longer
    return kept or _NO_SLUG


@dataclass(frozen=True)
class Options:
    """A request as it was typed."""

    topic: str
    corpus: Sequence[str] = ()
    depth: str = Depth.DEEP
    team: str = "general"
    formats: str = "md,pdf,json"
    max_sources: int | None = None  # upper bound of sources read, None when it was not given
    # titles of angles, or names of specialists, that the run cannot do without
    critical: Sequence[str] = ()
    # when stragglers are left behind, such as `10m`; None when it was not given
    deadline: str | None = None
    arbitration_timeout: str = "6h"  # how long a person may take over a contradiction, such as `6h`
    approve_plan: bool = False  # whether a person must approve the plan
    approval_timeout: str = "24h"  # how long that is waited for
    max_cost: float | None = None  # US dollars that the run may spend, None when it was not given
    max_calls: int | None = None  # calls to language models that it may make
    max_tokens: int | None = None  # tokens that it may send and receive
    max_minutes: float | None = None  # minutes that it may take, without the time that people think
    priority: str = Priority.NORMAL
    language: str | None = None  # that models write in; None for the question's


def parse_options(topic: Sequence[str], **given: Any) -> Options:
    """Make a request of the words that were typed, and of the options that are not None."""
    options = {name: each for name, each in given.items() if each is not None}
    return Options(join_words(topic), **options)


def build_request(
    options: Options, *, teams: TeamCatalogue | None, corpus_is_here: bool
) -> ResearchRequest:
    """Validate what was typed.

    Args:
        teams: those that the worker knows, None when that is for the worker alone to say.
        corpus_is_here: whether the worker reads this machine's folders; otherwise an absolute
            folder need not exist here.
    """
    _require_topic(options.topic)
    formats = parse_formats(options.formats)
    depth = _parse_choice(Depth, options.depth)
    priority = _parse_choice(Priority, options.priority)
    budget = _build_budget(options)
    deadline = None if options.deadline is None else parse_duration(options.deadline, "--deadline")
    if teams is not None:
        _require_team(options, teams)
    try:
        return ResearchRequest(
            topic=options.topic,
            corpus=tuple(
                _resolve_corpus(each, corpus_is_here=corpus_is_here) for each in options.corpus
            ),
            depth=depth,
            team=options.team,
            formats=formats,
            max_sources=options.max_sources,
            critical=tuple(options.critical),
            deadline=deadline,
            arbitration_timeout=parse_duration(
                options.arbitration_timeout, "--arbitration-timeout"
            ),
            approve_plan=options.approve_plan,
            approval_timeout=parse_duration(options.approval_timeout, "--approval-timeout"),
            budget=budget,
            priority=priority,
            language=_parse_language(options.language),
        )
    except ValidationError as error:
        raise BadInput(f"{describe_first_mistake(error)}.") from None


def exclude_folder(request: ResearchRequest, folder: Path) -> ResearchRequest:
    """Keep the folder that the report is written to out of the corpus, where it lies inside it."""
    # A folder that is the corpus itself stays: the reports in it are known by their mark.
    inside = any(Path(corpus) in folder.parents for corpus in request.corpus)
    return (
        request.model_copy(update={"exclude": (*request.exclude, str(folder))})
        if inside
        else request
    )


def _parse_language(typed: str | None) -> str | None:
    """Read the code or the English name of a language."""
    if not (typed or "").strip():
        return None
    wanted = str(typed).strip().casefold()
    for code, name in LANGUAGES.items():
        if wanted in {code, name.casefold()}:
            return code
    known = ", ".join(f"{code} ({name})" for code, name in LANGUAGES.items())
    raise BadInput(f"“{wanted}” is no language that can be written in: name one of {known}.")


def _require_topic(topic: str) -> None:
    words = topic.split()
    length = len(" ".join(words))
    if not any(map(str.isprintable, "".join(words))):  # nobody sees controls and formats
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


def _parse_choice(kind: type[E], name: str) -> E:
    try:
        return kind(name)
    except ValueError:
        known = ", ".join(each.value for each in kind)
        what = kind.__name__.lower()
        raise BadInput(f"There is no {what} “{name}”: choose from {known}.") from None


def _build_budget(options: Options) -> Budget:
    if options.max_cost is not None and not 0 < options.max_cost < inf:
        raise BadInput("--max-cost takes US dollars above 0, for example 2.50.")
    if options.max_calls is not None and options.max_calls < 1:
        raise BadInput("--max-calls takes calls to language models, 1 or more.")
    if options.max_tokens is not None and options.max_tokens < 1:
        raise BadInput("--max-tokens takes tokens, 1 or more, for example 200000.")
    if options.max_minutes is not None and not 0 < options.max_minutes < inf:
        raise BadInput("--max-minutes takes minutes above 0, for example 10 or 0.5.")
    return Budget(
        cost_usd=options.max_cost,
        model_calls=options.max_calls,
        tokens=options.max_tokens,
        minutes=options.max_minutes,
    )


def _require_team(options: Options, teams: TeamCatalogue) -> None:
    """Check the team, and who in it is critical; angles are known once they are planned."""
    for title in options.critical:
        if not title.strip():
            raise BadInput("--critical takes the title of an angle, and it is empty.")
    try:
        team = teams.read_team(options.team)
        if team.specialists:
            mark_critical(build_assignments(team, options.topic), options.critical, team)
    except PortFailure as failure:
        raise BadInput(str(failure)) from None


def _resolve_corpus(typed: str, *, corpus_is_here: bool) -> str:
    if not typed.strip():
        raise BadInput("--corpus is empty: name a folder of documents, `.` for the current one.")
    if not corpus_is_here and Path(typed).is_absolute():
        return typed
    folder = resolve_folder(typed)
    require_folder(folder)
    if corpus_is_here:
        require_documents(folder)
    return str(folder)


def load_teams(settings: Settings) -> TeamCatalogue:
    """Return the teams that workers of these settings know."""
    return TeamCatalogue((settings.teams_dir,))


def validate_request(
    options: Options, settings: Settings, *, is_here: bool | None = None
) -> ResearchRequest:
    """Validate what was asked for, and name the folders that are searched where it names none.

    On a server of your own its workers know the teams, and what is searched by default.

    Args:
        is_here: whether this process does the work; what the environment says where it is None.
    """
    here = not names_own_server() if is_here is None else is_here
    teams = load_teams(settings) if here else None
    _require_topic(options.topic)
    if here:
        options = replace(options, corpus=_gather_files(options.corpus, settings))
    request = build_request(options, teams=teams, corpus_is_here=here)
    if here and request.language and not settings.uses_claude and not settings.offered_reasoner:
        raise BadInput(
            "--language needs a language model: without one a report shows quotes, as they stand."
        )
    if here and not request.corpus and not (settings.searches_web and not settings.corpus):
        # Said in the request, because another process's worker may have another default.
        request = request.model_copy(update={"corpus": _list_default_corpus(settings)})
    return request


def _gather_files(corpus: Sequence[str], settings: Settings) -> tuple[str, ...]:
    """Name one folder in place of the documents that were named one by one."""
    paths = [resolve_folder(each) if each.strip() else None for each in corpus]
    files = [path for path in paths if path is not None and path.is_file()]
    others = [each for each, path in zip(corpus, paths, strict=True) if path not in files]
    if not files:
        return tuple(others)
    return (*others, str(gather(files, settings.uploads_folder)))


def estimate_run(options: Options, settings: Settings) -> dict[str, Any]:
    """Say what a run is expected to take, and as `sentence` what its bound made of it."""
    request = validate_request(options, settings)
    if names_own_server():
        raise BadInput(
            "Nothing can be estimated here: the workers of your own server decide which models are "
            "called."
        )
    expected, made = _fit_to_bound(request, settings)
    sentence = " ".join(filter(None, (made, expected.describe())))
    return {**expected.build_facts(), "sentence": sentence}


def limit_cost(
    request: ResearchRequest, settings: Settings, *, is_here: bool | None = None
) -> tuple[ResearchRequest, str]:
    """Keep a request within its bound; say what is expected, nothing where nothing is paid for.

    Args:
        is_here: as of `validate_request`.
    """
    if names_own_server() if is_here is None else not is_here:
        bound = request.budget.cost_usd
        return request, "" if bound is None else (
            "Nothing is estimated here, because the workers of your own server decide which models "
            f"are called; they stop gathering before {format_money(bound)} is spent."
        )
    expected, made = _fit_to_bound(request, settings)
    sentence = "" if expected.prices is None else made or expected.describe()
    return expected.request, sentence


def _fit_to_bound(request: ResearchRequest, settings: Settings) -> tuple[Forecast, str | None]:
    expected = build_forecast(request, settings, load_teams(settings))
    bound = request.budget.cost_usd
    return (expected, None) if bound is None else expected.fit_to_bound(bound)


def _list_default_corpus(settings: Settings) -> tuple[str, ...]:
    if not settings.corpus:
        raise BadInput(
            "There is nothing to search: name a folder of documents with --corpus, or set "
            "CAVEAT_CORPUS; with ANTHROPIC_API_KEY or CAVEAT_SEARCH the web is searched."
        )
    for folder in settings.corpus:
        require_folder(folder)
    return tuple(str(folder) for folder in settings.corpus)


def route_request(
    request: ResearchRequest, settings: Settings, *, is_here: bool | None = None
) -> ResearchRequest:
    """Have a new run worked on by what these settings make."""
    # On a server of your own its workers decide, but for a reasoner that is asked for by name.
    if names_own_server() if is_here is None else not is_here:
        return request.model_copy(update=_build_remote_route(settings.reasoner))
    return request.model_copy(update=_build_local_route(build_backend(settings)))


def route_like_earlier(
    request: ResearchRequest, earlier: Backend | None, settings: Settings
) -> tuple[ResearchRequest, str | None]:
    """Have a follow-up worked on as the earlier run was, unless `CAVEAT_REASONER` says otherwise.

    The account is this command's: whoever asks for more work pays for it.

    Returns:
        The request, and a sentence on who works on it where that is not what a new run would have.
    """
    if earlier is None or settings.reasoner is not None:
        return route_request(request, settings), _explain_change(earlier, settings)
    if names_own_server():  # where the run itself stays with the reasoner of what it recalls
        return request.model_copy(update=_build_remote_route(None)), None
    alike = adapt_settings(earlier, settings)
    if alike is None:
        lacks = (
            f"there is no key here: set {_name_setting(earlier)}"
            if earlier.reasoner in OWN_REASONERS
            else "no installed package offers it here: install that package"
        )
        raise BadInput(
            f"{request.follow_up_of} was worked on by {describe_backend(earlier)}, and {lacks} to "
            "go on with it, or CAVEAT_REASONER=extractive to go on without a language model."
        )
    chosen = build_backend(alike)
    said = (
        None
        if chosen == build_backend(settings)
        else f"It goes on with {describe_backend(chosen)}, as before."
    )
    return request.model_copy(update=_build_local_route(chosen)), said


def _name_setting(earlier: Backend) -> str:
    return f"CAVEAT_PROVIDER={earlier.provider}" if earlier.provider else "ANTHROPIC_API_KEY"


def _explain_change(earlier: Backend | None, settings: Settings) -> str | None:
    if earlier is None or earlier.reasoner == settings.reasoner:
        return None
    return f"It goes on with {settings.reasoner} instead of {describe_backend(earlier)}."


def _build_local_route(chosen: Backend) -> dict[str, object]:
    return {"reasoner": chosen.reasoner, "backend": chosen}


def _build_remote_route(reasoner: str | None) -> dict[str, object]:
    return {"reasoner": reasoner, "backend": None}

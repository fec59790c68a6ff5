"""From what was asked for to a request that can be started, or one clear sentence why not."""

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from itertools import islice
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from caveat.clients.folders import gather, require_documents, require_folder, resolve_folder
from caveat.clients.options import name_flag
from caveat.clients.parsing import parse_question
from caveat.clients.servers import names_own_server
from caveat.contracts.backend import Backend
from caveat.contracts.plan import ResearchRequest
from caveat.failures import PortFailure
from caveat.problem import BadInput
from caveat.rendering.amounts import format_count, format_money
from caveat.rendering.backends import describe_backend
from caveat.rendering.mistakes import describe_first_mistake
from caveat.rules.lines import join_names
from caveat.rules.run.estimate import Estimate, Extent, Range, estimate, list_work
from caveat.rules.text.words import LANGUAGES
from caveat.teams.team import TeamCatalogue, build_assignments, mark_critical
from caveat.workers.models import adapt_settings, build_backend
from caveat.workers.settings import Settings

_LARGEST_REQUEST = 1_000_000  # bytes: a topic has 2,000 characters, and the rest is less

EXAMPLE_TOPIC = "How many passengers did the night bus carry in 2024, and what did it cost?"
"""What is asked of the example documents."""
EXAMPLE_FOLDER = Path(str(resources.files("caveat"))) / "demo"


def read_request_file(typed: str) -> dict[str, Any]:
    """Read a request's JSON from a file, or from standard input where `-` was typed."""
    try:
        with sys.stdin.buffer if typed == "-" else Path(typed).expanduser().open("rb") as file:
            fields = json.loads(file.read(_LARGEST_REQUEST))
    except OSError as error:
        reason = (error.strerror or "unknown").lower()
        raise BadInput(f"The request {typed} cannot be read ({reason}): name a file.") from None
    except (ValueError, RecursionError):  # no JSON, or nested thousands deep
        fields = None
    if not isinstance(fields, dict):
        raise BadInput(f'{typed} is not a request: write a JSON object such as {{"topic": "…"}}.')
    return fields


def list_typed_folders(corpus: object) -> list[str]:
    if isinstance(corpus, str | PathLike):
        corpus = (corpus,)
    if not isinstance(corpus, list | tuple) or not all(
        isinstance(each, str | PathLike) for each in corpus
    ):
        raise BadInput("--corpus takes names of folders or documents.")
    return [str(fspath(each)) for each in corpus]


def _resolve_corpus(typed: str, *, is_here: bool) -> str:
    if not is_here and Path(typed).is_absolute():
        return typed
    folder = require_folder(resolve_folder(typed))
    if is_here:
        require_documents(folder)
    return str(folder)


def load_teams(settings: Settings) -> TeamCatalogue:
    return TeamCatalogue((settings.teams_dir,))


def validate_request(
    fields: Mapping[str, Any], settings: Settings, *, is_here: bool
) -> ResearchRequest:
    """Validate what was asked for, and name the folders that are searched where it names none."""
    # On a server of your own its workers know the teams, and what is searched by default.
    parse_question(fields.get("topic"))
    corpus = list_typed_folders(fields.get("corpus", ()))
    if is_here:
        # One folder in place of the documents that were named one by one.
        paths = [resolve_folder(typed) for typed in corpus]
        files = [path for path in paths if path.is_file()]
        corpus = [typed for typed, path in zip(corpus, paths, strict=True) if path not in files]
        named = [(file.name, file) for file in files]
        corpus += [str(gather(named, settings.uploads_folder))] if files else []
    folders = [_resolve_corpus(each, is_here=is_here) for each in corpus]
    language = fields.get("language")
    if isinstance(language, str):
        name = language.strip().casefold()
        codes = [code for code, known in LANGUAGES.items() if name in {code, known.casefold()}]
        if not codes:
            known = ", ".join(f"{code} ({name})" for code, name in LANGUAGES.items())
            raise BadInput(f"“{name}” is not a language of reports: name one of {known}.")
        language = codes[0]
    try:
        request = ResearchRequest.parse_sent({**fields, "corpus": folders, "language": language})
    except ValidationError as error:
        raise BadInput(f"{describe_first_mistake(error, name=name_flag)}.") from None
    if not is_here:
        return request
    # Check the team, and who in it is critical; angles are known once they are planned.
    teams = load_teams(settings)
    try:
        team = teams.read_team(request.team)
        if team.specialists:
            mark_critical(build_assignments(team, request.topic), request.critical, team)
    except PortFailure as failure:
        raise BadInput(str(failure)) from None
    if request.language and not settings.uses_claude:
        raise BadInput(
            "--language needs a language model: without one a report shows quotes, as they stand."
        )
    if request.corpus or (settings.searches_web and not settings.corpus):
        return request
    if not settings.corpus:
        raise BadInput(
            "There is nothing to search: name a folder of documents with --corpus, or set "
            "CAVEAT_CORPUS; with ANTHROPIC_API_KEY or CAVEAT_SEARCH the web is searched."
        )
    for default in settings.corpus:
        require_folder(default)
    # Said in the request, because another process's worker may have another default.
    return request.model_copy(update={"corpus": tuple(map(str, settings.corpus))})


def estimate_run(fields: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    """Say what a run is expected to take, and all of it as `sentence`."""
    if names_own_server():
        raise BadInput(
            "Nothing can be estimated here: the workers of your own server decide which models are "
            "called."
        )
    expected = build_forecast(validate_request(fields, settings, is_here=True), settings)
    return {**expected.build_facts(), "sentence": expected.describe()}


def prepare_request(
    fields: Mapping[str, Any], settings: Settings, *, is_here: bool | None = None
) -> tuple[ResearchRequest, str]:
    """Validate a request, and say what is expected where it is paid."""
    here = not names_own_server() if is_here is None else is_here
    request = validate_request(fields, settings, is_here=here)
    bound, sentence = request.budget.cost_usd, ""
    if here:
        expected = build_forecast(request, settings)
        if bound is not None and expected.unpriced:
            raise BadInput(
                f"The price of {join_names(expected.unpriced)} is not known, so Caveat cannot keep "
                "--max-cost: leave it out."
            )
        sentence = "" if expected.is_free else expected.describe()
    elif bound is not None:
        sentence = (
            "Nothing is estimated here, because the workers of your own server decide which models "
            f"are called; they stop gathering before {format_money(bound)} is spent."
        )
    return _route(request, settings, is_here=here), sentence


def _route(request: ResearchRequest, settings: Settings, *, is_here: bool) -> ResearchRequest:
    # On a server of your own its workers decide, but for a reasoner that is asked for by name.
    backend = build_backend(settings) if is_here else None
    reasoner = backend.reasoner if backend else settings.reasoner
    return request.model_copy(update={"reasoner": reasoner, "backend": backend})


def route_like_earlier(
    request: ResearchRequest, earlier: Backend | None, settings: Settings
) -> tuple[ResearchRequest, str | None]:
    """Have a follow-up worked on as the earlier run was, and say who does where that is new."""
    # The account is this command's: who asks for more work pays for it.
    if earlier is None or settings.reasoner is not None:
        remark = None
        if earlier is not None and earlier.reasoner != settings.reasoner:
            remark = f"It goes on with {settings.reasoner} instead of {describe_backend(earlier)}."
        return _route(request, settings, is_here=not names_own_server()), remark
    if names_own_server():  # where the run itself stays with the reasoner of what it recalls
        return request.model_copy(update={"reasoner": None, "backend": None}), None
    alike = adapt_settings(earlier, settings)
    if alike is None:
        provider = earlier.provider
        setting = f"CAVEAT_PROVIDER={provider}" if provider else "ANTHROPIC_API_KEY"
        raise BadInput(
            f"{request.follow_up_of} was worked on by {describe_backend(earlier)}, and there is no "
            f"key here: set {setting} to go on with it, or CAVEAT_REASONER=extractive to go on "
            "without a language model."
        )
    chosen = build_backend(alike)
    is_new = chosen != build_backend(settings)
    remark = f"It goes on with {describe_backend(chosen)}, as before." if is_new else None
    return request.model_copy(update={"reasoner": chosen.reasoner, "backend": chosen}), remark


_WEB_SEARCH = "claude"  # the search engine that asks a model, by its name in the settings


@dataclass(frozen=True)
class Forecast:
    scope: Extent
    estimate: Estimate
    unpriced: tuple[str, ...] = ()  # the models that it needs whose price is not known

    @property
    def is_free(self) -> bool:
        return not self.estimate.calls.high

    def describe(self) -> str:
        if self.is_free:
            return "No language model is called: the run costs nothing."
        expected = self.estimate
        if expected.cost_usd is not None:
            low, high = expected.cost_usd.low, expected.cost_usd.high
            price = f"{format_money(low)} to {format_money(high)}"
        else:
            price = f"at a cost that is not known, as {join_names(self.unpriced)} has no price"
        return (
            f"Expected of {_describe_scope(self.scope)}: {_format_range(expected.calls)} calls "
            f"to language models, {_format_range(expected.tokens)} tokens, {price}."
        )

    def build_facts(self) -> dict[str, Any]:
        """Say what is expected, as JSON; each range from its low to its high end."""
        expected = self.estimate
        cost = expected.cost_usd
        return {
            "depth": self.scope.depth.value,
            "sources": self.scope.sources,
            "model_calls": [round(expected.calls.low), round(expected.calls.high)],
            "tokens": [round(expected.tokens.low), round(expected.tokens.high)],
            "cost_usd": [round(cost.low, 4), round(cost.high, 4)] if cost else None,
        }


def build_forecast(request: ResearchRequest, settings: Settings) -> Forecast:
    """Say what is expected of a request that the workers of these settings carry out."""
    team = load_teams(settings).read_team(request.team)
    # A model searches where it is named, and by default for runs without a corpus.
    searches = _WEB_SEARCH in settings.search if settings.search else not request.corpus
    most = request.max_sources
    if request.corpus and {*settings.search} <= {"corpus"}:  # no more is read than is there
        files = _count_files(request.corpus, Extent(request.depth, most).sources)
        most = files or most
    scope = Extent(
        depth=request.depth,
        max_sources=most,
        specialists=len(team.specialists) or None,
        searches=settings.uses_claude and searches,
        debates=team.debate,
    )
    if not settings.uses_claude:
        return Forecast(scope, estimate(scope, None))
    from caveat.adapters.claude.messages.prices import Tokens  # noqa: PLC0415  # loads only where used
    from caveat.workers.models import find_prices, read_models  # noqa: PLC0415  # what only workers need

    models, prices = read_models(settings).by_role, find_prices(settings)

    def price_call(role: str, sent: int, received: int) -> float | None:
        """Price a call with nothing from a cache."""
        tokens = Tokens(fresh=sent, output=received, web_searches=int(role == "search"))
        return prices.compute_cost(models[role], tokens)

    needed = {work.role: price_call(work.role, work.sent, 1) for work in list_work(scope)}
    unpriced = dict.fromkeys(models[role] for role, price in needed.items() if price is None)
    return Forecast(scope, estimate(scope, price_call), tuple(unpriced))


def _count_files(corpus: Iterable[str], most: int) -> int:
    """Count the files of some folders up to so many; 0 where only the workers see them."""
    files = (each for folder in corpus for each in Path(folder).rglob("*") if each.is_file())
    return sum(1 for _ in islice(files, most))


def _describe_scope(scope: Extent) -> str:
    article = "a" if scope.depth[0] not in "aeiou" else "an"
    noun = scope.depth.value if scope.depth == "overview" else f"{scope.depth} run"
    return f"{article} {noun} of at most {format_count(scope.sources, 'source')}"


def _format_range(span: Range) -> str:
    """Write two digits of each end: an estimate has no more."""
    return " to ".join(f"{float(f'{end:.2g}'):,.0f}" for end in (span.low, span.high))

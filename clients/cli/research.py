"""`caveat research`: start a run, follow it, write its report."""

from dataclasses import replace

from caveat.contracts.plan import ResearchRequest
from caveat.rendering.money import money
from caveat.teams.catalogue import TeamCatalogue
from clients.cli.console import print_json, say, stderr, stdout
from clients.cli.exits import ExitCode
from clients.cli.order import Order, carry_out
from clients.cli.output import Output
from clients.cli.patience import Patience
from clients.estimating import Prospect, prospect
from clients.folders import require_folder
from clients.names import new_run_id
from clients.problems import BadInput
from clients.requests import Wish, apart, request_of
from clients.routing import routed
from clients.runs import Runs
from clients.servers import names_own_server
from workers.settings import Settings, load


def research(wish: Wish, *, out: str | None, patience: Patience, as_json: bool) -> int:
    """Carry the command out and return its exit code."""
    settings = load()
    order = replace(_order(wish, out, settings), patience=patience)

    async def settled(_: Runs) -> Order:
        return order

    return carry_out(settled, settings, as_json=as_json)


def research_estimate(wish: Wish, *, as_json: bool) -> int:
    """Say what a run is expected to cost, start nothing, and return the exit code."""
    settings = load()
    here = not names_own_server()
    request = _request(wish, settings, here=here)
    if not here:
        raise BadInput(
            "Nothing can be estimated here: the workers of your own server decide which models "
            "are called."
        )
    expected, made = _affordable(request, settings)
    if made is not None:
        say(stderr(), made)
    if as_json:
        print_json(expected.facts())
    else:
        say(stdout(), expected.sentence())
    return ExitCode.DONE


def _order(wish: Wish, out: str | None, settings: Settings) -> Order:
    """Settle everything before a server is needed."""
    here = not names_own_server()
    request = _request(wish, settings, here=here)
    run_id = new_run_id(request.topic)
    folder = Output(settings).folder(out, run_id)
    request = _afforded(apart(request, folder), settings, here=here)
    return Order(run_id, routed(request, settings), folder)


REPLAYING = (
    "The models' answers are replayed from a recording and cost nothing; pages of the web are not "
    "recorded and are fetched anew."
)


def _request(wish: Wish, settings: Settings, *, here: bool) -> ResearchRequest:
    teams = _teams(settings) if here else None
    request = request_of(wish, teams=teams, corpus_is_here=here)
    if here and not request.corpus and not (settings.searches_web and not settings.corpus):
        # Said in the request, because another process's worker may have another default.
        request = request.model_copy(update={"corpus": _default_corpus(settings)})
    return request


def _afforded(request: ResearchRequest, settings: Settings, *, here: bool) -> ResearchRequest:
    """Say what the run is expected to cost, or what its bound made of it."""
    if here:
        expected, sentence = _affordable(request, settings)
        if (settings.cassette or "").startswith("replay:"):
            say(stderr(), REPLAYING)
        if expected.tariff is not None:
            say(stderr(), sentence or expected.sentence())
        return expected.request
    if request.budget.cost_usd is not None:
        say(
            stderr(),
            "Nothing is estimated here, because the workers of your own server decide which models "
            f"are called; they stop gathering before {money(request.budget.cost_usd)} is spent.",
        )
    return request


def _affordable(request: ResearchRequest, settings: Settings) -> tuple[Prospect, str | None]:
    """What is expected of a request within its bound, and what the bound made of it."""
    expected = prospect(request, settings, _teams(settings))
    bound = request.budget.cost_usd
    return (expected, None) if bound is None else expected.within(bound)


def _teams(settings: Settings) -> TeamCatalogue:
    return TeamCatalogue((settings.teams_dir,))


def _default_corpus(settings: Settings) -> tuple[str, ...]:
    if not settings.corpus:
        raise BadInput(
            "There is nothing to search: name a folder of documents with --corpus, or set "
            "CAVEAT_CORPUS; with ANTHROPIC_API_KEY or CAVEAT_SEARCH the web is searched."
        )
    for folder in settings.corpus:
        require_folder(folder)
    return tuple(str(folder) for folder in settings.corpus)

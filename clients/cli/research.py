"""`caveat research`: start a run, follow it, write its report."""

from dataclasses import replace

from caveat.teams.catalogue import TeamCatalogue
from clients.cli.order import Order, carry_out
from clients.folders import require_folder, require_writable
from clients.names import new_run_id
from clients.problems import BadInput
from clients.publishing import report_folder
from clients.requests import Wish, request_of
from clients.runs import Runs
from clients.servers import names_own_server
from workers.settings import Settings, load


def research(wish: Wish, *, out: str | None, provisional: bool, as_json: bool) -> int:
    """Carry the command out and return its exit code."""
    settings = load()
    order = replace(_order(wish, out, settings), provisional=provisional)

    async def settled(_: Runs) -> Order:
        return order

    return carry_out(settled, settings, as_json=as_json)


def _order(wish: Wish, out: str | None, settings: Settings) -> Order:
    """Settle everything before a server is needed."""
    here = not names_own_server()
    teams = TeamCatalogue((settings.teams_dir,)) if here else None
    request = request_of(wish, teams=teams, corpus_is_here=here)
    if here and not request.corpus and not (settings.searches_web and not settings.corpus):
        # Said in the request, because another process's worker may have another default.
        request = request.model_copy(update={"corpus": _default_corpus(settings)})
    run_id = new_run_id(request.topic)
    folder = report_folder(out, run_id)
    require_writable(folder)
    return Order(run_id, request, folder)


def _default_corpus(settings: Settings) -> tuple[str, ...]:
    if not settings.corpus:
        raise BadInput(
            "There is nothing to search: name a folder of documents with --corpus, or set "
            "CAVEAT_CORPUS; with ANTHROPIC_API_KEY or CAVEAT_SEARCH the web is searched."
        )
    for folder in settings.corpus:
        require_folder(folder)
    return tuple(str(folder) for folder in settings.corpus)

"""From what was asked for to a request that can be started, whoever asks for it."""

from caveat.clients.estimating import Forecast, forecast
from caveat.clients.folders import require_folder
from caveat.clients.problems import BadInput
from caveat.clients.requests import Options, request_of
from caveat.contracts.plan import ResearchRequest
from caveat.teams.catalogue import TeamCatalogue
from caveat.workers.settings import Settings


def teams_of(settings: Settings) -> TeamCatalogue:
    """Return the teams that workers of these settings know."""
    return TeamCatalogue((settings.teams_dir,))


def requested(options: Options, settings: Settings, *, here: bool) -> ResearchRequest:
    """Validate what was asked for, and name the folders that are searched where it names none.

    Args:
        options: as they were given.
        settings: of this process.
        here: whether workers of these settings carry it out, and not those of your own server.

    Raises:
        BadInput: something in it cannot be; the sentence names the first thing.
    """
    teams = teams_of(settings) if here else None
    request = request_of(options, teams=teams, corpus_is_here=here)
    if here and not request.corpus and not (settings.searches_web and not settings.corpus):
        # Said in the request, because another process's worker may have another default.
        request = request.model_copy(update={"corpus": _default_corpus(settings)})
    return request


NO_ESTIMATE = (
    "Nothing can be estimated here: the workers of your own server decide which models are called."
)


def affordable(request: ResearchRequest, settings: Settings) -> tuple[Forecast, str | None]:
    """Say what is expected of a request within its bound, and what the bound made of it.

    Raises:
        BadInput: not even the smallest run fits the bound, or nobody knows what it costs.
    """
    expected = forecast(request, settings, teams_of(settings))
    bound = request.budget.cost_usd
    return (expected, None) if bound is None else expected.within(bound)


def _default_corpus(settings: Settings) -> tuple[str, ...]:
    if not settings.corpus:
        raise BadInput(
            "There is nothing to search: name a folder of documents with --corpus, or set "
            "CAVEAT_CORPUS; with ANTHROPIC_API_KEY or CAVEAT_SEARCH the web is searched."
        )
    for folder in settings.corpus:
        require_folder(folder)
    return tuple(str(folder) for folder in settings.corpus)

"""Who is to work on a run that a command starts."""

from caveat.clients.problems import BadInput
from caveat.clients.servers import names_own_server
from caveat.contracts.backend import Backend
from caveat.contracts.plan import ResearchRequest
from caveat.rendering.backends import in_words
from caveat.workers.backends import backend, settings_like
from caveat.workers.settings import OWN_REASONERS, Settings


def routed(request: ResearchRequest, settings: Settings) -> ResearchRequest:
    """Have a new run worked on by what these settings make, and by the command that starts it.

    On a server of your own its workers decide, but for a reasoner that is asked for by name.
    """
    if names_own_server():
        return request.model_copy(update=_elsewhere(settings.reasoner))
    return request.model_copy(update=_here(backend(settings)))


def routed_like(
    request: ResearchRequest, earlier: Backend | None, settings: Settings
) -> tuple[ResearchRequest, str | None]:
    """Have a follow-up worked on as the earlier run was, unless `CAVEAT_REASONER` says otherwise.

    The account is this command's: whoever asks for more work pays for it.

    Returns:
        The request, and a sentence on who works on it where that is not what a new run would have.

    Raises:
        BadInput: the earlier run was a language model's, and there is no key here, or another
            package's, which is not installed here.
    """
    if earlier is None or settings.reasoner is not None:
        return routed(request, settings), _changed(earlier, settings)
    if names_own_server():  # where the run itself stays with the reasoner of what it recalls
        return request.model_copy(update=_elsewhere(None)), None
    alike = settings_like(earlier, settings)
    if alike is None:
        lacks = (
            f"there is no key here: set {_opens(earlier)}"
            if earlier.reasoner in OWN_REASONERS
            else "no installed package offers it here: install that package"
        )
        raise BadInput(
            f"{request.follow_up_of} was worked on by {in_words(earlier)}, and {lacks} to go on "
            "with it, or CAVEAT_REASONER=extractive to go on without a language model."
        )
    chosen = backend(alike)
    said = (
        None if chosen == backend(settings) else f"It goes on with {in_words(chosen)}, as before."
    )
    return request.model_copy(update=_here(chosen)), said


def _opens(earlier: Backend) -> str:
    return f"CAVEAT_PROVIDER={earlier.provider}" if earlier.provider else "ANTHROPIC_API_KEY"


def _changed(earlier: Backend | None, settings: Settings) -> str | None:
    if earlier is None or earlier.reasoner == settings.reasoner:
        return None
    return f"It goes on with {settings.reasoner} instead of {in_words(earlier)}."


def _here(chosen: Backend) -> dict[str, object]:
    return {"reasoner": chosen.reasoner, "backend": chosen, "own_queues": True}


def _elsewhere(reasoner: str | None) -> dict[str, object]:
    return {"reasoner": reasoner, "backend": None, "own_queues": False}

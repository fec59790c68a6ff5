"""A backend in words."""

from caveat.contracts.backend import Backend
from caveat.contracts.outcome import ProviderWait
from caveat.rendering.words import format_datetime

START_WORKER = "start one with `caveat up`, or with `caveat worker` for a server of your own"


def describe_backend(backend: Backend) -> str:
    """Describe a reasoner with its models, server and engines, as far as known."""
    models = tuple(dict.fromkeys(each.partition("=")[2] for each in backend.models))
    parts = [", ".join(models)] if models else []
    if backend.provider:
        parts.append(f"on {backend.provider}")
    if backend.server:
        parts.append(f"at {backend.server}")
    if backend.engines:
        parts.append(f"searching with {', '.join(backend.engines)}")
    return f"{backend.reasoner} ({'; '.join(parts)})" if parts else backend.reasoner


def explain_wait(
    backend: Backend | None, *, reasoner: str | None = None, is_there: bool = True
) -> str:
    """Explain which worker a run waits for, and how to start one.

    Args:
        backend: the worker's; None for any worker for all runs.
        reasoner: the requested one, if no backend is decided.
        is_there: whether one is there, and only busy.
    """
    start = f"{START_WORKER}."
    if backend is None and reasoner is None:
        return f"It waits for a worker for all runs: {start}"
    if backend is None:
        return f"It waits for a worker with {reasoner}: {start}"
    account = " and the account that it began with" if backend.credentials else ""
    wanted = f"{describe_backend(backend)}{account}"
    if is_there:
        return f"It waits for a free worker with {wanted}: {start}"
    return f"It waits, and no worker with {wanted} is there: {start}"


def describe_provider_wait(wait: ProviderWait) -> str:
    """Describe since when and why a run waits for its models' provider."""
    return f"waiting for the provider since {format_datetime(wait.since)}: {wait.why}"

"""A backend in words."""

from caveat.contracts.backend import Backend


def in_words(backend: Backend) -> str:
    """Name a reasoner with its models, server and engines, as far as they were chosen."""
    models = tuple(dict.fromkeys(each.partition("=")[2] for each in backend.models))
    parts = [", ".join(models)] if models else []
    if backend.server:
        parts.append(f"at {backend.server}")
    if backend.engines:
        parts.append(f"searching with {', '.join(backend.engines)}")
    return f"{backend.reasoner} ({'; '.join(parts)})" if parts else backend.reasoner


def waiting_words(backend: Backend | None) -> str:
    """Say which worker a run waits for, and how to start one; None is any worker for all runs."""
    start = "start one with `caveat up`, or with `caveat worker` for a server of your own."
    if backend is None:
        return f"It waits for a worker for all runs: {start}"
    account = " and the account that it began with" if backend.credentials else ""
    return f"It waits for a free worker with {in_words(backend)}{account}: {start}"

"""What the workers of one process can do."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from temporalio.worker import Interceptor

from caveat.contracts.backend import Backend


@dataclass(frozen=True)
class Crew:
    """Workflows and activities, sorted by the task queue that serves them.

    Attributes:
        workflows: workflow classes; they order and wait, and never do I/O.
        reasoning: activities that call a reasoner, and so a provider with a rate limit.
        fetching: activities bound by disk and network.
        interceptors: what every activity passes before it is begun.
        keeping: activities that every worker of a server does alike, whatever its backend.
        telling: the activity that tells people, where a receiver of notices is configured.
        backend: what `reasoning` and `fetching` are wired to; None where runs need none.
    """

    workflows: tuple[type, ...]
    reasoning: tuple[Callable[..., Any], ...]
    fetching: tuple[Callable[..., Any], ...]
    keeping: tuple[Callable[..., Any], ...] = ()
    telling: tuple[Callable[..., Any], ...] = ()
    backend: Backend | None = None
    interceptors: tuple[Interceptor, ...] = ()

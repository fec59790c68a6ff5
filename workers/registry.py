"""What the workers of one process can do."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from temporalio.client import Client
from temporalio.worker import Interceptor, WorkerDeploymentConfig

from caveat.contracts.backend import Backend
from caveat.workers.version import any_build
from caveat.workflows.arbitration.workflow import Arbitration
from caveat.workflows.batch.workflow import Studies
from caveat.workflows.research.workflow import Research

WORKFLOWS = (Research, Arbitration, Studies)
"""Every workflow of this version, for whoever runs or replays them."""

FEW = 8
"""Tasks of a reasoner at once that uses this machine, or one server on it: more than a run's 4 to 6
angles, so that none waits for another, and more would only share its processors."""

MANY = 64
"""Calls of a provider at once that says what its limits are: the pacer holds to them, and each call
costs a worker the text of one source and nothing else."""


def hearing_nobody(_: Client) -> AbstractAsyncContextManager[None]:
    """Hear nobody: no agent lives elsewhere."""
    return nullcontext()


@dataclass(frozen=True)
class Registry:
    """Workflows and activities, sorted by the task queue that serves them.

    Attributes:
        workflows: workflow classes; they order and wait, and never do I/O.
        reasoning: activities that call a reasoner, and so a provider with a rate limit.
        fetching: activities bound by disk and network.
        interceptors: what every activity passes before it is begun.
        keeping: activities that every worker of a server does alike, whatever its backend.
        telling: the activity that tells people, where a receiver of notices is configured.
        announcing: the activity that tells a webhook what happens in runs, where there is one.
        backend: what `reasoning` and `fetching` are wired to; None where runs need none.
        reasoned_at_once: tasks of `reasoning` that are done at once.
        attending: hears agents that live elsewhere while inside, where some may answer.
        deployment: which runs its workers take up, and the build that histories name for it.
    """

    workflows: tuple[type, ...]
    reasoning: tuple[Callable[..., Any], ...]
    fetching: tuple[Callable[..., Any], ...]
    keeping: tuple[Callable[..., Any], ...] = ()
    telling: tuple[Callable[..., Any], ...] = ()
    announcing: tuple[Callable[..., Any], ...] = ()
    backend: Backend | None = None
    reasoned_at_once: int = FEW
    attending: Callable[[Client], AbstractAsyncContextManager[None]] = hearing_nobody
    interceptors: tuple[Interceptor, ...] = ()
    deployment: WorkerDeploymentConfig = field(default_factory=any_build)

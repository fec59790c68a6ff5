"""What a Temporal server refuses, as sentences."""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from temporalio.client import (
    WorkflowHandle,
    WorkflowQueryFailedError,
    WorkflowQueryRejectedError,
    WorkflowUpdateFailedError,
    WorkflowUpdateRPCTimeoutOrCancelledError,
)
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from caveat.clients.problems import BadInput, NoSuchArbitration, NoSuchRun, OutOfReach
from caveat.problem import Problem
from caveat.rendering.commands import quote_for_shell
from caveat.workers.problem import names_damage

T = TypeVar("T")

ANSWER = dt.timedelta(seconds=2)
"""How long a worker may take to answer a query: it needs milliseconds, and nobody waits longer
than this without a word."""

ACCEPTANCE = dt.timedelta(seconds=20)
"""How long a worker may take over an update: it needs milliseconds, and up to ten seconds where
another worker was killed just before."""


async def query_workflow(handle: WorkflowHandle[Any, Any], query: str, answer: type[T]) -> T | None:
    """Ask a workflow; None where it has no such answer, or no worker gives it in time."""
    try:
        return cast("T", await handle.query(query, result_type=answer, rpc_timeout=ANSWER))
    except (WorkflowQueryFailedError, WorkflowQueryRejectedError, RPCError):
        return None


@contextmanager
def translate_errors(unknown: Problem | None = None) -> Iterator[None]:
    """Turn the server's refusals into problems.

    Args:
        unknown: what it means that the server does not know what was asked about.
    """
    try:
        yield
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND and unknown is not None:
            raise unknown from None
        if error.status is RPCStatusCode.INVALID_ARGUMENT:
            raise BadInput(
                f"The Temporal server refuses this: {build_sentence(error.message)}"
            ) from None
        if names_damage(error.message):
            raise OutOfReach(
                "The Temporal server's database is damaged: put a backup in its place."
            ) from None
        raise OutOfReach(
            f"The Temporal server does not answer ({error.status.name.lower()}): nothing is lost, "
            "try again when it runs."
        ) from None


async def update_workflow(
    handle: WorkflowHandle[Any, Any],
    update: str,
    argument: object,
    answer: type[T],
    unknown: Problem,
) -> T:
    """Tell a workflow something, and return what it answers; its refusals are problems."""
    with translate_errors(unknown):
        try:
            accepted = handle.execute_update(
                update, argument, result_type=answer, rpc_timeout=ACCEPTANCE
            )
            return cast("T", await accepted)
        except WorkflowUpdateFailedError as error:
            if isinstance(error.cause, ApplicationError):
                raise BadInput(build_sentence(error.cause.message)) from None
            raise
        except WorkflowUpdateRPCTimeoutOrCancelledError:
            raise OutOfReach(
                "No worker takes the answer: start one with `caveat up`, or with `caveat worker` "
                "for a server of your own, and answer again."
            ) from None


def build_unknown_run(run_id: str) -> NoSuchRun:
    """Say that the server does not know a run."""
    return NoSuchRun(
        f"There is no run {quote_for_shell(run_id)}: `caveat runs` lists those that are known."
    )


def build_unknown_arbitration(arbitration: str) -> NoSuchArbitration:
    """Say that the server does not know an arbitration."""
    return NoSuchArbitration(
        f"There is no arbitration {quote_for_shell(arbitration)}: `caveat inbox` lists those that "
        "are open."
    )


def build_sentence(text: str) -> str:
    """Make one sentence of a message that may be of several lines."""
    return text.splitlines()[0].rstrip(".") + "."

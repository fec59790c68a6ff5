"""Succession: a worker that begins gives back what one that was killed on this machine was doing.

The server learns of a killed worker when its tasks have given no sign of life for five seconds, and
waits again before it gives them out anew. Whoever begins on the same machine knows it at once.
"""

import datetime as dt
import logging
import os
import platform
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.enums.v1 import PendingActivityState
from temporalio.api.failure.v1 import ApplicationFailureInfo, Failure
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.api.workflowservice.v1 import RespondActivityTaskFailedByIdRequest
from temporalio.client import Client
from temporalio.service import RPCError

from caveat.contracts.backend import Backend
from caveat.rendering.backends import in_words

_LOGGER = logging.getLogger(__name__)

_BEGAN = dt.datetime.now(dt.UTC)
"""When this process began, near enough: an attempt before it was never ours."""

_ELSEWHERE = frozenset({"ask_agent"})
"""Activities that somebody else completes, whatever becomes of the worker that began them."""

_AT_ONCE = dt.timedelta(milliseconds=1)
"""The wait before the next attempt; zero would stand for the policy's own."""


def identity(backend: Backend | None = None) -> str:
    """Name this process to the server, so that another one here can tell whether it lives.

    Args:
        backend: what works in it, for lists of workers; None where that matters to nobody.
    """
    who = f"{os.getpid()}@{_place()}"
    return who if backend is None else f"{who} {backend.id} {in_words(backend)}"


def backend_of(identity: str) -> tuple[str, str] | None:
    """Read which backend works in a process, its id and words; None where its name does not say."""
    _, named, rest = identity.partition(" ")
    name, _, words = rest.partition(" ")
    return (name, words) if named and name else None


async def give_back(client: Client, queue: str) -> int:
    """End the attempts of workers that are dead, so that they begin anew at once.

    Args:
        client: of the server.
        queue: where the runs were started.

    Returns:
        How many there were.
    """
    given = 0
    try:
        async for run, pending in _under_way(client, queue):
            if _is_left(pending):
                await _end(client, run, pending)
                given += 1
    except RPCError:  # the server finds out by itself, some seconds later
        _LOGGER.debug("What a killed worker left could not be given back.")
    if given:
        _LOGGER.info("%s tasks of a worker that was killed begin anew.", given)
    return given


def _place() -> str:
    """This machine as far as a process sees it: those of two containers may have one number."""
    try:
        space = Path("/proc/self/ns/pid").readlink()
    except OSError:
        space = Path(sys.platform)
    return f"{platform.node()}/{space}"


async def _under_way(
    client: Client, queue: str
) -> AsyncIterator[tuple[WorkflowExecution, PendingActivityInfo]]:
    running = f"ExecutionStatus = 'Running' AND TaskQueue = '{queue}'"
    async for each in client.list_workflows(running):
        handle = client.get_workflow_handle(each.id, run_id=each.run_id)
        described = (await handle.describe()).raw_description
        for pending in described.pending_activities:
            yield described.workflow_execution_info.execution, pending


def _is_left(pending: PendingActivityInfo) -> bool:
    """Whether an attempt was begun by a process of this machine that is no more.

    A last attempt is left to the server, which hands on what it had found.
    """
    number, _, place = pending.last_worker_identity.partition(" ")[0].partition("@")
    is_begun = pending.state == PendingActivityState.PENDING_ACTIVITY_STATE_STARTED
    is_last = 0 < pending.maximum_attempts <= pending.attempt
    is_ours = is_begun and place == _place() and number.isdecimal()
    if not is_ours or is_last or pending.activity_type.name in _ELSEWHERE:
        return False
    if int(number) == os.getpid():
        return pending.last_started_time.ToDatetime(tzinfo=dt.UTC) < _BEGAN
    return not _lives(int(number))


def _lives(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's
        return True
    try:  # killed, and nobody has taken note of it yet
        state = Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return True
    return state.rpartition(")")[2].split()[:1] != ["Z"]


async def _end(client: Client, run: WorkflowExecution, pending: PendingActivityInfo) -> None:
    lost = ApplicationFailureInfo(type="worker_lost")
    lost.next_retry_delay.FromTimedelta(_AT_ONCE)
    await client.workflow_service.respond_activity_task_failed_by_id(
        RespondActivityTaskFailedByIdRequest(
            namespace=client.namespace,
            workflow_id=run.workflow_id,
            run_id=run.run_id,
            activity_id=pending.activity_id,
            failure=Failure(message="Its worker was killed.", application_failure_info=lost),
            identity=identity(),
        )
    )

"""Runs of a scripted world on the real server: served, waited for, answered and read."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from temporalio.client import Client, WorkflowFailureError, WorkflowHandle
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from caveat.contracts.envelope import Failure, FailureCategory, FailureType
from caveat.contracts.outcome import NamedEnd, Outcome, Progress
from caveat.contracts.phase import Phase
from caveat.contracts.report import Report
from caveat.failures import PortFailure
from caveat.workers.wiring import build_registry
from caveat.workers.worker import serve_runs
from tests.fakes.ports import World, ports_of

Handle = WorkflowHandle[Any, Outcome]
Start = Callable[..., Awaitable[Handle]]
PROVIDER = "acme"
SHORT_S = 2
"""Seconds to rule where nobody does, so that no test waits for hours where no time is skipped; six
hours are tested where an arbitration stands alone."""

BOTH = {"ruling": "both", "reason": "They measure different things.", "decided_by": "Ada"}


@asynccontextmanager
async def serving(client: Client, world: World, queue: str) -> AsyncIterator[None]:
    async with serve_runs(client, build_registry(ports_of(world)), queue):
        yield


async def start_run(client: Client, queue: str, name: str | None = None, **request: Any) -> Handle:
    """Start a run, on alpha and beta where the request names no topic."""
    return await client.start_workflow(
        "Research",
        {"topic": "alpha and beta", **request},
        id=name or f"research-{queue}",
        task_queue=queue,
        result_type=Outcome,
    )


async def there(handle: WorkflowHandle[Any, Any]) -> None:
    while True:
        try:
            await handle.describe()
        except RPCError:
            await asyncio.sleep(0.05)
        else:
            return


async def report_of(handle: Handle) -> Report:
    return (await handle.result()).report


async def outcome_of(handle: Handle) -> Outcome | NamedEnd:
    try:
        return await handle.result()
    except WorkflowFailureError as error:
        if isinstance(error.cause, ApplicationError):
            return NamedEnd.model_validate(error.cause.details[0])
        raise


async def end_of(handle: Handle, name: str | None = None) -> NamedEnd:
    with pytest.raises(WorkflowFailureError) as caught:
        await handle.result()
    assert isinstance(caught.value.cause, ApplicationError)
    end = NamedEnd.model_validate(caught.value.cause.details[0])
    assert caught.value.cause.type == (name or end.ending)
    return end


def texts(world: World) -> dict[str, str | None]:
    return {address: snapshot.text for address, snapshot in world.kept.items()}


def fault(kind: FailureType, **changes: object) -> PortFailure:
    category = {
        FailureType.AUTH_ERROR: FailureCategory.PERMISSION,
        FailureType.NOT_FOUND: FailureCategory.BUSINESS,
        FailureType.PERMANENT: FailureCategory.BUSINESS,
    }.get(kind, FailureCategory.TRANSIENT)
    fields = {"category": category, "failure_type": kind, "message": f"It is {kind}.", **changes}
    return PortFailure(Failure.model_validate(fields))


def failing(
    world: World,
    work: str | Collection[str],
    error: Exception,
    until: Callable[[], bool] = lambda: False,
) -> None:
    """Let some work fail until a condition holds; it is named by its kind, or that and its key."""
    works = {work} if isinstance(work, str) else set(work)

    def faults(kind: str, key: str) -> None:
        if not works.isdisjoint({kind, f"{kind} {key}"}) and not until():
            raise error

    world.faults = faults


async def awaiting(handle: Handle) -> Progress:
    """Wait until a run asks people; after its clock leapt, the server has seen no poller yet."""
    while True:
        try:
            progress: Progress = await handle.query("progress", result_type=Progress)
        except RPCError as error:
            if error.status is not RPCStatusCode.FAILED_PRECONDITION:
                raise
        else:
            if progress.phase is Phase.AWAITING_RULINGS:
                return progress
        await asyncio.sleep(0.05)


async def rule(client: Client, handle: Handle, number: int, answer: dict[str, str]) -> None:
    arbitration = client.get_workflow_handle(f"{handle.id}/contradiction-{number}")
    await arbitration.execute_update("rule", answer)


@dataclass(frozen=True)
class Asking:
    """Starts runs that ask people, on a clock that goes on by itself alone, and answers them."""

    start: Start
    client: Client

    async def __call__(self, **request: Any) -> Handle:
        handle = await self.start(**request)
        await awaiting(handle)
        return handle

    async def rule(self, handle: Handle, number: int, answer: dict[str, str]) -> None:
        await rule(self.client, handle, number, answer)


class Heard:
    """Somebody at a terminal."""

    def __init__(self) -> None:
        self.remarks: list[str] = []

    def show(self, progress: Progress) -> None: ...

    def remark(self, sentence: str) -> None:
        self.remarks.append(sentence)

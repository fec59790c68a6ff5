"""No activity may return an empty result for an exception: whatever a port raises is told.

The activities are those that the workers have. Each is given a task that it can do, and then every
port that it uses breaks in turn; a new activity fails here until there is a task for it.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import fields, replace
from typing import Any, get_type_hints

import pytest
from temporalio import activity
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from caveat.contracts.envelope import (
    Failure,
    FailureCategory,
    FailureType,
    Status,
    SubagentResult,
    Usage,
)
from caveat.contracts.tasks import Audited, Task
from caveat.failures import PortFailure, forbidden, invalid, not_found, timed_out, unavailable
from caveat.workers.wiring import Ports, build_registry
from tests.fakes.ports import ports_of
from tests.fakes.tasks import FIELDS, a_full_world
from tests.fakes.worlds import a_world

Activity = Callable[[Any], Awaitable[Any]]


def task_for(method: Activity) -> Task:
    kind = get_type_hints(method)["task"]
    assert kind in FIELDS, f"describe a {kind.__name__} here that can be done"
    return kind(task_id="t1", description="Do it", **FIELDS[kind])  # type: ignore[no-any-return]  # a class found by name


class Breaking:
    """A port whose every call raises, and that knows whether it was called."""

    def __init__(self, port: object, error: Exception) -> None:
        self._port = port
        self._error = error
        self.called = False

    def __getattr__(self, name: str) -> object:
        real = getattr(self._port, name)
        if not inspect.iscoroutinefunction(real):
            return real

        async def broken(*_: object, **__: object) -> None:
            self.called = True
            raise self._error

        return broken


REGISTRY = build_registry(ports_of(a_world()))
NO_PORTS = {"teams", "backend", "outside_agents"}
PORTS = [port.name for port in fields(Ports) if port.name not in NO_PORTS]
NAMES = [
    str(activity._Definition.must_from_callable(method).name)
    for method in (*REGISTRY.reasoning, *REGISTRY.fetching, *REGISTRY.keeping)
]
ABSENT = {"ask_agent", "post_message", "remember"}
"""What a world has nobody for, a broker, and what does nothing any more."""
NAMES = [name for name in NAMES if name not in ABSENT]


def activity_of(name: str, ports: Ports) -> Activity:
    registry = build_registry(ports)
    return next(
        method
        for method in (*registry.reasoning, *registry.fetching, *registry.keeping)
        if activity._Definition.must_from_callable(method).name == name
    )


def broken(name: str, field: str, error: Exception) -> tuple[Activity, Breaking]:
    """An activity one of whose ports breaks, and that port."""
    whole = ports_of(a_full_world())
    breaking = Breaking(getattr(whole, field), error)
    changes: dict[str, Any] = {field: breaking}
    return activity_of(name, replace(whole, **changes)), breaking


async def done_by(method: Activity, task: Task) -> SubagentResult[Any]:
    envelope = await ActivityEnvironment().run(method, task)
    assert isinstance(envelope, SubagentResult)
    return envelope


async def require_told(method: Activity, task: Task, failure: Failure) -> None:
    """Require that an activity raises a failure by its type, in a typed envelope."""
    with pytest.raises(ApplicationError) as raised:
        await done_by(method, task)
    assert raised.value.type == failure.failure_type
    (envelope,) = raised.value.details
    assert isinstance(envelope, SubagentResult)
    assert (envelope.status, envelope.value) == (Status.FAILED, None)
    assert (envelope.task_id, envelope.failure) == (task.task_id, failure)


ERRORS: list[PortFailure] = [
    unavailable("It rests.", resource="x"),
    timed_out("It sleeps.", resource="x"),
    forbidden("It is locked.", resource="x"),
    invalid("It is nonsense.", resource="x"),
    not_found("It is gone.", resource="x"),
]
UNFORESEEN: list[Exception] = [
    KeyError("a secret"),
    OSError(5, "a secret"),
    StopAsyncIteration("a secret"),
    TimeoutError("a secret"),
    LookupError("a secret"),
]


USED: dict[tuple[str, str], bool] = {}
"""Whether an activity calls a port, found out once for all the ways in which that can fail."""


def unforeseen(error: Exception) -> Failure:
    return Failure(
        category=FailureCategory.UNKNOWN,
        failure_type=FailureType.PERMANENT,
        message=f"An unforeseen {type(error).__name__} stopped the task; the worker's log has it.",
    )


@pytest.mark.parametrize("error", [*ERRORS, *UNFORESEEN], ids=lambda error: repr(error)[:24])
@pytest.mark.parametrize("name", NAMES)
async def test_whatever_a_port_raises_is_told(name: str, error: Exception) -> None:
    expected = error.failure if isinstance(error, PortFailure) else unforeseen(error)
    uses = 0
    for field in PORTS:
        if (name, field) not in USED:
            USED[name, field] = await _uses(name, field)
        if not USED[name, field]:
            continue
        method, _ = broken(name, field, error)
        task = task_for(method)
        uses += 1
        if name == "audit" and expected.failure_type is FailureType.NOT_FOUND:
            # A snapshot that is gone is what an audit is there to find: its quotes are not used.
            audited = (await done_by(method, task)).result
            assert isinstance(audited, Audited)
            assert audited.report.verification is not None
            assert audited.report.verification.left_out
            continue
        await require_told(method, task, expected)
    assert uses, f"{name} uses no port"


async def _uses(name: str, field: str) -> bool:
    """Whether an activity calls a port at all in doing its task."""
    method, breaking = broken(name, field, RuntimeError())
    await asyncio.gather(done_by(method, task_for(method)), return_exceptions=True)
    return breaking.called


@pytest.mark.parametrize("name", NAMES)
async def test_with_whole_ports_every_task_here_is_done(name: str) -> None:
    method = activity_of(name, ports_of(a_full_world()))
    assert (await done_by(method, task_for(method))).status is Status.SUCCESS


@pytest.mark.parametrize("name", NAMES)
async def test_what_was_spent_in_vain_is_told(name: str) -> None:
    spent = Usage(model_calls=1, input_tokens=100, output_tokens=10, cost_usd=0.25)
    error = PortFailure(unavailable("It rests.", resource="x").failure, spent)
    for field in PORTS:
        if await _uses(name, field):
            method, _ = broken(name, field, error)
            with pytest.raises(ApplicationError) as raised:
                await done_by(method, task_for(method))
            assert raised.value.details[0].usage == spent

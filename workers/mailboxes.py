"""`ports.Messages` on Temporal itself: each message is an activity that no workflow started.

Its queue is the recipient's, its priority key the priority, its schedule-to-start timeout the time
for which it is of use, and its failure the dead letter.
"""

import asyncio
import datetime as dt
import json
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError
from temporalio import activity
from temporalio.api.workflowservice.v1 import DeleteActivityExecutionRequest
from temporalio.client import ActivityExecutionDescription, ActivityExecutionStatus, Client
from temporalio.common import ActivityIDReusePolicy, Priority, RetryPolicy
from temporalio.exceptions import (
    ActivityAlreadyStartedError,
    ApplicationError,
    ApplicationErrorCategory,
)
from temporalio.service import RPCError, RPCStatusCode
from temporalio.worker import Worker

from caveat.contracts.base import Contract
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.contracts.message import DeadLetter, Message, MessageKind
from caveat.failures import PortFailure, invalid, not_found, unavailable
from caveat.intake import Fate, Intake, NoMessage, now, renewed, sendable, unknown_agent
from caveat.ports import Handler
from caveat.rules.messages import ATTEMPTS, LADDER_S, MOST_WAITING, delay

MESSAGE = "caveat-message"
"""The type of the activity that is a message."""

DEAD = "dead"
"""The error type of what is not tried again."""

HEARTBEAT = dt.timedelta(seconds=10)
"""Silence after which a receiver counts as lost, and its message comes to another one."""

_BEAT_S = 2.0
"""Five in the heartbeat timeout."""

_TURN = dt.timedelta(seconds=0.2)
"""How long a message waits here that is nearly next, before it makes room for those before it."""

NO_TIME = dt.timedelta(0)

_LONGEST = dt.timedelta(seconds=4)
"""Between two attempts of a message at most, as on the ladder."""

_AT_ONCE = 16
"""Messages that are fetched at once. They are dealt with one by one, the most urgent first; the
others wait for their turn, which the server's order breaks a few times in a thousand."""


class _Past(Contract):
    """What a message's attempts so far were; its heartbeats carry it to the next one.

    Attributes:
        early: those that only found that its turn had not come.
    """

    early: int = 0


async def receiving(client: Client, queue: str, intake: Intake, handle: Handler) -> None:
    """Receive from a queue until cancelled."""
    receiver = _Receiver(intake, handle)
    worker = Worker(
        client,
        task_queue=queue,
        activities=[receiver.message],
        max_concurrent_activities=_AT_ONCE,
        graceful_shutdown_timeout=dt.timedelta(seconds=2),
        max_heartbeat_throttle_interval=dt.timedelta(seconds=_BEAT_S / 2),
        default_heartbeat_throttle_interval=dt.timedelta(seconds=_BEAT_S / 2),
    )
    async with worker:
        await asyncio.Event().wait()


@dataclass
class _Receiver:
    intake: Intake
    handle: Handler

    @activity.defn(name=MESSAGE)
    async def message(self, given: Any) -> None:
        """Deal with one message in its turn."""
        try:
            message = self.intake.read(json.dumps(given).encode())
        except NoMessage as why:
            raise _dead(str(why)) from None
        beating = asyncio.create_task(_beat())
        try:
            await self._in_turn(message)
        finally:
            beating.cancel()

    async def _in_turn(self, message: Message) -> None:
        ahead = self.intake.ahead(message)
        admission = await self.intake.admit(message, _TURN if ahead < _AT_ONCE else NO_TIME)
        match admission.verdict:
            case Fate.LATER:
                activity.heartbeat(_Past(early=_past().early + 1))
                raise ApplicationError(
                    "Its turn has not come.",
                    type="early",
                    # A message takes some 10 ms: no sooner than those before it can be done.
                    next_retry_delay=min(_TURN + ahead * dt.timedelta(milliseconds=10), _LONGEST),
                    category=ApplicationErrorCategory.BENIGN,
                )
            case Fate.DEAD:
                raise _dead(admission.reason)
            case Fate.TAKE:
                async with self.intake.alone(message):
                    if not self.intake.has_taken(message):
                        await self._take(message)
            case Fate.DUPLICATE:
                pass

    async def _take(self, message: Message) -> None:
        # An attempt that ended with its receiver is a failure too: one that was early says so.
        failures = activity.info().attempt - 1 - _past().early
        if failures >= ATTEMPTS:
            self.intake.pass_by(message)
            raise _dead(f"Its receiver ended {ATTEMPTS} times while it had it.")
        try:
            await self.handle(message)
        except asyncio.CancelledError:
            raise
        except PortFailure as failed:
            why, final = failed.failure.message, not failed.failure.retry_recommended
        except Exception as error:  # noqa: BLE001  # whatever it is, others wait behind it
            activity.logger.warning(
                "%s cannot deal with %s", self.intake.agent, message.id, exc_info=True
            )
            why, final = f"{type(error).__name__} in its receiver.", False
        else:
            self.intake.took(message)
            return
        wait = None if final else delay(failures + 1)
        if wait is None:
            self.intake.pass_by(message)
            times = "" if final else f"Tried {ATTEMPTS} times over {sum(LADDER_S):.0f} s. "
            raise _dead(f"{times}{why}")
        raise ApplicationError(why, type="failed", next_retry_delay=dt.timedelta(seconds=wait))


async def _beat() -> None:
    while True:
        activity.heartbeat(_past())
        await asyncio.sleep(_BEAT_S)


def _past() -> _Past:
    details = activity.info().heartbeat_details
    return _Past.model_validate(details[0]) if details else _Past()


def _dead(reason: str) -> ApplicationError:
    return ApplicationError(reason[:500], type=DEAD, non_retryable=True)


_MAILBOX = "caveat-mailbox"
"""The type of the activity that makes an agent known: it waits where nobody takes it, for as long
as the agent is to be known."""

_KNOWN_FOR = dt.timedelta(days=3650)

_SETTLED_S = 2.0
"""Seconds after which the server's count of activities knows of one that was started: on a busy
machine it is up to one late."""

_RECOUNT_S = 60.0
"""Seconds after which it is counted anew what others have sent meanwhile."""

RETRY = RetryPolicy(
    initial_interval=dt.timedelta(seconds=LADDER_S[0]),
    backoff_coefficient=2.0,
    maximum_interval=dt.timedelta(seconds=LADDER_S[-1]),
    maximum_attempts=0,
    non_retryable_error_types=[DEAD],
)
"""The ladder. Receivers count the failures themselves: waiting for one's turn is an attempt to
Temporal, and no failure."""


def queue_of(agent: str) -> str:
    """Name the queue of an agent."""
    return f"caveat-agent-{agent}"


@dataclass
class Mailboxes:
    """Carries messages over a Temporal server.

    Attributes:
        client: of the server; its converter must leave what is small in JSON.
        intake: makes the memory of a receiver.
        sign: signs what is sent anew.
        most: messages that wait for one agent at most.
    """

    client: Client
    intake: Callable[[str], Intake] = Intake
    sign: Callable[[Message], Message] = lambda message: message
    most: int = MOST_WAITING
    _known: set[str] = field(default_factory=set)
    _rooms: dict[str, "_Room"] = field(default_factory=dict)

    async def open(self, agent: str) -> None:
        """Start the activity that makes an agent known, once."""
        with _named(), _once():
            await self.client.start_activity(
                _MAILBOX,
                id=f"{_MAILBOX}-{agent}",
                task_queue=_MAILBOX,
                schedule_to_close_timeout=_KNOWN_FOR,
                summary=f"Messages wait for {agent}",
            )
        self._known.add(agent)

    async def send(self, message: Message) -> None:
        """Start an activity for each recipient; see `ports.Messages`."""
        if message.kind is MessageKind.EVENT and message.recipient is None:
            raise invalid(
                "Events that are for nobody in particular need RabbitMQ: set CAVEAT_MESSAGES.",
                resource=message.id,
            )
        if message.recipient is not None:
            await self._deliver(message, message.recipient)
            return
        agents = [agent async for agent in self._agents()]
        if not agents:
            raise unknown_agent(None)
        sent = await asyncio.gather(
            *(self._deliver(message, agent) for agent in agents), return_exceptions=True
        )
        for failed in sent:
            if isinstance(failed, BaseException):
                raise failed

    async def serve(self, agent: str, handle: Handler) -> None:
        """Poll an agent's queue until cancelled; see `ports.Messages`."""
        await self.open(agent)
        intake = self.intake(agent)
        try:
            await receiving(self.client, queue_of(agent), intake, handle)
        finally:
            intake.close()

    async def dead(self, agent: str | None = None) -> tuple[DeadLetter, ...]:
        """List the activities that failed or timed out."""
        with _named():
            letters = [letter async for letter, _ in self._dead(agent)]
        return tuple(sorted(letters, key=lambda each: (each.died or now(), each.id)))

    async def resend(self, letter: DeadLetter) -> Message:
        """Start it again under another id, and delete the one that failed."""
        with _named():
            async for each, found in self._dead(letter.agent):
                if each.id != letter.id or each.message is None:
                    continue
                again = self.sign(renewed(each.message))
                await self._deliver(again, each.agent)
                await self.client.workflow_service.delete_activity_execution(
                    DeleteActivityExecutionRequest(
                        namespace=self.client.namespace,
                        activity_id=found.activity_id,
                        run_id=found.activity_run_id or "",
                    )
                )
                return again
        raise not_found(
            f"There is no dead letter “{letter.id}” of {letter.agent} that is a message.",
            resource=letter.id,
        )

    async def close(self) -> None:
        """Do nothing: the client is whoever's who gave it."""

    async def _deliver(self, message: Message, agent: str) -> None:
        wire, left = sendable(message)
        with _named():
            await self._require_known(agent)
            room = self._rooms.setdefault(agent, _Room(self.client, agent, self.most))
            await room.take()
            with _once():
                await self.client.start_activity(
                    MESSAGE,
                    json.loads(wire),
                    id=_activity_id(message, agent),
                    task_queue=queue_of(agent),
                    schedule_to_start_timeout=left,
                    schedule_to_close_timeout=left + dt.timedelta(minutes=1),
                    heartbeat_timeout=HEARTBEAT,
                    retry_policy=RETRY,
                    id_reuse_policy=ActivityIDReusePolicy.REJECT_DUPLICATE,
                    priority=Priority(priority_key=message.priority.rank),
                    summary=f"{message.kind} from {message.sender}",
                )

    async def _require_known(self, agent: str) -> None:
        if agent in self._known:
            return
        try:
            await self.client.get_activity_handle(f"{_MAILBOX}-{agent}").describe()
        except RPCError as error:
            if error.status is not RPCStatusCode.NOT_FOUND:
                raise
            raise unknown_agent(agent) from None
        self._known.add(agent)

    async def _agents(self) -> AsyncIterator[str]:
        with _named():
            running = f"ActivityType = '{_MAILBOX}' AND ExecutionStatus = 'Running'"
            async for each in self.client.list_activities(running):
                yield each.activity_id.removeprefix(f"{_MAILBOX}-")

    async def _dead(
        self, agent: str | None
    ) -> AsyncIterator[tuple[DeadLetter, ActivityExecutionDescription]]:
        queue = "" if agent is None else f" AND TaskQueue = '{queue_of(agent)}'"
        failed = f"ActivityType = '{MESSAGE}' AND ExecutionStatus IN ('Failed', 'TimedOut'){queue}"
        async for each in self.client.list_activities(failed):
            handle = self.client.get_activity_handle(each.activity_id, run_id=each.activity_run_id)
            try:
                found = await handle.describe(include_input=True, include_outcome=True)
            except RPCError as gone:
                if gone.status is RPCStatusCode.NOT_FOUND:
                    continue
                raise
            yield await _letter(found), found


@dataclass
class _Room:
    """How many messages wait for an agent, as far as one sender can tell.

    The server's count is late, so that what was sent shortly before it or since is added, and
    counted again near the limit alone: whoever sends waits for its lateness there and nowhere
    else, since other messages wait behind. Several senders at once may pass the limit by what they
    send within two seconds.
    """

    client: Client
    agent: str
    most: int
    _counted: int = 0
    _at: float = -_RECOUNT_S
    _sent: deque[float] = field(default_factory=deque)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def take(self) -> None:
        async with self._lock:
            if time.monotonic() - self._at >= _RECOUNT_S:
                await self._count()
            if self._counted + len(self._sent) >= self.most:
                await asyncio.sleep(_SETTLED_S)  # until the server has counted what was sent last
                await self._count()
            if self._counted + len(self._sent) >= self.most:
                raise unavailable(
                    f"{self.most:,} messages wait for {self.agent} already: this one was not "
                    "accepted.",
                    resource=self.agent,
                )
            self._sent.append(time.monotonic())

    async def _count(self) -> None:
        running = f"TaskQueue = '{queue_of(self.agent)}' AND ExecutionStatus = 'Running'"
        self._at = time.monotonic()
        self._counted = (await self.client.count_activities(running)).count
        while self._sent and self._sent[0] <= self._at - _SETTLED_S:
            self._sent.popleft()


def _activity_id(message: Message, agent: str) -> str:
    to = f"@{agent}" if message.recipient is None else ""
    again = f"#{message.resent}" if message.resent else ""
    return f"{message.id}{to}{again}"


@contextmanager
def _once() -> Iterator[None]:
    """Take what is there already for what was to be started: that is what an id is for."""
    with suppress(ActivityAlreadyStartedError):
        yield


@contextmanager
def _named() -> Iterator[None]:
    """Name what goes wrong with the server."""
    try:
        yield
    except RPCError as error:
        raise _failure(error) from None


def _failure(error: RPCError) -> PortFailure:
    if error.status is RPCStatusCode.UNIMPLEMENTED:
        return PortFailure(
            Failure(
                category=FailureCategory.BUSINESS,
                failure_type=FailureType.PERMANENT,
                message="This Temporal server is too old to carry messages (1.31 is the first that "
                "can): upgrade it, or set CAVEAT_MESSAGES to a RabbitMQ.",
                provider="temporal",
            )
        )
    if error.status in {RPCStatusCode.PERMISSION_DENIED, RPCStatusCode.UNAUTHENTICATED}:
        return PortFailure(
            Failure(
                category=FailureCategory.PERMISSION,
                failure_type=FailureType.AUTH_ERROR,
                message="The Temporal server refuses to carry messages for these credentials.",
                provider="temporal",
            )
        )
    return unavailable("The Temporal server did not take the message.", resource="temporal")


async def _letter(found: ActivityExecutionDescription) -> DeadLetter:
    given: list[Any] = await found.input() or [None]
    try:
        message = Message.model_validate(given[0])
    except ValidationError:
        message = None
    return DeadLetter(
        id=message.id if message else found.activity_id,
        agent=found.task_queue.removeprefix(queue_of("")),
        reason=await _reason(found),
        died=found.close_time,
        message=message,
        raw="" if message else json.dumps(given[0])[:500],
    )


async def _reason(found: ActivityExecutionDescription) -> str:
    if found.status is ActivityExecutionStatus.TIMED_OUT:
        return "Nobody took it before it expired."
    failure = await found.outcome_failure()
    return str(getattr(failure, "message", None) or failure or "Its receiver gave it up.")

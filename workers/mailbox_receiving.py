"""Receiving from a mailbox on Temporal: a worker whose only activity is `message`."""

import asyncio
import datetime as dt
import json
from dataclasses import dataclass
from typing import Any

from temporalio import activity
from temporalio.client import Client
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory
from temporalio.worker import Worker

from caveat.contracts.base import Contract
from caveat.contracts.message import Message
from caveat.failures import PortFailure
from caveat.intake import Fate, Intake, NoMessage
from caveat.ports import Handler
from caveat.rules.messages import ATTEMPTS, LADDER_S, delay

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

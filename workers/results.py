"""Results of activities, kept before the server has them: a finished piece of work is done once.

A worker that is killed, or a server that is away, between the end of an activity and the moment
when the server has its result would have the work done and paid for again.
"""

import asyncio
import hashlib
import logging
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError
from temporalio import activity
from temporalio.api.common.v1 import Payloads
from temporalio.converter import DataConverter
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from caveat.contracts.failure import FailureType
from caveat.failures import PortFailure
from caveat.ports import Blobs

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True)
class KeptResults(Interceptor):
    """Keeps what activities return, and gives it to whoever is to do the same once more."""

    # A place that cannot be written or read costs the work and not its result: both are logged.

    blobs: Blobs  # where, beside the answers of models and for as long
    # of the server's client, so that what it encrypts is encrypted here too
    converter: DataConverter

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:  # noqa: A002  # the SDK's name
        """Stand before an activity."""
        return _Keeping(next, self)

    async def recall(self, name: str) -> list[Any]:
        """Return a result in a list; an empty one where there is none."""
        try:
            kept = await asyncio.to_thread(self.blobs.get, name)
            return await self.converter.decode(Payloads.FromString(kept).payloads)
        except PortFailure as error:
            if error.failure.failure_type is not FailureType.NOT_FOUND:
                _LOGGER.warning("A kept result cannot be read (%s); its work is done again", error)
        except (DecodeError, RuntimeError, ValueError) as error:  # its own text may hold the result
            kind = type(error).__name__
            _LOGGER.warning("A kept result cannot be read (%s); its work is done again", kind)
        return []

    async def keep(self, name: str, result: Any) -> None:
        """Keep a result; on this machine without waiting for a thread's turn or for the disk."""
        payloads = Payloads(payloads=await self.converter.encode([result]))
        content = payloads.SerializeToString()
        try:
            if self.blobs.near:
                self.blobs.put(name, content, lasting=False)
            else:
                await asyncio.to_thread(self.blobs.put, name, content, lasting=False)
        except PortFailure as error:
            _LOGGER.warning("A result cannot be kept (%s)", error)


class _Keeping(ActivityInboundInterceptor):
    def __init__(self, next: ActivityInboundInterceptor, results: KeptResults) -> None:  # noqa: A002  # the SDK's name
        super().__init__(next)
        self._results = results

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # noqa: A002  # the SDK's name
        name = _name()
        # Of a first attempt there is nothing: its task was never given out before.
        if activity.info().attempt > 1:
            for kept in await self._results.recall(name):
                return kept
        result = await super().execute_activity(input)
        await self._results.keep(name, result)
        return result


def _name() -> str:
    """Name a task as the server does: once in a run of a workflow, whatever attempt it is."""
    info = activity.info()
    task = f"{info.namespace}\n{info.workflow_run_id or info.activity_run_id}\n{info.activity_id}"
    digest = hashlib.sha256(task.encode()).hexdigest()
    return f"{digest[:2]}/{digest}.result"

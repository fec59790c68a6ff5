"""Message batches: calls that are answered within a day, at half the price.

What was put into which batch is noted beside the kept answers, before it is sent and after: whoever
goes on for a worker that was killed in between looks for the batch that it may have made.
"""

import asyncio
import datetime as dt
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from anthropic import AsyncAnthropic
from anthropic.types import Message
from anthropic.types.messages import MessageBatch, MessageBatchIndividualResponse
from pydantic import ValidationError

from caveat.adapters.claude.messages import problems
from caveat.adapters.claude.messages.answers import KeptAnswer, KeptAnswers
from caveat.adapters.claude.messages.connection import Call, ModelConnection
from caveat.adapters.claude.messages.failures import (
    classify_error_type,
    list_call_errors,
    translate_error,
)
from caveat.adapters.claude.messages.problems import ProblemKind, Purpose
from caveat.contracts.base import Contract
from caveat.contracts.failure import FailureType
from caveat.failures import InBatch, PortFailure
from caveat.ports import Blobs

GATHERED_S = 1.0  # seconds that calls are gathered for, since those of a fan-out come at once

POLLED_S = (5.0, 60.0)
"""Seconds between two looks at a batch, at first and at most: most take minutes, some a day."""

_PRICE = 0.5  # of a batch, as a part of that of calls
_SKEW = dt.timedelta(minutes=2)  # that clocks may differ by

_LISTED = 100
"""Batches that are looked through for one that may have been made: as many as a page has."""


_KNOWN, _OVER = b"known", b"over"


class _Entry(Contract):
    """What is known of a call that was put into a batch."""

    batch: str = ""  # the batch; empty while nobody knows whether it was made
    begun: dt.datetime
    size: int
    # why there is no answer, by the phrase of its kind; empty where there may be one
    problem: str = ""


@dataclass
class _Gathered:
    """Calls that will go into one batch, by address, and how that ends."""

    requests: dict[str, dict[str, Any]]
    sent: "asyncio.Task[str]"


@dataclass
class Batches:
    """Puts calls into batches, and fetches what is answered."""

    connection: ModelConnection
    answers: KeptAnswers  # where answers are kept, for whoever asks again
    blobs: Blobs  # where is noted what is in which batch
    _gathered: _Gathered | None = None

    async def put(self, call: Call, purpose: Purpose, address: str) -> None:
        """Put a call into a batch, unless it is in one."""
        parameters = await self.connection.build_request(call, purpose)
        entry = await self._read_entry(address)
        async with self._open_client(purpose) as client:
            if entry is not None and not entry.batch:
                entry = await self._find_batch(client, entry)
                if entry is not None:
                    await self._note(address, entry)
            if (
                entry is not None
                and not entry.problem
                and await self._read_state(entry.batch) == _OVER
            ):
                entry = None  # the answer was not in it, or was of no use
            if entry is None:
                raise InBatch(await self._gather(client, address, parameters))
        if not entry.problem:
            raise InBatch(entry.batch)
        await asyncio.to_thread(self._forget, address)  # asked again, it is sent again
        raise purpose.build_failure(_KINDS.get(entry.problem, problems.UNFORESEEN))

    async def fetch(self, batch: str) -> int:
        """Wait until a batch has ended, and keep its answers; return how many there are."""
        wait_s, most_s = POLLED_S
        async with self._open_client(_build_purpose(batch)) as client:
            while (await client.messages.batches.retrieve(batch)).processing_status != "ended":
                await asyncio.sleep(wait_s)
                wait_s = min(1.5 * wait_s, most_s)
            number = 0
            async for result in await client.messages.batches.results(batch):
                number += await self._keep(result)
        await self._put(batch, _OVER)
        return number

    async def cancel(self, batch: str) -> None:
        """Have what is not answered of a batch left undone."""
        async with self._open_client(_build_purpose(batch)) as client:
            await client.messages.batches.cancel(batch)

    @asynccontextmanager
    async def _open_client(self, purpose: Purpose) -> AsyncIterator[AsyncAnthropic]:
        secret = await self.connection.keys.get_secret()
        try:
            yield self.connection.client.with_options(**secret.options)
        except list_call_errors() as error:
            failed = translate_error(error, purpose)
            if failed.failure.failure_type is FailureType.AUTH_ERROR:
                self.connection.refused.note(secret)
            raise failed from None

    async def _gather(
        self, client: AsyncAnthropic, address: str, parameters: dict[str, Any]
    ) -> str:
        """Send a call with all that come within a moment; return their batch."""
        if self._gathered is None:
            requests: dict[str, dict[str, Any]] = {}
            self._gathered = _Gathered(requests, asyncio.create_task(self._send(client, requests)))
        gathered = self._gathered
        gathered.requests[address] = parameters
        return await asyncio.shield(gathered.sent)

    async def _send(self, client: AsyncAnthropic, requests: dict[str, dict[str, Any]]) -> str:
        await asyncio.sleep(GATHERED_S)
        self._gathered = None  # who comes now goes with the next one
        entry = _Entry(begun=dt.datetime.now(dt.UTC), size=len(requests))
        for address in requests:
            await self._note(address, entry)
        batch = await client.messages.batches.create(
            requests=[
                {"custom_id": address, "params": parameters}  # type: ignore[typeddict-item]  # built as a mapping
                for address, parameters in requests.items()
            ]
        )
        for address in requests:
            await self._note(address, entry.model_copy(update={"batch": batch.id}))
        return batch.id

    async def _find_batch(self, client: AsyncAnthropic, entry: _Entry) -> _Entry | None:
        """Find the batch that a call was sent with, where its maker did not live to note it."""
        page = await client.messages.batches.list(limit=_LISTED)
        for batch in sorted(page.data, key=lambda each: each.created_at):
            if batch.created_at < entry.begun - _SKEW or _count_requests(batch) != entry.size:
                continue
            if await self._read_state(batch.id) is None:
                return entry.model_copy(update={"batch": batch.id})
        return None

    async def _keep(self, result: MessageBatchIndividualResponse) -> bool:
        """Keep what became of one call; return whether it is an answer."""
        address, outcome = result.custom_id, result.result
        problem: ProblemKind | None
        match outcome.type:
            case "succeeded":
                problem = await self._keep_answer(address, outcome.message)
            case "errored":
                problem = classify_error_type(outcome.error.error.type)
            case "expired":
                problem = problems.TOOK_TOO_LONG
            case _:
                problem = problems.CANCELLED
        if problem is not None:
            entry = await self._read_entry(address)
            if entry is not None:
                await self._note(address, entry.model_copy(update={"problem": problem.phrase}))
        return problem is None

    async def _keep_answer(self, address: str, message: Message) -> ProblemKind | None:
        if await self.answers.recall(address) is not None:
            return None
        reply = self.connection.read_reply(message)
        if isinstance(reply, ProblemKind):
            return reply
        cost = reply.usage.cost_usd
        half = None if cost is None else _PRICE * cost
        usage = reply.usage.model_copy(update={"cost_usd": half})
        kept = KeptAnswer(text=reply.text, truncated=reply.truncated, unbooked=usage)
        await self.answers.keep(address, kept)
        return None

    async def _read_entry(self, address: str) -> _Entry | None:
        return await asyncio.to_thread(self._read, address)

    def _read(self, address: str) -> _Entry | None:
        try:
            return _Entry.model_validate_json(self.blobs.get(_name(address)))
        except (PortFailure, ValidationError):
            return None

    async def _note(self, address: str, entry: _Entry) -> None:
        await self._put(address, entry.model_dump_json().encode())
        if entry.batch and await self._read_state(entry.batch) is None:
            await self._put(entry.batch, _KNOWN)

    async def _put(self, key: str, content: bytes) -> None:
        await asyncio.to_thread(self.blobs.put, _name(key), content)

    async def _read_state(self, batch: str) -> bytes | None:
        """What is known of a batch: that it was made, or that its answers are kept."""
        try:
            return await asyncio.to_thread(self.blobs.get, _name(batch))
        except PortFailure as error:
            if error.failure.failure_type is FailureType.NOT_FOUND:
                return None
            raise

    def _forget(self, address: str) -> None:
        self.blobs.remove(_name(address))


_KINDS = {kind.phrase: kind for kind in vars(problems).values() if isinstance(kind, ProblemKind)}
"""By what is noted of them."""


def _build_purpose(batch: str) -> Purpose:
    return Purpose("batch", "the models", batch)


def _name(key: str) -> str:
    return f"batches/{key}.json"


def _count_requests(batch: MessageBatch) -> int:
    counts = batch.request_counts
    return counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired

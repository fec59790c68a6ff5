"""Payloads, encrypted one by one, and whether a worker has the keys of what it serves."""

import asyncio
import base64
import logging
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from temporalio.api.common.v1 import Payload, WorkflowExecution
from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.api.workflowservice.v1 import GetWorkflowExecutionHistoryReverseRequest
from temporalio.client import Client, WorkflowHistory
from temporalio.converter import DataConverter, PayloadCodec
from temporalio.service import RPCError, RPCStatusCode

from caveat.workers.keys import ENCRYPTS, Damaged, Keyring, MissingKey
from caveat.workflows.names import ARBITRATION, GOES_ON, RESEARCH

_LOGGER = logging.getLogger(__name__)

LOST = b"caveat/lost"
"""The encoding of what stands for a payload that cannot be had; its data is the reason."""

_ENCODING = b"binary/encrypted"
"""As Temporal's own examples name it, for whoever looks at a history."""

_CIPHER = "encryption-cipher"

_KEY_ID = "encryption-key-id"  # what a payload's metadata calls the id of its key

_ABOUT = b"temporal payload"
"""What the keys are used for here: a ciphertext of another use is none of these."""


class KeyedCodec(PayloadCodec):
    """Encrypts with a keyring's first key, and decrypts with any; passes on what is not encrypted.

    Without keys it encrypts nothing, and says of what is encrypted which key it lacks.
    """

    def __init__(self, keys: Keyring) -> None:
        self.keys = keys

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Encrypt each payload, its metadata included."""
        return [self._sealed(each) if self.keys.encrypts else each for each in payloads]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Decrypt what is encrypted; what was tampered with becomes the reason why it is none."""
        return [self._opened(each) for each in payloads]

    def _sealed(self, payload: Payload) -> Payload:
        plain = payload.SerializeToString(deterministic=True)
        if not plain or key_of(payload) is not None:
            return payload
        key, sealed = self.keys.seal(plain, _ABOUT)
        return Payload(
            metadata={"encoding": _ENCODING, _CIPHER: ENCRYPTS.encode(), _KEY_ID: key.encode()},
            data=sealed,
        )

    def _opened(self, payload: Payload) -> Payload:
        key = key_of(payload)
        if key is None:
            return payload
        try:
            return Payload.FromString(self.keys.open(key, payload.data, _ABOUT))
        except MissingKey as missing:
            # The SDK's own words for what comes of this do not say which key it is.
            _LOGGER.warning("%s", missing)
            raise
        except Damaged:
            reason = f"A value that was encrypted with the key {key[:64]!r} is damaged."
            return Payload(metadata={"encoding": LOST}, data=reason.encode())


def key_of(payload: Payload) -> str | None:
    """Return the id of the key that a payload is encrypted with; None where it is not."""
    # What only calls itself encrypted, or was by somebody else's codec, has no key of ours that one
    # could wait for: it is passed on and refused like any other value of an unknown encoding.
    metadata = payload.metadata
    if metadata.get("encoding") != _ENCODING or metadata.get(_CIPHER) != ENCRYPTS.encode():
        return None
    return metadata.get(_KEY_ID, b"").decode(errors="replace") or None


def keys_of(converter: DataConverter) -> Keyring:
    """Return the keys that a converter encrypts with; none at all of a converter that does not."""
    codec = converter.payload_codec
    return codec.keys if isinstance(codec, KeyedCodec) else Keyring()


def key_ids(history: WorkflowHistory) -> Iterator[str]:
    """Yield the id of each key that something in a history is encrypted with."""
    # To take all of it apart costs 1 ms an event, and most histories name no key.
    named = [each for each in history.events if _KEY_ID.encode() in each.SerializeToString()]
    return _key_ids(WorkflowHistory(history.workflow_id, named).to_json_dict())


def _key_ids(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(found := part.get(_KEY_ID), str):
            yield base64.b64decode(found).decode(errors="replace")
        part = list(part.values())
    if isinstance(part, list):
        for each in part:
            yield from _key_ids(each)


_OPEN = f"(WorkflowType = '{RESEARCH}' OR WorkflowType = '{ARBITRATION}') AND {GOES_ON}"

_LOOKED_AT = 1_000  # open runs that are looked at, the most that the server gives in one answer
_AT_ONCE = 16  # histories that are asked for together: one takes some milliseconds

_LAST = 20
"""Events at the end of each open run: what its workers encrypt with now is in some of them."""

_BY_CLIENTS = frozenset(
    {
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED,
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED,
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ADMITTED,
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED,
    }
)
"""Events with what clients said: whoever may signal a run must not stop its workers with a key that
nobody has."""


async def require_keys(client: Client, queue: str) -> None:
    """Refuse to serve where open runs are encrypted with keys that are not here."""
    # Taking up their tasks all the same would let a run stand still, and spend attempts of its
    # subagents that other workers could carry out. Looked at are what a run was started with and
    # what its workers did last, which a key that came later encrypts.
    keys = keys_of(client.data_converter)
    query = f"{_OPEN} AND TaskQueue = '{queue}'"
    runs = []
    async for execution in client.list_workflows(query, limit=_LOOKED_AT):
        named = (key_of(payload) for payload in execution.raw_info.memo.fields.values())
        _require(keys, (key for key in named if key is not None), execution.id)
        runs.append(execution.raw_info.execution)
    for begin in range(0, len(runs), _AT_ONCE):
        looked_at = runs[begin : begin + _AT_ONCE]
        found = await asyncio.gather(*(last_events(client, each, _LAST) for each in looked_at))
        for run, events in zip(looked_at, found, strict=True):
            by_workers = [each for each in events if each.event_type not in _BY_CLIENTS]
            _require(keys, key_ids(WorkflowHistory(run.workflow_id, by_workers)), run.workflow_id)


def _require(keys: Keyring, named: Iterable[str], run_id: str) -> None:
    for key in named:
        if not keys.has(key):
            raise MissingKey(key, keys.file, run_id)


async def last_events(client: Client, run: WorkflowExecution, most: int) -> Sequence[HistoryEvent]:
    """Return the last events of a run, the newest first; none of one that is gone."""
    asked = GetWorkflowExecutionHistoryReverseRequest(
        namespace=client.namespace, execution=run, maximum_page_size=most
    )
    try:
        answer = await client.workflow_service.get_workflow_execution_history_reverse(asked)
    except RPCError as gone:
        if gone.status != RPCStatusCode.NOT_FOUND:
            raise
        return ()  # deleted since it was listed
    return answer.history.events


class _Attentive(KeyedCodec):
    """Says which key turned out to be missing."""

    def __init__(self, keys: Keyring) -> None:
        super().__init__(keys)
        self.missing: asyncio.Future[MissingKey] = asyncio.get_running_loop().create_future()

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        try:
            return await super().decode(payloads)
        except MissingKey as missing:
            if not self.missing.done():
                self.missing.set_result(missing)
            raise


@asynccontextmanager
async def unlocking(client: Client) -> AsyncIterator[Client]:
    """Give a client for workers of activities, and end what is inside where one lacks a key."""
    # What an activity is given was encrypted by a worker that decides, so that a key that is
    # missing here is one that the others have: going on would spend an attempt of every task.
    codec = _Attentive(keys_of(client.data_converter))
    config = client.config()
    config["data_converter"] = replace(client.data_converter, payload_codec=codec)
    inside = asyncio.current_task()

    def end(_: asyncio.Future[MissingKey]) -> None:
        if inside is not None:  # as in every coroutine
            inside.cancel()

    codec.missing.add_done_callback(end)
    try:
        yield Client(**config)
    except asyncio.CancelledError:
        if not codec.missing.done() or inside is None or inside.uncancel():
            raise  # somebody else wants the end as well
        raise codec.missing.result() from None
    finally:
        codec.missing.remove_done_callback(end)

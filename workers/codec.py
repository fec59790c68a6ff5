"""Payloads, encrypted one by one, and whether a worker has the keys of what it serves."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from temporalio.api.common.v1 import Payload, WorkflowExecution
from temporalio.api.history.v1 import HistoryEvent
from temporalio.api.workflowservice.v1 import GetWorkflowExecutionHistoryReverseRequest
from temporalio.client import Client
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
        return [self._seal(each) if self.keys.encrypts else each for each in payloads]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Decrypt what is encrypted; what was tampered with becomes the reason why it is none."""
        return [self._open(each) for each in payloads]

    def _seal(self, payload: Payload) -> Payload:
        plain = payload.SerializeToString(deterministic=True)
        if not plain or find_key_id(payload) is not None:
            return payload
        key, sealed = self.keys.seal(plain, _ABOUT)
        return Payload(
            metadata={"encoding": _ENCODING, _CIPHER: ENCRYPTS.encode(), _KEY_ID: key.encode()},
            data=sealed,
        )

    def _open(self, payload: Payload) -> Payload:
        key = find_key_id(payload)
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


def find_key_id(payload: Payload) -> str | None:
    """Return the id of the key that a payload is encrypted with; None where it is not."""
    # What only calls itself encrypted, or was by somebody else's codec, has no key of ours that one
    # could wait for: it is passed on and refused like any other value of an unknown encoding.
    metadata = payload.metadata
    if metadata.get("encoding") != _ENCODING or metadata.get(_CIPHER) != ENCRYPTS.encode():
        return None
    return metadata.get(_KEY_ID, b"").decode(errors="replace") or None


def get_keyring(converter: DataConverter) -> Keyring:
    """Return the keys that a converter encrypts with; none at all of a converter that does not."""
    codec = converter.payload_codec
    return codec.keys if isinstance(codec, KeyedCodec) else Keyring()


_LOOKED_AT = 1_000  # open runs that are looked at, the most that the server gives in one answer


async def require_keys(client: Client, queue: str) -> None:
    """Refuse to serve where open runs were started with keys that are not here."""
    # Taking up their tasks all the same would let a run stand still. A key that came later stops
    # the worker that is given what it encrypts.
    keys = get_keyring(client.data_converter)
    kinds = f"(WorkflowType = '{RESEARCH}' OR WorkflowType = '{ARBITRATION}')"
    query = f"{kinds} AND {GOES_ON} AND TaskQueue = '{queue}'"
    async for execution in client.list_workflows(query, limit=_LOOKED_AT):
        for payload in execution.raw_info.memo.fields.values():
            key = find_key_id(payload)
            if key is not None and not keys.has(key):
                raise MissingKey(key, keys.file, execution.id)


async def fetch_last_events(
    client: Client, run: WorkflowExecution, most: int
) -> Sequence[HistoryEvent]:
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


class AttentiveCodec(KeyedCodec):
    """Says which key turned out to be missing."""

    def __init__(self, keys: Keyring) -> None:
        super().__init__(keys)
        self.missing: asyncio.Future[MissingKey] = asyncio.get_running_loop().create_future()

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Decrypt, and keep the first key that is missing."""
        try:
            return await super().decode(payloads)
        except MissingKey as missing:
            if not self.missing.done():
                self.missing.set_result(missing)
            raise


@asynccontextmanager
async def watch_keys(client: Client) -> AsyncIterator[Client]:
    """Give a client for workers of activities, and end what is inside where one lacks a key."""
    # What an activity is given was encrypted by a worker that decides, so that a key that is
    # missing here is one that the others have: going on would spend an attempt of every task.
    codec = AttentiveCodec(get_keyring(client.data_converter))
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

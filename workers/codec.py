"""Payloads, encrypted one by one, and whether a worker has the key of what it serves."""

import logging
from collections.abc import Sequence

from temporalio.api.common.v1 import Payload
from temporalio.client import Client
from temporalio.converter import PayloadCodec

from caveat.workers.keys import ALGORITHM, DamagedError, EncryptionKey, MissingKey
from caveat.workflows.names import ARBITRATION, GOES_ON, RESEARCH

_LOGGER = logging.getLogger(__name__)

LOST = b"caveat/lost"
"""The encoding of what stands for a payload that cannot be had; its data is the reason."""

_ENCODING = b"binary/encrypted"  # As Temporal's own examples name it in histories

_CIPHER = "encryption-cipher"

_KEY_ID = "encryption-key-id"  # what a payload's metadata calls the id of its key

_ABOUT = b"temporal payload"
"""What the key is used for here: a ciphertext of another use is none of these."""


class KeyedCodec(PayloadCodec):
    """Encrypts with the key, and decrypts; passes on what is not encrypted.

    Without a key it encrypts nothing, and says which key it lacks for what is encrypted.
    """

    def __init__(self, key: EncryptionKey | None) -> None:
        self.key = key

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return [_seal(payload, self.key) if self.key else payload for payload in payloads]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Decrypt what is encrypted; a payload that was tampered with becomes the reason."""
        return [self._open(payload) for payload in payloads]

    def _open(self, payload: Payload) -> Payload:
        key_id = find_key_id(payload)
        if key_id is None:
            return payload
        if self.key is None or self.key.id != key_id:
            missing = MissingKey(key_id)
            # The SDK's own words for what comes of this do not say which key it is.
            _LOGGER.warning("%s", missing)
            raise missing
        try:
            return Payload.FromString(self.key.open(payload.data, _ABOUT))
        except DamagedError:
            reason = f"A value that was encrypted with the key {key_id!r} is damaged."
            return Payload(metadata={"encoding": LOST}, data=reason.encode())


def _seal(payload: Payload, key: EncryptionKey) -> Payload:
    plain = payload.SerializeToString(deterministic=True)
    if not plain or find_key_id(payload) is not None:
        return payload
    return Payload(
        metadata={"encoding": _ENCODING, _CIPHER: ALGORITHM.encode(), _KEY_ID: key.id.encode()},
        data=key.seal(plain, _ABOUT),
    )


def find_key_id(payload: Payload) -> str | None:
    """Return the id of the key that a payload is encrypted with; None where it is not."""
    # What only calls itself encrypted, or was by somebody else's codec, has no key of ours that one
    # could wait for: it is passed on and refused like any other value of an unknown encoding.
    metadata = payload.metadata
    if metadata.get("encoding") != _ENCODING or metadata.get(_CIPHER) != ALGORITHM.encode():
        return None
    return metadata.get(_KEY_ID, b"").decode(errors="replace") or None


_LOOKED_AT = 1_000  # open runs that are looked at, the most that the server gives in one answer


async def require_key(client: Client, queue: str) -> None:
    """Refuse to serve where an open run was started with a key that is not here."""
    # Taking up its tasks all the same would let it stand still.
    codec = client.data_converter.payload_codec
    known = codec.key.id if isinstance(codec, KeyedCodec) and codec.key else None
    kinds = f"(WorkflowType = '{RESEARCH}' OR WorkflowType = '{ARBITRATION}')"
    query = f"{kinds} AND {GOES_ON} AND TaskQueue = '{queue}'"
    async for execution in client.list_workflows(query, limit=_LOOKED_AT):
        for payload in execution.raw_info.memo.fields.values():
            key_id = find_key_id(payload)
            if key_id not in (None, known):
                raise MissingKey(str(key_id), execution.id)

"""What the server keeps without being able to read it: payloads, encrypted one by one."""

import base64
import logging
from collections.abc import Iterator, Sequence
from typing import Any

from temporalio.api.common.v1 import Payload
from temporalio.client import WorkflowHistory
from temporalio.converter import DataConverter, PayloadCodec

from caveat.workers.keys import ENCRYPTS, Damaged, Keyring, MissingKey

_LOGGER = logging.getLogger(__name__)

LOST = b"caveat/lost"
"""The encoding of what stands for a payload that cannot be had; its data is the reason."""

_ENCODING = b"binary/encrypted"
"""As Temporal's own examples name it, for whoever looks at a history."""

_CIPHER = "encryption-cipher"

_KEY_ID = "encryption-key-id"
"""What a payload's metadata calls the id of its key."""

_ABOUT = b"temporal payload"
"""What the keys are used for here: a ciphertext of another use is none of these."""


class KeyedCodec(PayloadCodec):
    """Encrypts with a keyring's first key, and decrypts with any; passes on what is not encrypted.

    Without keys it encrypts nothing, and says of what is encrypted which key it lacks.

    Args:
        keys: of this process.
    """

    def __init__(self, keys: Keyring) -> None:
        self.keys = keys

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Encrypt each payload, its metadata included."""
        return [self._sealed(each) if self.keys.encrypts else each for each in payloads]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """Decrypt what is encrypted; what was tampered with becomes the reason why it is none.

        Raises:
            MissingKey: its key is not here. Nothing is lost: whoever has the key can go on.
        """
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
    """Return the id of the key that a payload is encrypted with; None where it is not.

    What only calls itself encrypted, or was by somebody else's codec, has no key of ours that one
    could wait for: it is passed on and refused like any other value of an unknown encoding.
    """
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
    return _key_ids(history.to_json_dict())


def _key_ids(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(found := part.get(_KEY_ID), str):
            yield base64.b64decode(found).decode(errors="replace")
        part = list(part.values())
    if isinstance(part, list):
        for each in part:
            yield from _key_ids(each)

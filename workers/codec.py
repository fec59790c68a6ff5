"""Encryption of all that the server keeps: the key, payloads one by one, and whose key is missing.

AES-SIV (RFC 5297): its ciphertext depends on nothing but key and plaintext, so that a replay which
stores a payload again stores the same.
"""

import base64
import binascii
import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from temporalio.api.common.v1 import Payload
from temporalio.client import Client
from temporalio.converter import PayloadCodec

from caveat.atomic import read_secret_file
from caveat.problem import ExitCode, Problem
from caveat.workers.settings import Settings, SettingsProblem, require_package
from caveat.workflows.names import ARBITRATION, GOES_ON, RESEARCH

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV

_LOGGER = logging.getLogger(__name__)

ALGORITHM = "AEAD_AES_SIV_CMAC_512"  # IANA's name

_BYTES = 64  # two keys of AES-256, one for the tag and one for the text

_ABOUT = b"temporal payload"
"""What the key is used for here: a ciphertext of another use is none of these."""

_VARIABLE = "CAVEAT_ENCRYPTION_KEY"
_REMEDY = "`openssl rand -base64 64 | tr -d '\\n'` makes one."


class MissingKey(Problem):
    exit_code: ClassVar[ExitCode] = ExitCode.WRONG_INPUT

    def __init__(self, key: str, run_id: str | None = None) -> None:
        self.key = key[:64]
        what, without = "What is on the server", ""
        if run_id is not None:
            ends = f"`temporal workflow terminate --workflow-id {run_id}` ends that run"
            what, without = f"The open run {run_id}", f" Without it, {ends}."
        super().__init__(
            f"{what} is encrypted with the key {self.key!r}: set {_VARIABLE} or {_VARIABLE}_FILE "
            f"to that key.{without}"
        )


@dataclass(frozen=True)
class EncryptionKey:
    id: str  # a digest of the key, so that no two keys have one id
    _cipher: "AESSIV" = field(repr=False)

    def seal(self, plain: bytes) -> bytes:
        return self._cipher.encrypt(plain, [_ABOUT])

    def open(self, sealed: bytes) -> bytes | None:
        """Decrypt; None of what was changed, or made with another key of the same id."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415  # of an extra

        try:
            return self._cipher.decrypt(sealed, [_ABOUT])
        except (InvalidTag, ValueError):
            return None


def load_encryption_key(settings: Settings) -> EncryptionKey | None:
    """Read the key of these settings; None where nothing is encrypted."""
    if settings.encryption_key is not None:
        return parse_encryption_key(settings.encryption_key.get_secret_value())
    file = settings.encryption_key_file
    return parse_encryption_key(read_secret_file(file)) if file is not None else None


def parse_encryption_key(text: str) -> EncryptionKey:
    try:
        material = base64.b64decode("".join(text.split()), validate=True)
    except (ValueError, binascii.Error):
        material = b""
    if len(material) != _BYTES:
        raise SettingsProblem(f"{_VARIABLE} must be {_BYTES} bytes in base64: {_REMEDY}")
    require_package("cryptography", "confidential", _VARIABLE)
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV  # noqa: PLC0415  # of an extra

    digest = hashlib.sha256(b"caveat key id" + material).hexdigest()
    return EncryptionKey(digest[:8], AESSIV(material))


LOST = b"caveat/lost"
"""The encoding of what stands for a payload that cannot be had; its data is the reason."""

_ENCODING = b"binary/encrypted"  # As Temporal's own examples name it in histories

_CIPHER = "encryption-cipher"

_KEY_ID = "encryption-key-id"  # what a payload's metadata calls the id of its key


class KeyedCodec(PayloadCodec):
    """Encrypts with the key, if any, and decrypts; says which key it lacks."""

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
        plain = self.key.open(payload.data)
        if plain is not None:
            return Payload.FromString(plain)
        reason = f"A value that was encrypted with the key {key_id!r} is damaged."
        return Payload(metadata={"encoding": LOST}, data=reason.encode())


def _seal(payload: Payload, key: EncryptionKey) -> Payload:
    plain = payload.SerializeToString(deterministic=True)
    if not plain or find_key_id(payload) is not None:
        return payload
    return Payload(
        metadata={"encoding": _ENCODING, _CIPHER: ALGORITHM.encode(), _KEY_ID: key.id.encode()},
        data=key.seal(plain),
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

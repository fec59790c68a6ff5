"""Signatures as Standard Webhooks 1.0.0 defines them, and where their keys come from.

https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
"""

import asyncio
import base64
import binascii
import datetime as dt
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from standardwebhooks import Webhook

from caveat.failures import PortFailure, forbidden

_PREFIX = "whsec_"

PROVIDER = "webhook"  # whose service failed, as failures name it

_LONGEST_FILE = 4096
"""Bytes: some thirty of the longest secrets that the specification allows, 64 bytes in base64."""


def parse_secret(secret: str) -> bytes:
    """Return the key that a secret stands for.

    Args:
        secret: base64 behind `whsec_`, as the specification writes secrets, else the key itself.
    """
    text = secret.strip()
    key = text.encode()
    if text.startswith(_PREFIX):
        try:
            key = base64.b64decode(text.removeprefix(_PREFIX), validate=True)
        except binascii.Error:
            raise ValueError(f"what follows {_PREFIX} is not base64") from None
    if not key:
        raise ValueError("it is empty")
    return key


def encode_header_id(notice_id: str) -> str:
    """Write an id so that a header can hold it and a full stop in it cannot shift the fields."""
    # The signature covers `id.timestamp.body`. Whoever starts a run may choose its id, so full
    # stops are percent-encoded, as is what is not ASCII.
    return quote(notice_id, safe="/:").replace(".", "%2E")


def sign_delivery(key: bytes, header: str, timestamp: int, body: bytes) -> str:
    """Sign one delivery, as one entry of the header `Webhook-Signature`."""
    return Webhook(key).sign(header, dt.datetime.fromtimestamp(timestamp, dt.UTC), body.decode())


@dataclass(frozen=True)
class SigningKeys:
    """Where the keys to sign with come from; without any, deliveries are not signed."""

    keys: tuple[bytes, ...] = field(default=(), repr=False)  # that stay while the process runs
    # of secrets in place of those, one a line, read anew each time so that a rotated one works at
    # once: while the old and the new one stand in it, both sign, and receivers may change over
    file: Path | None = None

    async def load_keys(self) -> tuple[bytes, ...]:
        if self.file is None:
            return self.keys
        return await asyncio.to_thread(self._read, self.file)

    def _read(self, path: Path) -> tuple[bytes, ...]:
        try:
            with path.open("rb") as file:
                data = file.read(_LONGEST_FILE + 1)
        except OSError as error:
            raise self._build_failure(error.strerror or "it cannot be read") from None
        if len(data) > _LONGEST_FILE:
            raise self._build_failure("it is too long to be one")
        try:
            lines = [line for line in data.decode().splitlines() if line.strip()]
            keys = tuple(parse_secret(line) for line in lines)
        except UnicodeDecodeError:
            raise self._build_failure("it is not text") from None
        except ValueError as error:
            raise self._build_failure(str(error)) from None
        if not keys:
            raise self._build_failure("it is empty")
        return keys

    def _build_failure(self, reason: str) -> PortFailure:
        """Nothing is sent unsigned where a signature is expected."""
        return forbidden(
            f"The webhook's secret file cannot be used: {reason}.",
            resource=str(self.file),
            provider=PROVIDER,
        )

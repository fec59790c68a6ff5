"""Where the keys come from that sign deliveries."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from caveat.adapters.notify.signing import key_of
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.failures import PortFailure

PROVIDER = "webhook"
"""Whose service failed, as failures name it."""

_LONGEST_FILE = 4096
"""Bytes: some thirty of the longest secrets that the specification allows, 64 bytes in base64."""


class SigningKeys(Protocol):
    """Holds the keys of this moment."""

    async def current(self) -> tuple[bytes, ...]:
        """Return the keys to sign with; none means that deliveries are not signed."""
        ...


@dataclass(frozen=True)
class FixedKeys:
    """Keys that stay while the process runs."""

    keys: tuple[bytes, ...] = field(default=(), repr=False)

    async def current(self) -> tuple[bytes, ...]:
        """Return the keys."""
        return self.keys


@dataclass(frozen=True)
class SigningKeyFile:
    """Secrets in a file, one a line, read anew each time so that a rotated one works at once.

    While both the old and the new secret stand in the file, both sign, and receivers may change
    over when they like.
    """

    path: Path

    async def current(self) -> tuple[bytes, ...]:
        """Return a key a line, at least one.

        Raises:
            PortFailure: the file holds no secret that can be used.
        """
        return await asyncio.to_thread(self._read)

    def _read(self) -> tuple[bytes, ...]:
        try:
            with self.path.open("rb") as file:
                data = file.read(_LONGEST_FILE + 1)
        except OSError as error:
            raise self._unusable(error.strerror or "it cannot be read") from None
        if len(data) > _LONGEST_FILE:
            raise self._unusable("it is too long to be one")
        try:
            lines = [line for line in data.decode().splitlines() if line.strip()]
            keys = tuple(key_of(line) for line in lines)
        except UnicodeDecodeError:
            raise self._unusable("it is not text") from None
        except ValueError as error:
            raise self._unusable(str(error)) from None
        if not keys:
            raise self._unusable("it is empty")
        return keys

    def _unusable(self, reason: str) -> PortFailure:
        """Nothing is sent unsigned where a signature is expected."""
        return PortFailure(
            Failure(
                category=FailureCategory.PERMISSION,
                failure_type=FailureType.AUTH_ERROR,
                message=f"The webhook's secret file cannot be used: {reason}.",
                resource=str(self.path),
                provider=PROVIDER,
            )
        )

"""Where the key of the Messages API comes from."""

import asyncio
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from caveat.adapters.claude.problems import PROVIDER
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.failures import PortFailure

_LONGEST_FILE = 4_096
"""Bytes. A key has about a hundred; a longer file is something else."""

_KEY = re.compile(r"[!-~]+")
"""Printable and without white space: anything else cannot stand in a header."""


class Keys(Protocol):
    """Holds the key of this moment."""

    async def current(self) -> str:
        """Return the key to call with.

        Raises:
            PortFailure: there is none that can be used.
        """
        ...


@dataclass(frozen=True)
class FixedKey:
    """A key that stays while the process runs."""

    key: str = field(repr=False)

    async def current(self) -> str:
        """Return the key."""
        return _usable(self.key, "The API key")


@dataclass(frozen=True)
class KeyFile:
    """A key in a file, read anew for each call so that a rotated one works at once."""

    path: Path

    async def current(self) -> str:
        """Return what the file holds now."""
        return await asyncio.to_thread(self._read)

    def _read(self) -> str:
        name = f"The API key in {self.path}"
        try:
            with self.path.open("rb") as file:
                data = file.read(_LONGEST_FILE + 1)
        except OSError as error:
            raise _unusable(name, error.strerror or "it cannot be read") from None
        if len(data) > _LONGEST_FILE:
            raise _unusable(name, "the file is too long to be one")
        return _usable(data.decode("ascii", errors="replace"), name)


def _usable(key: str, name: str) -> str:
    stripped = key.strip()
    if not stripped:
        raise _unusable(name, "it is empty")
    if _KEY.fullmatch(stripped) is None:
        raise _unusable(name, "it holds characters that no key has")
    return stripped


def _unusable(name: str, reason: str) -> PortFailure:
    return PortFailure(
        Failure(
            category=FailureCategory.PERMISSION,
            failure_type=FailureType.AUTH_ERROR,
            message=f"{name} cannot be used: {reason}.",
            resource="API key",
            provider=PROVIDER,
        )
    )

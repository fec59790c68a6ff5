"""Where the key of the Messages API comes from."""

import asyncio
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self

from caveat.adapters.claude.messages.problems import PROVIDER
from caveat.failures import PortFailure, forbidden

_LONGEST_FILE = 4_096  # bytes. A key has about a hundred; a longer file is something else.

_KEY = re.compile(r"[!-~]+")
"""Printable and without white space: anything else cannot stand in a header."""


@dataclass(frozen=True)
class Secret:
    """What one call is paid with."""

    mark: str = field(repr=False)  # tells it from every other one, as long as it is a secret itself
    options: Mapping[str, Any] = field(repr=False)  # what the SDK's client is given for the call

    @classmethod
    def from_key(cls, key: str) -> Self:
        return cls(key, {"api_key": key})

    @property
    def digest(self) -> bytes:
        """What is kept of it: no secret is kept for longer than its call."""
        return hashlib.sha256(self.mark.encode()).digest()


class ApiKeys(Protocol):
    """Holds the secret of this moment."""

    async def get_secret(self) -> Secret:
        """Return what to call with."""

    async def refresh(self) -> Secret:
        """Look for it anew, after one was refused; it may be the same still."""
        return await self.get_secret()


@dataclass(frozen=True)
class FixedKey(ApiKeys):
    """A key that stays while the process runs."""

    key: str = field(repr=False)

    async def get_secret(self) -> Secret:
        return Secret.from_key(_validate_key(self.key, "The API key"))


@dataclass(frozen=True)
class ApiKeyFile(ApiKeys):
    """A key in a file, read anew for each call so that a rotated one works at once."""

    path: Path

    async def get_secret(self) -> Secret:
        return Secret.from_key(await asyncio.to_thread(self._read))

    def _read(self) -> str:
        name = f"The API key in {self.path}"
        try:
            with self.path.open("rb") as file:
                data = file.read(_LONGEST_FILE + 1)
        except OSError as error:
            raise _build_key_refusal(name, error.strerror or "it cannot be read") from None
        if len(data) > _LONGEST_FILE:
            raise _build_key_refusal(name, "the file is too long to be one")
        return _validate_key(data.decode("ascii", errors="replace"), name)


def _validate_key(key: str, name: str) -> str:
    stripped = key.strip()
    if not stripped:
        raise _build_key_refusal(name, "it is empty")
    if _KEY.fullmatch(stripped) is None:
        raise _build_key_refusal(name, "it holds characters that no key has")
    return stripped


def _build_key_refusal(name: str, reason: str) -> PortFailure:
    return build_refusal(f"{name} cannot be used: {reason}.", PROVIDER)


def build_refusal(sentence: str, provider: str) -> PortFailure:
    """Say that a provider cannot be called for want of a key or credentials."""
    resource = "API key" if provider == PROVIDER else "credentials"
    return forbidden(sentence, resource=resource, provider=provider)

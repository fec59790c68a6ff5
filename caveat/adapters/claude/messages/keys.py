"""Where the key of the Messages API comes from."""

import asyncio
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from caveat.adapters.claude.messages.problems import PROVIDER
from caveat.atomic import read_secret_file
from caveat.failures import PortFailure, forbidden

_KEY = re.compile(r"[!-~]+")
"""Printable and without white space: anything else cannot stand in a header."""


class ApiKeys(Protocol):
    """Holds the key of this moment."""

    async def get_key(self) -> str:
        """Return what to call with."""


@dataclass(frozen=True)
class FixedKey(ApiKeys):
    """A key that stays while the process runs."""

    key: str = field(repr=False)

    async def get_key(self) -> str:
        return _validate_key(self.key, "The API key")


@dataclass(frozen=True)
class ApiKeyFile(ApiKeys):
    """A key in a file, read anew for each call so that a rotated one works at once."""

    path: Path

    async def get_key(self) -> str:
        name = f"The API key in {self.path}"
        try:
            key = await asyncio.to_thread(read_secret_file, self.path)
        except ValueError as error:
            raise _build_refusal(name, str(error)) from None
        return _validate_key(key, name)


def _validate_key(key: str, name: str) -> str:
    stripped = key.strip()
    if not stripped:
        raise _build_refusal(name, "it is empty")
    if _KEY.fullmatch(stripped) is None:
        raise _build_refusal(name, "it holds characters that no key has")
    return stripped


def _build_refusal(name: str, reason: str) -> PortFailure:
    sentence = f"{name} cannot be used: {reason}."
    return forbidden(sentence, resource="API key", provider=PROVIDER)

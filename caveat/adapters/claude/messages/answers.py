"""Answers that were paid for, kept so that an activity that runs again does not pay again."""

import asyncio
import hashlib
import json
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pydantic import ValidationError

from caveat import atomic
from caveat.adapters.claude.messages.connection import Call
from caveat.contracts.base import Contract

_log = logging.getLogger(__name__)


class Kept(Contract):
    """An answer as it is kept: its text, and whether it ran out of room."""

    text: str
    truncated: bool = False


class Answers(Protocol):
    """Keeps answers by the address of the call that they answer."""

    async def recall(self, address: str) -> Kept | None:
        """Return the answer to a call, None where there is none."""
        ...

    async def keep(self, address: str, answer: Kept) -> None:
        """Keep an answer."""
        ...

    async def forget(self, address: str) -> None:
        """Keep an answer no longer, since it was of no use."""
        ...


@dataclass(frozen=True)
class NoAnswers:
    """Keeps nothing: every call is paid for."""

    async def recall(self, address: str) -> Kept | None:
        """Return nothing."""
        return None

    async def keep(self, address: str, answer: Kept) -> None:
        """Do nothing."""

    async def forget(self, address: str) -> None:
        """Do nothing."""


@dataclass(frozen=True)
class FileAnswers:
    """Keeps each answer as `ab/abcdef….json` below a folder.

    A file is complete or absent: it is written under another name and renamed. A file that cannot
    be read is as good as none, and a folder that cannot be written costs money and not the answer:
    both are logged.

    Attributes:
        folder: created when the first answer is kept.
    """

    folder: Path

    async def recall(self, address: str) -> Kept | None:
        """Return the answer to a call, None where there is none that is whole."""
        return await asyncio.to_thread(self._recall, address)

    async def keep(self, address: str, answer: Kept) -> None:
        """Keep an answer; one that is there already is replaced.

        At once: neither a thread's turn nor a disk's is waited for while a killed process would
        have to pay for it anew. After a loss of power it may be missing, which costs no more.
        """
        self._keep(address, answer)

    async def forget(self, address: str) -> None:
        """Remove an answer."""
        await asyncio.to_thread(self._forget, address)

    def _recall(self, address: str) -> Kept | None:
        file = self._file(address)
        try:
            kept = Kept.model_validate_json(file.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValidationError) as error:
            _log.warning("A kept answer cannot be read (%s); it is paid for anew", _class(error))
            return None
        atomic.renewed(file)
        return kept

    def _keep(self, address: str, answer: Kept) -> None:
        try:
            content = answer.model_dump_json().encode()
            atomic.write(self._file(address), content, is_flushed=False)
        except OSError as error:
            _log.warning("An answer cannot be kept (%s)", _class(error))

    def _forget(self, address: str) -> None:
        try:
            self._file(address).unlink(missing_ok=True)
        except OSError as error:
            _log.warning("A kept answer cannot be removed (%s)", _class(error))

    def _file(self, address: str) -> Path:
        return self.folder / address[:2] / f"{address}.json"


def address(call: Call) -> str:
    """Name a call by everything that decides its answer: 64 hexadecimal digits."""
    inputs: dict[str, Any] = {
        "model": call.model,
        "system": call.system,
        "schema": call.schema,
        "turns": [[turn.role, turn.content] for turn in call.turns],
        "room": call.room,
    }
    if call.tools:
        inputs["tools"] = [dict(tool) for tool in call.tools]
    written = json.dumps(inputs, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()


def _class(error: Exception) -> str:
    # A validation error's own text holds the answer.
    return error.strerror or "OSError" if isinstance(error, OSError) else type(error).__name__

"""Snapshots as files, named by the hash of their text."""

import asyncio
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from caveat import atomic
from caveat.contracts.source import Snapshot
from caveat.failures import PortFailure, forbidden, invalid, not_found, unavailable

_ADDRESS = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class FileSnapshots:
    """Keeps each snapshot as `ab/abcdef….json` below a folder.

    A file is complete or absent: it is written under another name, flushed, and renamed.

    Attributes:
        folder: created when the first snapshot is kept.
    """

    folder: Path

    async def keep(self, snapshot: Snapshot) -> str:
        """Store a snapshot; see `ports.Snapshots`.

        Raises:
            PortFailure: the text is not valid Unicode, or the folder cannot be written.
        """
        return await asyncio.to_thread(self._keep, snapshot)

    async def open(self, sha256: str) -> Snapshot:
        """Return a snapshot; see `ports.Snapshots`.

        Raises:
            PortFailure: there is none, it was changed on disk, or the address is none.
        """
        return await asyncio.to_thread(self._open, sha256)

    def text(self, sha256: str) -> str | None:
        """Return the text of a snapshot at once; None where it is not here, or not as it was."""
        try:
            return self._open(sha256).text
        except PortFailure:
            return None

    def _keep(self, snapshot: Snapshot) -> str:
        try:
            data = snapshot.text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise invalid("The text is not valid Unicode.", resource="snapshot") from error
        address = hashlib.sha256(data).hexdigest()
        file = self._file(address)
        try:
            if not (_is_sound(file, address) and atomic.renewed(file)):
                atomic.write(file, snapshot.model_dump_json().encode("utf-8"))
        except OSError as error:
            raise _translated(error, address) from error
        return address

    def _open(self, sha256: str) -> Snapshot:
        file = self._file(sha256)
        try:
            data = file.read_bytes()
        except OSError as error:
            raise _translated(error, sha256) from error
        snapshot = _verified(data, sha256)
        if snapshot is None:
            raise invalid("A snapshot was changed after it was kept.", resource=sha256)
        return snapshot

    def _file(self, sha256: str) -> Path:
        if _ADDRESS.fullmatch(sha256) is None:
            raise invalid("A snapshot's address is 64 hexadecimal digits.", resource=sha256[:100])
        return self.folder / sha256[:2] / f"{sha256}.json"


def _verified(data: bytes, sha256: str) -> Snapshot | None:
    try:
        snapshot = Snapshot.model_validate_json(data)
    except ValidationError:
        return None
    return snapshot if hashlib.sha256(snapshot.text.encode("utf-8")).hexdigest() == sha256 else None


def _is_sound(file: Path, address: str) -> bool:
    """Whether the snapshot is there and whole; a damaged one is written again."""
    try:
        return _verified(file.read_bytes(), address) is not None
    except FileNotFoundError:
        return False


def _translated(error: OSError, sha256: str) -> PortFailure:
    if isinstance(error, FileNotFoundError):
        return not_found("There is no snapshot with this address.", resource=sha256)
    if isinstance(error, PermissionError):
        return forbidden("The folder of the snapshots may not be used.", resource=sha256)
    return unavailable("The folder of the snapshots cannot be used now.", resource=sha256)

"""How values travel: Pydantic on the wire, large payloads beside the history."""

import asyncio
import dataclasses
import hashlib
import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from temporalio.api.common.v1 import Payload
from temporalio.contrib.pydantic import PydanticPayloadConverter, pydantic_data_converter
from temporalio.converter import (
    DataConverter,
    ExternalStorage,
    StorageDriver,
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverStoreContext,
)

THRESHOLD = 256 * 1024
"""Bytes from which a payload leaves the history: half of the size at which Temporal warns."""

_SHA256 = re.compile(r"[0-9a-f]{64}")


class PayloadProblem(Exception):
    """A stored payload is missing or damaged; the message names the folder."""


class LenientPayloadConverter(PydanticPayloadConverter):
    """Decodes what a run was not promised a type for, whatever it is.

    A run and its signals take raw arguments and validate them themselves. A payload that cannot
    even be decoded (broken JSON, an encoding that nobody knows) would fail the workflow task again
    and again before their code sees it; here it arrives as its bytes and is refused by name.
    """

    def from_payloads(
        self, payloads: Sequence[Payload], type_hints: list[type] | None = None
    ) -> list[Any]:
        """Decode as Pydantic does; without type hints, undecodable payloads become bytes."""
        if type_hints:
            return super().from_payloads(payloads, type_hints)
        return [self._decoded(payload) for payload in payloads]

    def _decoded(self, payload: Payload) -> Any:
        try:
            return super().from_payloads([payload])[0]
        except (KeyError, RuntimeError, ValueError):
            # An unknown encoding; Temporal's own wrapper; Pydantic's and the JSON parser's errors.
            return payload.data


class FolderStorage(StorageDriver):
    """Keeps payloads in a folder, by content.

    The address of a payload is the SHA-256 of its bytes, so replays that store it again write
    nothing. Every worker and client of one server needs the same folder.

    Args:
        folder: where payloads are kept; created when the first one is stored.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def name(self) -> str:
        """Name this driver in histories; changing it makes stored payloads unreadable."""
        return "caveat-folder"

    async def store(
        self, context: StorageDriverStoreContext, payloads: Sequence[Payload]
    ) -> list[StorageDriverClaim]:
        """Keep payloads and return the claim of each one."""
        return [await asyncio.to_thread(self._keep, payload) for payload in payloads]

    async def retrieve(
        self, context: StorageDriverRetrieveContext, claims: Sequence[StorageDriverClaim]
    ) -> list[Payload]:
        """Return the payload of each claim, verified.

        Raises:
            PayloadProblem: a payload is missing, damaged, or the claim is not one of ours.
        """
        return [await asyncio.to_thread(self._open, claim) for claim in claims]

    def _keep(self, payload: Payload) -> StorageDriverClaim:
        content = payload.SerializeToString(deterministic=True)
        address = hashlib.sha256(content).hexdigest()
        path = self._path(address)
        if not _holds(path, address):
            _write(path, content)
        return StorageDriverClaim({"sha256": address})

    def _open(self, claim: StorageDriverClaim) -> Payload:
        address = claim.claim_data.get("sha256", "")
        if not _SHA256.fullmatch(address):
            raise PayloadProblem(f"A stored payload has no valid address: {address[:80]!r}.")
        try:
            content = self._path(address).read_bytes()
        except FileNotFoundError:
            raise PayloadProblem(
                f"The stored payload {address} is missing from {self._folder}; put back the "
                "folder that this run was started with."
            ) from None
        if hashlib.sha256(content).hexdigest() != address:
            raise PayloadProblem(
                f"The stored payload {address} in {self._folder} is damaged; restore that folder "
                "from a backup."
            )
        return Payload.FromString(content)

    def _path(self, address: str) -> Path:
        return self._folder / address[:2] / address


def data_converter(folder: Path) -> DataConverter:
    """Return the converter that every client and worker of a server must share.

    Args:
        folder: where payloads over `THRESHOLD` are kept.
    """
    storage = ExternalStorage(drivers=[FolderStorage(folder)], payload_size_threshold=THRESHOLD)
    return dataclasses.replace(
        pydantic_data_converter,
        payload_converter_class=LenientPayloadConverter,
        external_storage=storage,
    )


def _holds(path: Path, address: str) -> bool:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() == address
    except FileNotFoundError:
        return False


def _write(path: Path, content: bytes) -> None:
    """Write atomically and durably: a history must never refer to half a payload."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise

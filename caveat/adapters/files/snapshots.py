"""Snapshots as blobs, named by the hash of their text and landmarks."""

import hashlib
import re
from dataclasses import dataclass

from pydantic import ValidationError

from caveat.contracts.source import Snapshot
from caveat.failures import invalid, not_found
from caveat.ports import Blobs
from caveat.threads import wait_in_thread

_ADDRESS = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class KeptSnapshots:
    """Keeps each snapshot as `ab/abcdef….json`."""

    blobs: Blobs  # where

    @wait_in_thread
    def keep(self, snapshot: Snapshot) -> str:
        try:
            address = hash_snapshot(snapshot)
        except UnicodeEncodeError as error:
            raise invalid("The text is not valid Unicode.", resource="snapshot") from error
        content = snapshot.model_dump_json().encode("utf-8")
        # A damaged one is written again.
        self.blobs.keep(
            _name(address), content, lambda kept: _verify_snapshot(kept, address) is not None
        )
        return address

    @wait_in_thread
    def open(self, sha256: str) -> Snapshot:
        content = self.blobs.get(_name(sha256))
        if content is None:
            raise not_found("There is no snapshot of this address.", resource=sha256)
        snapshot = _verify_snapshot(content, sha256)
        if snapshot is None:
            raise invalid("A snapshot was changed after it was kept.", resource=sha256)
        return snapshot


def hash_snapshot(snapshot: Snapshot) -> str:
    digest = hashlib.sha256(snapshot.text.encode("utf-8"))
    for mark in snapshot.landmarks:
        digest.update(f"\n{mark.offset}\t{mark.label}\t{mark.is_listing:d}".encode())
    return digest.hexdigest()


def _name(sha256: str) -> str:
    if _ADDRESS.fullmatch(sha256) is None:
        raise invalid("A snapshot's address is 64 hexadecimal digits.", resource=sha256[:100])
    return f"{sha256[:2]}/{sha256}.json"


def _verify_snapshot(data: bytes, sha256: str) -> Snapshot | None:
    try:
        snapshot = Snapshot.model_validate_json(data)
    except ValidationError:
        return None
    return snapshot if hash_snapshot(snapshot) == sha256 else None

"""The audit log: who did what on the page, a line each, for whoever has to answer for it later."""

import datetime as dt
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError
from starlette.requests import Request

from caveat.clients.web.access import get_visitor
from caveat.clients.web.admission import get_client_address
from caveat.contracts.base import Contract

_LOGGER = logging.getLogger(__name__)

_READ_BYTES = 4 * 1024 * 1024
"""Of the end of the log, some ten thousand entries: what a page looks through at once."""

_PRIVATE = 0o600

RULED = ("ruled", "changed the ruling", "withdrew the ruling")
"""What people do about a contradiction."""


class AuditEntry(Contract):
    """One thing that somebody did."""

    at: dt.datetime  # when, UTC
    did: str
    run_id: str
    contradiction_id: str = ""  # on which of its contradictions, where it is a ruling
    choice: str = ""  # which values hold, where it is a ruling
    reason: str = ""
    name: str = ""
    vouched: bool = False  # whether a password or a proxy vouches for that name
    address: str = ""  # from where
    follows: str = ""
    led_to: str = ""


@dataclass(frozen=True)
class AuditLog:
    """The log of one state folder."""

    file: Path  # made when the first entry is written, for this user's eyes only

    def write(self, entry: AuditEntry) -> None:
        """Add an entry; where that cannot be done the log has it, for what was done stays done."""
        line = entry.model_dump_json().encode() + b"\n"
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
            descriptor = os.open(self.file, flags, _PRIVATE)
            try:
                os.write(descriptor, line)  # at once: entries of two processes do not mix
            finally:
                os.close(descriptor)
        except OSError:
            _LOGGER.exception("The audit log %s cannot be written: %s", self.file, line.decode())

    def list_rulings(self, run_id: str, contradiction_id: str) -> tuple[AuditEntry, ...]:
        """List what people ruled here on a contradiction, oldest first."""
        return tuple(
            each
            for each in self._read_entries(run_id)
            if each.did in RULED and each.contradiction_id == contradiction_id
        )

    def _read_entries(self, run_id: str) -> Iterator[AuditEntry]:
        try:
            with self.file.open("rb") as opened:
                opened.seek(max(0, self.file.stat().st_size - _READ_BYTES))
                lines = opened.read().splitlines()
        except OSError:
            return
        name = run_id.encode()
        for line in lines:
            if name in line:
                try:
                    entry = AuditEntry.model_validate_json(line)
                except ValidationError:  # the first line may be cut
                    continue
                if entry.run_id == run_id:
                    yield entry


def build_entry(request: Request, did: str, run_id: str, name: str = "") -> AuditEntry:
    """Begin an entry on what the sender of a request does."""
    visitor = get_visitor(request)
    return AuditEntry(
        at=dt.datetime.now(dt.UTC),
        did=did,
        run_id=run_id,
        name=visitor.name or name,
        vouched=visitor.name is not None,
        address=get_client_address(request),
    )

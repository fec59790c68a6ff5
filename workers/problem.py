"""What people are told when the Temporal server cannot be used."""

import shutil
from pathlib import Path
from typing import ClassVar

from caveat.problem import ExitCode, Problem
from caveat.workers.settings import Settings


class ServerProblem(Problem):
    exit_code: ClassVar[ExitCode] = ExitCode.OUT_OF_REACH


_TAIL = 20_000
"""Bytes of the log that are read: the error that ends a server stands in its last lines."""

_NO_SPACE = 1_000_000
"""Bytes free below which a disk is called full: the server's database grows by more at once."""


def describe_server_end(settings: Settings) -> ServerProblem:
    """Read the log of a server that ended while it was being started."""
    known = find_full_disk(settings) or find_damage(settings.server_folder)
    if known is not None:
        return known
    lines = [line.strip() for line in _read_tail(settings.server_log).splitlines() if line.strip()]
    last = lines[-1][:200].rstrip(".") if lines else "it said nothing"
    return ServerProblem(
        f"The embedded Temporal server with the database {settings.server_database} ended at once "
        f"({last}): see {settings.server_log}, or set TEMPORAL_ADDRESS to a Temporal server of "
        "your own."
    )


_DAMAGED = ("disk image is malformed", "file is not a database")
"""What SQLite calls a database of which a part is missing or was overwritten."""


def names_damage(text: str) -> bool:
    return any(words in text for words in _DAMAGED)


def find_damage(folder: Path) -> ServerProblem | None:
    """Say that the database of an embedded server is damaged, where the server's log says so."""
    if not names_damage(_read_tail(folder / "server.log")):
        return None
    return ServerProblem(
        f"The embedded Temporal server's database, {folder / 'temporal.db'}, is damaged, and runs "
        "that were open may be lost, while reports and rulings stay: put a backup in its place, or "
        "move it and the files beside it that begin with its name away to begin a new one."
    )


def find_full_disk(settings: Settings) -> ServerProblem | None:
    # The server cannot: its log lies on the same disk.
    try:
        free = shutil.disk_usage(settings.state_dir).free
    except OSError:
        return None
    if free >= _NO_SPACE:
        return None
    return ServerProblem(
        f"The disk that {settings.state_dir} lies on is full: free some space, or set "
        "CAVEAT_STATE_DIR to a folder on another disk."
    )


def _read_tail(log: Path) -> str:
    try:
        return log.read_bytes()[-_TAIL:].decode(errors="replace")
    except OSError:
        return ""

"""What people are told when the Temporal server cannot be used."""

import shutil
from pathlib import Path
from typing import ClassVar

from caveat.problem import ExitCode, Problem
from caveat.workers.settings import Settings


class ServerProblem(Problem):
    """The Temporal server cannot be used."""

    exit_code: ClassVar[ExitCode] = ExitCode.OUT_OF_REACH


_UNPRIVILEGED = 1024  # the first port that every user may listen on

_TAIL = 20_000
"""Bytes of the log that are read: the error that ends a server stands in its last lines."""

_NO_SPACE = 1_000_000
"""Bytes free below which a disk is called full: the server's database grows by more at once."""


def port_taken(port: int) -> ServerProblem:
    """Somebody else listens on the server's port."""
    return ServerProblem(
        f"Port {port} is taken by another program: set CAVEAT_PORT to a free port, or, if that "
        f"program is a Temporal server of your own, set TEMPORAL_ADDRESS=127.0.0.1:{port}."
    )


def ui_port_taken(port: int) -> ServerProblem:
    """Somebody else listens on the Web UI's port."""
    return ServerProblem(
        f"Port {port}, wanted for the Temporal Web UI, is taken by another program: set "
        "CAVEAT_UI_PORT to a free port, or TEMPORAL_ADDRESS to use a Temporal server of your own."
    )


def port_not_permitted(port: int, variable: str) -> ServerProblem:
    """The system lets nobody like this user listen on a port."""
    return ServerProblem(
        f"Port {port} may not be used: the system keeps ports below 1024 for administrators; set "
        f"{variable} to one from 1024 to 65535."
        if port < _UNPRIVILEGED
        else f"The system does not let this user listen on port {port}: set {variable} to another."
    )


def port_unusable(port: int, variable: str, reason: str) -> ServerProblem:
    """Nobody can listen on a port, for a reason that the system gives."""
    return ServerProblem(
        f"Nothing can listen on port {port} of 127.0.0.1 ({reason}): set {variable} to another."
    )


def why_it_ended(settings: Settings) -> ServerProblem:
    """Read the log of a server that ended while it was being started."""
    full = full_disk(settings)
    if full is not None:
        return full
    log = _tail(settings.server_log)
    for mark, problem in _known(settings).items():
        if mark in log:
            return problem
    return ServerProblem(
        f"The embedded Temporal server ended at once ({_last_words(log)}): see "
        f"{settings.server_log}, or set TEMPORAL_ADDRESS to a Temporal server of your own."
    )


def full_disk(settings: Settings) -> ServerProblem | None:
    """Say that the disk of the embedded server is full, where it is."""
    # The server cannot: its log lies on the same disk.
    try:
        free = shutil.disk_usage(settings.state_dir).free
    except OSError:
        return None
    return _full(settings) if free < _NO_SPACE else None


def _full(settings: Settings) -> ServerProblem:
    return ServerProblem(
        f"The disk that {settings.state_dir} lies on is full: free some space, or set "
        "CAVEAT_STATE_DIR to a folder on another disk."
    )


def _known(settings: Settings) -> dict[str, ServerProblem]:
    damaged = ServerProblem(
        f"The embedded server's database {settings.server_database} is damaged: restore it from a "
        "backup, or move it away to begin with an empty one."
    )
    return {
        "can't set frontend port": port_taken(settings.port),
        "can't set UI port": ui_port_taken(settings.ui_port),
        "file is not a database": damaged,
        "database disk image is malformed": damaged,
        "disk is full": _full(settings),
        "no space left on device": _full(settings),
        "database is locked": ServerProblem(
            f"The embedded server's database {settings.server_database} is locked by another "
            "program: end that program, or set CAVEAT_STATE_DIR to another folder."
        ),
        "unable to open database file": ServerProblem(
            f"The embedded server cannot open its database {settings.server_database}: make it a "
            "file that you may write, or set CAVEAT_STATE_DIR to another folder."
        ),
    }


def _tail(log: Path) -> str:
    try:
        return log.read_bytes()[-_TAIL:].decode(errors="replace")
    except OSError:
        return ""


def _last_words(log: str) -> str:
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    return lines[-1][:200].rstrip(".") if lines else "it said nothing"

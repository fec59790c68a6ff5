"""File locks that the kernel releases with their last holder, however that one ends."""

import fcntl
import os
from pathlib import Path

START = "server.start"
"""Held alone while a process starts the server or adopts the one that runs."""
LEASE = "server.lease"
"""Shared by every process that uses the server; who gets it alone knows that nobody is left."""
ALIVE = "server.alive"
"""Held by the guard and the server together: it is free only when both are gone."""


def open_lock(path: Path) -> int:
    """Open a lock file, creating it when it is missing, and return its descriptor.

    Raises:
        OSError: the file cannot be created or opened.
    """
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def try_alone(descriptor: int) -> bool:
    """Take the lock alone if nobody holds it; never wait."""
    return _try(descriptor, fcntl.LOCK_EX)


def try_shared(descriptor: int) -> bool:
    """Take the lock with others if nobody holds it alone; never wait."""
    return _try(descriptor, fcntl.LOCK_SH)


def _try(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True

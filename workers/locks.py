"""File locks that the kernel releases with their last holder, however that one ends."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

START = "server.start"
"""Held alone while a process starts the server or adopts the one that runs."""
LEASE = "server.lease"
"""Shared by every process that uses the server; who gets it alone knows that nobody is left."""
ALIVE = "server.alive"
"""Held by the guard and the server together: it is free only when both are gone."""


@contextmanager
def lock_file(path: Path) -> Iterator[int]:
    """Open a lock file, creating it when it is missing; leaving releases what was taken.

    Raises:
        OSError: the file cannot be created or opened.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def try_alone(descriptor: int) -> bool:
    """Take the lock alone if nobody holds it; never wait."""
    return _try(descriptor, fcntl.LOCK_EX)


def try_shared(descriptor: int) -> bool:
    """Take the lock with others if nobody holds it alone; never wait."""
    return _try(descriptor, fcntl.LOCK_SH)


def is_free(path: Path) -> bool:
    """Say whether nobody holds a lock alone."""
    with lock_file(path) as descriptor:
        return try_shared(descriptor)


def _try(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True

"""Files that are there whole or not at all, whatever ends the process or the power."""

import errno
import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PRIVATE = 0o600  # the state of a user is nobody else's

_UNKNOWN = {errno.EINVAL, errno.ENOTSUP}
"""Answers of file systems, most of them over a network, that have no way to flush a folder."""


def write(path: Path, content: bytes, mode: int = PRIVATE) -> None:
    """Write a file atomically: a reader sees the old one or the new one.

    Args:
        path: missing folders are created.
    """
    with _write_temporary(path, content, mode) as new:
        new.replace(path)


def create(path: Path, content: bytes) -> bool:
    """Create a file unless it exists, and return whether; of several writers the first wins."""
    with _write_temporary(path, content, PRIVATE) as new:
        try:
            path.hardlink_to(new)
        except FileExistsError:
            return False
    return True


def renew(path: Path) -> bool:
    """Note by its time that a file is of use again; False if it is gone."""
    # What is kept by content is written once and used by many runs: `caveat admin prune` goes by
    # the last.
    try:
        os.utime(path)
    except FileNotFoundError:
        return False
    except OSError:  # somebody else's file, which only they can remove
        return True
    return True


def read_secret_file(path: Path) -> str:
    """Read the secret that a file holds; a `ValueError` says why it holds none."""
    try:
        secret = path.read_text("utf-8", "replace").strip()
    except OSError as error:
        raise ValueError((error.strerror or "unreadable").lower()) from None
    if not secret:
        raise ValueError("it is empty")
    return secret


def is_writable(path: Path) -> bool:
    """Whether permissions allow writing a file."""
    if path.exists():
        return path.is_file() and os.access(path, os.W_OK)
    return os.access(path.parent, os.W_OK)


@contextmanager
def lock_path(place: Path) -> Iterator[None]:
    """Hold an exclusive lock of a place, across threads and processes."""
    # For what is read, changed and written back. Where a file system has no locks, nothing is
    # locked.
    made = 0 if place.is_dir() else os.O_CREAT
    descriptor = os.open(place, os.O_RDONLY | made, PRIVATE)
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _write_temporary(path: Path, content: bytes, mode: int) -> Iterator[Path]:
    """Write next to the place, where a rename is atomic, and flush the rename."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".new")
    new = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            os.fchmod(file.fileno(), mode)
        yield new
    finally:
        new.unlink(missing_ok=True)
    _flush(path.parent)


def _flush(folder: Path) -> None:
    """Make the name of a new file as durable as its content."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _UNKNOWN:
            raise
    finally:
        os.close(descriptor)

"""Bounds of a machine: memory that a command and all that it starts share, and a small disk."""

import os
import shlex
import shutil
import signal
import subprocess
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.fakes.patience import PATIENCE_S

_PLACES = {
    Path("/sys/fs/cgroup/memory"): "memory.limit_in_bytes",
    Path("/sys/fs/cgroup"): "memory.max",
}
"""Where groups are made, in both versions of control groups, and the file of their bound."""


class NoControlGroups(Exception):
    """This system has none, or this user may make none."""


@contextmanager
def bounded(megabytes: int) -> Iterator[Path]:
    """Make a group; a process whose number is written to its file `cgroup.procs` is in it.

    All processes of the group are killed at the end.
    """
    group = _made(megabytes)
    try:
        yield group
    finally:
        deadline = time.monotonic() + PATIENCE_S
        while pids := (group / "cgroup.procs").read_text(encoding="ascii").split():
            assert time.monotonic() < deadline
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            time.sleep(0.05)
        group.rmdir()


def _made(megabytes: int) -> Path:
    for place, bound in _PLACES.items():
        group = place / f"caveat-test-{uuid.uuid4().hex[:8]}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / bound).write_text(str(megabytes * 1024**2), encoding="ascii")
        except OSError:
            group.rmdir()
            continue
        return group
    raise NoControlGroups


def join(group: Path) -> None:
    (group / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")


def mounting(folder: str, options: str) -> tuple[str, ...]:
    """A program that mounts a small disk for itself alone, and what it becomes then."""
    own = ("unshare", "--map-root-user", "--mount")
    trial = [*own, "mount", "-t", "tmpfs", "none", "/tmp"]  # noqa: S108  # of the trial alone
    if shutil.which("unshare") is None or subprocess.run(trial, check=False).returncode:
        pytest.skip("this user may mount nothing")
    mount = f"mount -t tmpfs -o {shlex.quote(options)} none {shlex.quote(folder)}"
    return (*own, "sh", "-c", f'{mount} && exec "$@"', "sh")

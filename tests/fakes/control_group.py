"""A Linux control group: memory that a command and all that it starts share, as in a container."""

import os
import signal
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

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

"""The guard: owns the embedded server and stops it when nobody uses it any more.

Every process that uses the server shares the lock on a lease file, which the kernel releases
however that process ends. The guard tries to take it alone; when it succeeds, nobody is left.
It is started with `-P -m caveat.workers.guard`, uses the standard library only, and stays small, as
it lives as long as the server. A passing error ends nothing: it looks again.
"""

import ctypes
import fcntl
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

START = "server.start"  # held alone while a process starts the server or adopts the one that runs
LEASE = "server.lease"
"""Shared by every process that uses the server; who gets it alone knows that nobody is left."""
ALIVE = "server.alive"
"""Held by the guard and the server together: it is free only when both are gone."""


@contextmanager
def lock_file(path: Path) -> Iterator[int]:
    """Open a lock file, creating it when it is missing; leaving releases what was taken."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def try_alone(descriptor: int, kind: int = fcntl.LOCK_EX) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def try_shared(descriptor: int) -> bool:
    return try_alone(descriptor, fcntl.LOCK_SH)


def is_free(descriptor: int) -> bool:
    """Say whether nobody holds a lock alone; where the kernel cannot tell, somebody may."""
    with suppress(OSError):  # no memory for locks, for example, which passes
        if try_shared(descriptor):
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            return True
    return False


RECORD = "server.json"
"""What runs: pids and ports; to be trusted only while the `ALIVE` lock is held."""

_POLL_S = 0.2
"""Seconds between looks at the lease: the server outlives its last user by no more than this."""

_PR_SET_PDEATHSIG = 1


def guard(folder: Path, alive: int, record: dict[str, object], command: Sequence[str]) -> None:
    """Run the server until nobody uses it or it is to stop."""
    signals: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda received, _: signals.append(received))
    with lock_file(folder / LEASE) as lease:
        server = _start(command, alive)
        running = {**record, "guard": os.getpid(), "server": server.pid}
        temporary = folder / f"{RECORD}.new"
        temporary.write_text(json.dumps(running), encoding="utf-8")
        temporary.replace(folder / RECORD)
        is_used = True
        while server.poll() is None and not signals and is_used:
            time.sleep(_POLL_S)
            with suppress(OSError):  # as in `is_free`
                is_used = not try_alone(lease)
        _stop(server)
        (folder / RECORD).unlink(missing_ok=True)
        # Before the lease: who gets the lease must find this lock free.
        os.close(alive)


_DESCRIPTORS = 65_536  # nobody needs more, and some systems allow a billion


def raise_descriptor_limit() -> int:
    """Let this process open as many files and sockets as the system allows, and say how many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _DESCRIPTORS)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):  # macOS has one more limit of its own
        return soft
    return wanted


def die_with_parent(parent: int, number: int) -> None:
    """Have the kernel send this process a signal when its parent dies; Linux only."""
    # Elsewhere this does nothing: the next process that wants a server then adopts the orphan,
    # which still holds the `ALIVE` lock.
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        os.kill(os.getpid(), number)


def _start(command: Sequence[str], alive: int) -> subprocess.Popen[bytes]:
    parent = os.getpid()
    return subprocess.Popen(  # noqa: S603  # put together by caveat.workers.embedded
        command,
        stdin=subprocess.DEVNULL,
        pass_fds=(alive,),
        # Safe because the guard has one thread; killed, not asked: nobody is left to wait for it.
        preexec_fn=lambda: die_with_parent(parent, signal.SIGKILL),  # noqa: PLW1509  # see above
    )


def _stop(process: subprocess.Popen[bytes]) -> None:
    # Asked to stop, the server waits a second for calls of its own that do not end, for which
    # whoever types the next command waits too; and it leaves its database as a killed one does:
    # what it has committed is in the journal beside it, which the next server reads.
    process.kill()
    process.wait()


def main(arguments: Sequence[str]) -> None:
    """Leave the starter's session, so that its Ctrl-C and its end do not reach the server."""
    folder, alive, record, command = arguments
    if os.fork():
        return
    os.setsid()
    raise_descriptor_limit()  # for the server too
    guard(Path(folder), int(alive), json.loads(record), json.loads(command))


if __name__ == "__main__":
    main(sys.argv[1:])

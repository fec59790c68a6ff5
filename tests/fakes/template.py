"""Processes that a test can kill or talk to, forked from one that has imported everything already.

Importing takes a worker a second of the processor and a command half of one, building contracts a
third of one and a tenth, and tests start hundreds. What a command loads when, and how fast it
starts, is tested where it is really started (tests/clients/cli/test_help.py).

Usage: python -m tests.fakes.template DESCRIPTOR; each message of that socket is a request as JSON,
with the standard streams of a command and a pipe for how it ended; each answer is a process id.
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from caveat.contracts.base import build
from caveat.workers.guard import die_with_parent
from caveat.workers.version import build_id
from tests.fakes.commands import Command, Pipes
from tests.fakes.patience import PATIENCE_S

WORKERS = ("tests.fakes.mortal_worker", "tests.fakes.claude_worker")
LATER = "caveat.clients.mcp.server"  # what `caveat up` imports once it serves, for half a second
COMMANDS = "caveat.clients.cli"
MOST_BYTES = 1 << 17  # a request, whose environment is the longest part of it


@dataclass(frozen=True)
class Request:
    """What a process is to do."""

    module: str  # the module whose `main` runs
    arguments: tuple[str, ...]  # of `main`, or of the command
    folder: str | None = None  # where a command runs; none for a worker, which says nothing
    environment: Mapping[str, str] = field(default_factory=dict)  # the variables of a command


@dataclass(frozen=True)
class Forked:
    """A process that the template has made, and that the template alone waits for."""

    pid: int

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        deadline = time.monotonic() + PATIENCE_S
        while self._is_there():
            assert time.monotonic() < deadline, f"process {self.pid} does not die"
            time.sleep(0.005)

    def _is_there(self) -> bool:
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        return True


class Template:
    """The process that others are forked from; they die with it."""

    def __init__(self) -> None:
        self._line, other_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.fakes.template", str(other_end.fileno())],
            pass_fds=[other_end.fileno()],
        )
        other_end.close()
        self._turn = threading.Lock()

    def fork(self, module: str, *arguments: str) -> Forked:
        """Have a module's `main` run in a process of its own."""
        return Forked(self._forked(Request(module, arguments), ()))

    def command(
        self, arguments: Iterable[str], folder: Path, environment: Mapping[str, str]
    ) -> Command:
        """Run `caveat` in a process of its own, as a shell does in a folder."""
        pipes = Pipes()
        request = Request(f"{COMMANDS}.main", tuple(arguments), str(folder), environment)
        pid = self._forked(request, pipes.theirs)
        return pipes.command(pid)

    def _forked(self, request: Request, descriptors: Iterable[int]) -> int:
        with self._turn:
            socket.send_fds(self._line, [json.dumps(asdict(request)).encode()], [*descriptors])
            return int(self._line.recv(MOST_BYTES))

    def end(self) -> None:
        """End it; what was forked from it is killed by who started it."""
        self._line.close()
        self._process.wait(PATIENCE_S)


class _Server:
    """Forks until nobody asks any more, and tells how commands ended."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._ended: dict[int, int] = {}
        self._woken, self._wakes = os.pipe()
        os.set_blocking(self._wakes, False)
        signal.set_wakeup_fd(self._wakes)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> Callable[[], None]:
        """Return what is to be done: in a child its work, in the template nothing more."""
        while True:
            ready, _, _ = select.select([self._line.fileno(), self._woken], [], [])
            if self._woken in ready:
                os.read(self._woken, 4096)
                self._bury()
            if self._line.fileno() in ready:
                asked, descriptors, _, _ = socket.recv_fds(self._line, MOST_BYTES, 4)
                if not asked:
                    return lambda: None
                work = self._fork(Request(**json.loads(asked)), descriptors)
                if work is not None:
                    return work

    def _fork(self, request: Request, descriptors: list[int]) -> Callable[[], None] | None:
        template, child = os.getpid(), os.fork()
        if not child:
            self._forget()
            die_with_parent(template, signal.SIGKILL)
            return lambda: _work(request, descriptors[:3])
        for descriptor in descriptors[:3]:
            os.close(descriptor)
        for descriptor in descriptors[3:]:
            self._ended[child] = descriptor
        self._line.send(str(child).encode())
        return None

    def _bury(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            if pid in self._ended:
                descriptor = self._ended.pop(pid)
                os.write(descriptor, str(os.waitstatus_to_exitcode(status)).encode())
                os.close(descriptor)

    def _forget(self) -> None:
        """Leave to the template, in a child, what is the template's."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._line.close()
        for descriptor in (self._woken, self._wakes, *self._ended.values()):
            os.close(descriptor)


def _work(request: Request, streams: list[int]) -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for number, stream in enumerate(streams or [nothing] * 3):
        os.dup2(stream, number)
    for descriptor in {nothing, *streams}:
        os.close(descriptor)
    main = sys.modules[request.module].main
    if request.folder is None:
        try:
            main(*request.arguments)
        finally:
            os._exit(1)
    os.chdir(request.folder)
    os.environ.clear()
    os.environ.update(request.environment)
    sys.argv = ["caveat", *request.arguments]
    sys.stdin, sys.stdout = open(0), open(1, "w")  # noqa: SIM115  # until the process ends
    sys.stderr = open(2, "w", buffering=1)  # noqa: SIM115  # as above
    try:
        main()
    except SystemExit as ended:
        _leave(int(ended.code or 0))


def _leave(code: int) -> None:
    """End as Python does, but without taking every module apart.

    In a fork that copies each page of memory that the template shares with it, for longer than most
    commands take. How a command ends that was really started is tested where one is.
    """
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, as Python itself does
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


def _import_all() -> None:
    for name in (*WORKERS, LATER):
        importlib.import_module(name)
    for module in pkgutil.iter_modules(importlib.import_module(COMMANDS).__path__, f"{COMMANDS}."):
        importlib.import_module(module.name)
    build()
    build_id()
    gc.freeze()


if __name__ == "__main__":
    _import_all()
    _Server(socket.socket(fileno=int(sys.argv[1]))).serve()()

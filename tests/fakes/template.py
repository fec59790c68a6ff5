"""Worker processes that a test can kill, forked from one that has imported everything already.

Importing takes a worker a second of the processor, and tests start dozens to kill them.

Usage: python -m tests.fakes.template MODULE...; each line of standard input is a JSON list of a
module and the arguments of its `main`; each line of standard output the id of a process.
"""

import importlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import IO

from tests.fakes.patience import PATIENCE_S

MODULES = ("tests.fakes.mortal_worker", "tests.fakes.claude_worker")


@dataclass(frozen=True)
class Forked:
    """A process that the template has made, and that nobody but the kernel waits for."""

    pid: int

    def kill(self) -> None:
        """Kill it, and wait until it is gone."""
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
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.fakes.template", *MODULES],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def fork(self, module: str, *arguments: str) -> Forked:
        """Have a module's `main` run in a process of its own."""
        _pipe(self._process.stdin).write(json.dumps([module, *arguments]) + "\n")
        _pipe(self._process.stdin).flush()
        return Forked(int(_pipe(self._process.stdout).readline()))

    def end(self) -> None:
        """End it; what was forked from it is killed by who started it."""
        _pipe(self._process.stdin).close()
        self._process.wait(PATIENCE_S)
        _pipe(self._process.stdout).close()


def _pipe(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


def _serve() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel buries what was killed
    for line in sys.stdin:
        module, *arguments = json.loads(line)
        child = os.fork()
        if not child:
            _become(module, arguments)
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()


def _become(module: str, arguments: list[str]) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    try:
        sys.modules[module].main(*arguments)
    finally:
        os._exit(1)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        importlib.import_module(name)
    _serve()

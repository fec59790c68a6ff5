"""A command that runs in a process which another one waits for: what it says, and how it ends."""

import asyncio
import atexit
import contextlib
import importlib
import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import Pipe, connection, forkserver, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from temporalio.client import Client

from caveat.clients.run_description import format_reset
from caveat.workers.embedded import find_temporal_binary
from caveat.workers.guard import die_with_parent
from tests.fakes.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
_CONTEXT = get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.fakes.template"])
_ONE_AT_A_TIME = threading.Lock()  # how a process ended is told once, to whichever thread asks


def ran(
    *command: str | Path, check: bool = False, timeout: float = PATIENCE_S, **more: Any
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, and keep what it says."""
    return subprocess.run(
        command, capture_output=True, text=True, check=check, timeout=timeout, **more
    )


async def temporal(address: str, *words: str) -> tuple[int, str]:
    """Type a command of Temporal's own; return its exit code, and what it says on one line."""
    done = await asyncio.to_thread(ran, find_temporal_binary(), *words, "--address", address)
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def fork(work: Callable[..., object], *arguments: object) -> BaseProcess:
    """Begin something in a process that has imported everything (tests/fakes/template.py)."""
    process = _CONTEXT.Process(target=_live, args=(work, arguments), daemon=True)
    with _ONE_AT_A_TIME:
        # Its folder is where it looks for modules.
        with contextlib.chdir(ROOT):
            forkserver.ensure_running()
        process.start()
    return process


def _live(work: Callable[..., object], arguments: tuple[object, ...]) -> None:
    die_with_parent(os.getppid(), signal.SIGKILL)
    # The server that forks ends once nobody holds the other end, the tests alone do.
    os.close(forkserver._forkserver._forkserver_alive_fd)  # type: ignore[attr-defined]  # it has no public name
    work(*arguments)


class Command:
    """`caveat` as a shell runs it in a folder, with what tests use of `subprocess.Popen`."""

    def __init__(
        self, arguments: Iterable[str], folder: Path, environment: Mapping[str, str]
    ) -> None:
        (out, their_out), (err, their_err) = Pipe(duplex=False), Pipe(duplex=False)
        with out, err, their_out, their_err:
            given = (["caveat", *arguments], folder, dict(environment), their_out, their_err)
            self._process = fork(_run, *given)
            self.stdout = os.fdopen(os.dup(out.fileno()), encoding="utf-8")
            self.stderr = os.fdopen(os.dup(err.fileno()), encoding="utf-8")

    @property
    def returncode(self) -> int | None:
        with _ONE_AT_A_TIME:
            return self._process.exitcode

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            os.kill(self._process.pid or 0, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float) -> None:
        if not connection.wait([self._process.sentinel], timeout):
            self.kill()
            raise TimeoutError(f"the command has not ended in {timeout:.0f} s")

    def communicate(self, timeout: float = PATIENCE_S) -> tuple[str, str]:
        with self.stdout, self.stderr, ThreadPoolExecutor(2) as pool:
            out, err = pool.submit(self.stdout.read), pool.submit(self.stderr.read)
            self.wait(timeout)
            return out.result(), err.result()


def _run(
    words: list[str], folder: Path, environment: dict[str, str], out: Connection, err: Connection
) -> None:
    os.dup2(out.fileno(), 1)
    os.dup2(err.fileno(), 2)
    out.close()
    err.close()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv, sys.stdout, sys.stderr = words, open(1, "w"), open(2, "w", buffering=1)  # noqa: SIM115  # until the process ends
    try:
        importlib.import_module("caveat.clients.cli.main").main()
    finally:
        # As Python does when it ends, which takes a fork's modules apart for longer.
        threading._shutdown()  # type: ignore[attr-defined]  # nor has this
        atexit._run_exitfuncs()


async def reset_as_told(client: Client, workflow_id: str) -> None:
    """Type the command that a page shows for a workflow that stands still."""
    words = shlex.split(format_reset(workflow_id))[1:]
    code, said = await temporal(client.service_client.config.target_host, *words)
    assert code == 0, said

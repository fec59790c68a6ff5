"""A command that runs in a process which another one waits for: what it says, and how it ends."""

import asyncio
import os
import select
import shlex
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TextIO

from temporalio.client import Client

from caveat.clients.run_description import format_reset
from caveat.workers.launching import find_temporal_binary
from tests.fakes.patience import PATIENCE_S


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


class Pipes:
    """What a command reads and writes, and how it is told that it ended."""

    def __init__(self) -> None:
        out, err, ended = os.pipe(), os.pipe(), os.pipe()
        self._ours = (out[0], err[0], ended[0])
        self.theirs = (os.open(os.devnull, os.O_RDONLY), out[1], err[1], ended[1])

    def command(self, pid: int) -> "Command":
        """Keep our ends once the process has its own."""
        for descriptor in self.theirs:
            os.close(descriptor)
        return Command(pid, *self._ours)


class Command:
    """A running command, with the part of `subprocess.Popen` that tests use."""

    def __init__(self, pid: int, out: int, err: int, ended: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.stdout: TextIO = os.fdopen(out, encoding="utf-8")
        self.stderr: TextIO = os.fdopen(err, encoding="utf-8")
        self._ended = ended

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float) -> int:
        if self.returncode is None:
            if not select.select([self._ended], [], [], timeout)[0]:
                self.kill()
                raise TimeoutError(f"the command has not ended in {timeout:.0f} s")
            self.returncode = int(os.read(self._ended, 16))
            os.close(self._ended)
        return self.returncode

    def communicate(self, timeout: float = PATIENCE_S) -> tuple[str, str]:
        with self.stdout, self.stderr, ThreadPoolExecutor(2) as pool:
            out, err = pool.submit(self.stdout.read), pool.submit(self.stderr.read)
            self.wait(timeout)
            return out.result(), err.result()


async def reset_as_told(client: Client, workflow_id: str) -> None:
    """Type the command that a page shows for a workflow that stands still."""
    words = shlex.split(format_reset(workflow_id))[1:]
    code, said = await temporal(client.service_client.config.target_host, *words)
    assert code == 0, said

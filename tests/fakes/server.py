"""A Temporal server and a worker in processes of their own, for tests that kill them."""

import asyncio
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.process import BaseProcess
from pathlib import Path

from temporalio.client import Client
from temporalio.service import RPCError

from caveat.adapters.files.blobs import FolderBlobs
from caveat.workers.data import build_data_converter
from caveat.workers.embedded import build_server_command, find_temporal_binary
from tests.fakes import mortal_worker
from tests.fakes.commands import fork
from tests.fakes.free_ports import HOST, free_port

START_S = 60.0
"""Seconds for a start, which takes one on an idle machine and ten beside ten other jobs."""

TAKEN = "address already in use"
"""What it says of a port that somebody else has: it chooses some of its ports itself."""

TRIES = 3


class OwnServer:
    """A server that can be killed and started again at the same address, with what it knew."""

    def __init__(self, folder: Path, payloads: Path) -> None:
        self._folder = folder
        self._payloads = payloads
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.address = f"{HOST}:{self._port}"

    async def start(self) -> Client:
        for _ in range(TRIES):
            self._process = self._started()
            client = await self._answering(self._process)
            if client is not None:
                return client
        raise AssertionError(f"the server found its ports taken: {self._said()}")

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _started(self) -> subprocess.Popen[bytes]:
        database = self._folder / "temporal.db"
        command = build_server_command(find_temporal_binary(), database, port=self._port)
        with self._log.open("wb") as log:
            return subprocess.Popen(command, stdout=log, stderr=log)

    async def _answering(self, process: subprocess.Popen[bytes]) -> Client | None:
        """Return a client; or none where the server ended because a port was taken."""
        deadline = time.monotonic() + START_S
        converter = build_data_converter(FolderBlobs(self._payloads))
        while process.poll() is None:
            with suppress(RuntimeError, RPCError):
                return await Client.connect(self.address, data_converter=converter)
            assert time.monotonic() < deadline, f"the server does not answer: {self._said()}"
            await asyncio.sleep(0.1)
        assert TAKEN in self._said(), f"the server ended at once: {self._said()}"
        return None

    @property
    def _log(self) -> Path:
        return self._folder / "server.log"

    def _said(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")


class Machine:
    """A server and a worker, each a process that can be killed and started again."""

    def __init__(
        self,
        folder: Path,
        work: Callable[..., None] = mortal_worker.main,
        words: tuple[str, ...] = (),
        payloads: Path | None = None,
    ) -> None:
        self.folder = folder
        self._work = work
        self._words = words
        self._server = OwnServer(folder, payloads or folder / "payloads")
        self._worker: BaseProcess | None = None

    async def start_server(self) -> Client:
        return await self._server.start()

    def start_worker(self) -> None:
        self._worker = fork(self._work, self._server.address, str(self.folder), *self._words)

    def kill(self, *names: str) -> None:
        if "server" in names:
            self._server.kill()
        if "worker" in names and self._worker is not None:
            self._worker.kill()
            self._worker.join()
            self._worker = None

    def calls(self) -> Counter[str]:
        log = self.folder / "calls.log"
        return Counter(log.read_text(encoding="utf-8").splitlines() if log.exists() else [])

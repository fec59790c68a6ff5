"""A server and a worker in processes of their own, for tests that kill them."""

from collections import Counter
from pathlib import Path

from temporalio.client import Client

from tests.fakes.server import OwnServer
from tests.fakes.template import Forked, Template


class Machine:
    """A server and a worker, each a process that can be killed and started again."""

    def __init__(
        self,
        folder: Path,
        template: Template,
        worker: tuple[str, ...] = ("tests.fakes.mortal_worker",),
        payloads: Path | None = None,
    ) -> None:
        self.folder = folder
        self._template = template
        self._program, *self._words = worker
        self._server = OwnServer(folder, payloads or folder / "payloads")
        self._worker: Forked | None = None

    async def start_server(self) -> Client:
        return await self._server.start()

    def start_worker(self) -> None:
        words = (self._server.address, str(self.folder), *self._words)
        self._worker = self._template.fork(self._program, *words)

    def kill(self, *names: str) -> None:
        if "server" in names:
            self._server.kill()
        if "worker" in names and self._worker is not None:
            self._worker.kill()
            self._worker = None

    def end(self) -> None:
        self.kill("server", "worker")

    def calls(self) -> Counter[str]:
        log = self.folder / "calls.log"
        return Counter(log.read_text(encoding="utf-8").splitlines() if log.exists() else [])

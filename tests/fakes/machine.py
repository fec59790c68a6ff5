"""A server and a worker in processes of their own, for tests that kill them."""

import asyncio
import subprocess
from collections import Counter
from contextlib import suppress
from pathlib import Path

from temporalio.client import Client
from temporalio.service import RPCError

from tests.fakes.template import Forked, Template, spawned
from workers.binary import temporal_binary
from workers.data import data_converter
from workers.tuning import server_command


class Machine:
    """A server and a worker, each a process that can be killed and started again."""

    def __init__(self, folder: Path, port: int, ui_port: int, template: Template) -> None:
        self.folder = folder
        self._template = template
        self.address = f"127.0.0.1:{port}"
        self._ports = (port, ui_port)
        self._running: dict[str, subprocess.Popen[bytes] | Forked] = {}

    async def start_server(self) -> Client:
        port, ui_port = self._ports
        database = self.folder / "temporal.db"
        command = server_command(temporal_binary(), database, port=port, ui_port=ui_port)
        self._running["server"] = spawned(command)
        for _ in range(100):
            with suppress(RuntimeError, RPCError):
                converter = data_converter(self.folder / "payloads")
                return await Client.connect(self.address, data_converter=converter)
            await asyncio.sleep(0.1)
        raise AssertionError("the server does not answer")

    def start_worker(self) -> None:
        module = "tests.fakes.mortal_worker"
        self._running["worker"] = self._template.fork(module, self.address, str(self.folder))

    def kill(self, *names: str) -> None:
        for name in names:
            process = self._running.pop(name)
            process.kill()
            if isinstance(process, subprocess.Popen):
                process.wait(10)

    def end(self) -> None:
        self.kill(*self._running)

    def calls(self) -> Counter[str]:
        log = self.folder / "calls.log"
        return Counter(log.read_text(encoding="utf-8").splitlines() if log.exists() else [])

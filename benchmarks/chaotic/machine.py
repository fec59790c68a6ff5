"""A server and a worker in processes of their own, to be killed and started again."""

import asyncio
import json
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from temporalio.client import Client
from temporalio.converter import DataConverter
from temporalio.service import RPCError

from caveat.adapters.files.blobs import FolderBlobs
from caveat.workers.data import build_data_converter
from caveat.workers.launching import build_server_command, find_temporal_binary
from caveat.workers.settings import Settings
from standins.free_ports import free_port

START_S = 120.0  # seconds for a start, which takes one to five on an idle machine


async def answering(address: str, converter: DataConverter) -> Client:
    """Connect to a server that is being started, once it answers."""
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        with suppress(RuntimeError, RPCError):
            return await Client.connect(address, data_converter=converter)
        await asyncio.sleep(0.2)
    raise TimeoutError(f"no server at {address}")


class Machine:
    """Both, with what they know on disk."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self._folder = folder
        self.settings = settings
        self._ports = (free_port(), free_port())
        self._server: subprocess.Popen[bytes] | None = None
        self._worker: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """Where the server answers."""
        return f"127.0.0.1:{self._ports[0]}"

    async def start_server(self) -> Client:
        """Start the server, and wait until it answers."""
        self._server = self._started()
        converter = build_data_converter(FolderBlobs(self.settings.payloads_folder))
        return await answering(self.address, converter)

    def _started(self) -> subprocess.Popen[bytes]:
        port, ui_port = self._ports
        database = self._folder / "temporal.db"
        command = build_server_command(find_temporal_binary(), database, port=port, ui_port=ui_port)
        with (self._folder / "server.log").open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log)

    def start_worker(self) -> None:
        """Start a worker of production."""
        with (self._folder / "worker.log").open("ab") as log:
            self._worker = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.chaotic.worker", self.address],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
            )
        pipe = self._worker.stdin
        if pipe is not None:
            pipe.write(_with_secrets(self.settings).encode())
            pipe.close()

    def kill(self, *names: str) -> None:
        """Kill what is named, with signal 9, and wait until it is gone."""
        for process in (
            self._server if "server" in names else None,
            self._worker if "worker" in names else None,
        ):
            if process is not None:
                process.kill()
                process.wait()

    def end(self) -> None:
        """Kill both."""
        self.kill("server", "worker")


def _with_secrets(settings: Settings) -> str:
    """Write settings as JSON; Pydantic hides keys, and the stand-in's is none."""
    written = settings.model_dump(mode="json", by_alias=True, exclude_unset=True)
    for name, field in type(settings).model_fields.items():
        value = getattr(settings, name)
        if hasattr(value, "get_secret_value"):
            written[field.alias or name] = value.get_secret_value()
    return json.dumps(written)

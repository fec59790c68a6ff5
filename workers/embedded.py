"""The embedded Temporal server: started when nobody runs it, shared by everybody who needs it."""

import asyncio
import datetime as dt
import json
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from google.protobuf.duration_pb2 import Duration
from temporalio.api.namespace.v1 import NamespaceConfig
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest, UpdateNamespaceRequest
from temporalio.client import Client
from temporalio.service import RPCError

from caveat.problem import Problem
from caveat.workers import guard
from caveat.workers.launching import HOST, UI_TOKEN, launch, lock_at, require_free_ports
from caveat.workers.privacy import load_token
from caveat.workers.problem import ServerProblem, find_full_disk
from caveat.workers.settings import Settings

_ANSWER_S = 30.0
"""Seconds a server may take to answer; it needs 0.3 to 1.3, ten times that on a loaded machine."""

_STARTING_S = 2.0
"""One answer takes milliseconds; a server that needs longer than this is still starting."""

TURN_S = 60.0
"""Seconds to wait for a process that starts or stops the server; more than either may take."""

_POLL_S = 0.05  # seconds between two looks: short beside the 0.3 s of the fastest start

RETENTION = dt.timedelta(days=30)
"""How long closed runs stay on the server; its default of one day would lose a weekend's work."""


@dataclass(frozen=True)
class EmbeddedServer:
    port: int
    ui_port: int
    folder: Path

    @property
    def address(self) -> str:
        return f"{HOST}:{self.port}"

    @property
    def ui_url(self) -> str:
        return f"http://{HOST}:{self.ui_port}"

    @property
    def ui_token(self) -> str | None:
        """What lets a browser into the Web UI; None where the file is gone or bad by now."""
        file = self.folder / UI_TOKEN
        with suppress(Problem):
            return load_token(file, "the Web UI's token") if file.exists() else None
        return None

    async def wait_for_end(self) -> None:
        """Return when the server is gone, which it never is of its own accord while in use."""
        # Opened once: a process that is short of descriptors must not take the server for gone.
        with guard.lock_file(self.folder / guard.ALIVE) as alive:
            while not guard.is_free(alive):  # noqa: ASYNC110  # the kernel has no event for it
                await asyncio.sleep(1)


@asynccontextmanager
async def open_embedded_server(settings: Settings) -> AsyncIterator[EmbeddedServer]:
    """Use the embedded server of a state folder, starting it when it does not run."""
    # It runs while any process is inside this context, and stops when the last one has left or
    # died.
    folder = settings.server_folder
    with lock_at(folder / guard.LEASE) as lease:
        with lock_at(folder / guard.START) as start:
            await _turn(lambda: guard.try_alone(start), "starts")
            await _turn(lambda: guard.try_shared(lease), "stops")
            with lock_at(folder / guard.ALIVE) as alive:
                server = await _adopt(folder, alive)
                if server is None:
                    require_free_ports(settings)
                    launch(settings, alive).wait()
            # Only now, with our own hold on the lock closed, does a free lock mean that it ended.
            server = server or await _wait_for_answer(settings)
        yield server


async def _turn(try_lock: Callable[[], bool], doing: str) -> None:
    deadline = time.monotonic() + TURN_S
    while not try_lock():
        if time.monotonic() > deadline:
            raise ServerProblem(
                f"Another process still {doing} the embedded Temporal server after {TURN_S:.0f} "
                "seconds: end that process and try again."
            )
        await asyncio.sleep(_POLL_S)


async def _adopt(folder: Path, alive: int) -> EmbeddedServer | None:
    """Return the server that runs; or None, with the lock taken, when there is none."""
    deadline = time.monotonic() + _ANSWER_S
    while not guard.try_alone(alive):
        server = _read_record(folder)
        if server is not None and await _serve_namespace(server.address):
            return server
        if time.monotonic() > deadline:
            raise ServerProblem(
                f"The embedded Temporal server runs but does not answer: end the processes that "
                f"{folder / guard.RECORD} names and try again."
            )
        await asyncio.sleep(_POLL_S)
    return None


def _read_record(folder: Path) -> EmbeddedServer | None:
    """Read what the guard wrote; only a held lock makes it true."""
    try:
        record = json.loads((folder / guard.RECORD).read_text(encoding="utf-8"))
        return EmbeddedServer(int(record["port"]), int(record["ui_port"]), folder)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(_POLL_S)
        return probe.connect_ex((HOST, port)) == 0


async def _wait_for_answer(settings: Settings) -> EmbeddedServer:
    folder = settings.server_folder
    server = EmbeddedServer(settings.port, settings.ui_port, folder)
    deadline = time.monotonic() + _ANSWER_S
    with lock_at(folder / guard.ALIVE) as alive:
        while not (_listens(settings.ui_port) and await _serve_namespace(server.address)):
            if guard.is_free(alive):
                raise find_full_disk(settings) or ServerProblem(
                    f"The embedded Temporal server with the database {settings.server_database} "
                    f"ended at once: see {settings.server_log}, or set TEMPORAL_ADDRESS to a "
                    "Temporal server of your own."
                )
            if time.monotonic() > deadline:
                raise ServerProblem(
                    f"The embedded Temporal server did not answer within {_ANSWER_S:.0f} seconds: "
                    f"see {settings.server_log}."
                )
            await asyncio.sleep(_POLL_S)
    return server


async def _serve_namespace(address: str) -> bool:
    """Make sure that the default namespace keeps closed runs for at least `RETENTION`."""
    try:
        async with asyncio.timeout(_STARTING_S):
            client = await Client.connect(address)
            described = await client.workflow_service.describe_namespace(
                DescribeNamespaceRequest(namespace=client.namespace)
            )
            held_for = described.config.workflow_execution_retention_ttl.ToTimedelta()
            if held_for < RETENTION:
                retention = Duration()
                retention.FromTimedelta(RETENTION)
                await client.workflow_service.update_namespace(
                    UpdateNamespaceRequest(
                        namespace=client.namespace,
                        config=NamespaceConfig(workflow_execution_retention_ttl=retention),
                    )
                )
    except (RPCError, RuntimeError, TimeoutError):  # the SDK's error for a refused connection
        return False
    return True

"""The embedded Temporal server: started when nobody runs it, shared by everybody who needs it."""

import asyncio
import json
import os
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from workers.binary import temporal_binary
from workers.diagnosis import port_taken, ui_port_taken, why_it_ended
from workers.guard import RECORD
from workers.locks import ALIVE, LEASE, START, is_free, lock_file, try_alone, try_shared
from workers.namespace import serve_namespace
from workers.problem import ServerProblem
from workers.settings import Settings
from workers.tuning import server_command

_HOST = "127.0.0.1"

_ANSWER_S = 30.0
"""Seconds a server may take to answer; it needs 0.3 to 1.3, ten times that on a loaded machine."""

_TURN_S = 60.0
"""Seconds to wait for a process that starts or stops the server; more than either may take."""

_POLL_S = 0.05
"""Seconds between two looks: short beside the 0.3 s of the fastest start."""


@dataclass(frozen=True)
class Server:
    """An embedded server that answers.

    Attributes:
        address: of its gRPC service, `host:port`.
        ui_url: of its Web UI.
        folder: its database, log, record and locks.
    """

    address: str
    ui_url: str
    folder: Path

    async def ended(self) -> None:
        """Return when the server is gone, which it never is of its own accord while in use."""
        while not is_free(self.folder / ALIVE):  # noqa: ASYNC110  # the kernel has no event for it
            await asyncio.sleep(1)


@asynccontextmanager
async def embedded_server(settings: Settings) -> AsyncIterator[Server]:
    """Use the embedded server of a state folder, starting it when it does not run.

    It runs while any process is inside this context, and stops when the last one has left or
    died.

    Raises:
        ServerProblem: it cannot be started, or does not answer.
    """
    folder = settings.server_folder
    with _opened(folder / LEASE) as lease:
        with _opened(folder / START) as start:
            await _turn(lambda: try_alone(start), "starts")
            await _turn(lambda: try_shared(lease), "stops")
            server = await _adopt_or_start(settings)
        yield server


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    """Open a lock file; the folder holds people's research, so it is theirs alone."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        opened = lock_file(path)
        descriptor = opened.__enter__()
    except OSError as error:
        raise ServerProblem(
            f"The folder {path.parent} cannot be written ({error.strerror}): set CAVEAT_STATE_DIR "
            "to a folder that you may write."
        ) from None
    try:
        yield descriptor
    finally:
        opened.__exit__(None, None, None)


async def _turn(try_lock: Callable[[], bool], doing: str) -> None:
    deadline = time.monotonic() + _TURN_S
    while not try_lock():
        if time.monotonic() > deadline:
            raise ServerProblem(
                f"Another process still {doing} the embedded Temporal server after {_TURN_S:.0f} "
                "seconds: end that process and try again."
            )
        await asyncio.sleep(_POLL_S)


async def _adopt_or_start(settings: Settings) -> Server:
    with _opened(settings.server_folder / ALIVE) as alive:
        running = await _adopt(settings.server_folder, alive)
        if running is not None:
            return running
        _require_free_ports(settings)
        await _launch(settings, alive)
    # Only now, with our own hold on the lock closed, does a free lock mean that it ended.
    return await _answering(settings)


async def _adopt(folder: Path, alive: int) -> Server | None:
    """Return the server that runs; or None, with the lock taken, when there is none."""
    deadline = time.monotonic() + _ANSWER_S
    while not try_alone(alive):
        server = _recorded(folder)
        if server is not None and await serve_namespace(server.address):
            return server
        if time.monotonic() > deadline:
            raise ServerProblem(
                f"The embedded Temporal server runs but does not answer: end the processes that "
                f"{folder / RECORD} names and try again."
            )
        await asyncio.sleep(_POLL_S)
    return None


def _recorded(folder: Path) -> Server | None:
    """Read what the guard wrote; only a held lock makes it true."""
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        return _server(folder, port=int(record["port"]), ui_port=int(record["ui_port"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _server(folder: Path, *, port: int, ui_port: int) -> Server:
    return Server(f"{_HOST}:{port}", f"http://{_HOST}:{ui_port}", folder)


def _require_free_ports(settings: Settings) -> None:
    if not _is_free_port(settings.port):
        raise port_taken(settings.port)
    if not _is_free_port(settings.ui_port):
        raise ui_port_taken(settings.ui_port)


def _is_free_port(port: int) -> bool:
    with socket.socket() as probe:
        # As the server itself binds: a port that was closed a moment ago is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_HOST, port))
        except OSError:
            return False
    return True


async def _launch(settings: Settings, alive: int) -> None:
    """Start the guard, which detaches itself and starts the server."""
    record = {"port": settings.port, "ui_port": settings.ui_port, "version": version("caveat")}
    command = server_command(
        temporal_binary(),
        settings.server_database,
        port=settings.port,
        ui_port=settings.ui_port,
    )
    with settings.server_log.open("wb") as log:
        launcher = await asyncio.create_subprocess_exec(
            # Not the current folder, where a person's own package may have our name.
            *(sys.executable, "-P", "-m", "workers.guard"),
            *(str(settings.server_folder), str(alive), json.dumps(record), *command),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(alive,),
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        )
        await launcher.wait()


async def _answering(settings: Settings) -> Server:
    folder = settings.server_folder
    server = _server(folder, port=settings.port, ui_port=settings.ui_port)
    deadline = time.monotonic() + _ANSWER_S
    while not await serve_namespace(server.address):
        if is_free(folder / ALIVE):
            raise why_it_ended(settings)
        if time.monotonic() > deadline:
            raise ServerProblem(
                f"The embedded Temporal server did not answer within {_ANSWER_S:.0f} seconds: see "
                f"{settings.server_log}."
            )
        await asyncio.sleep(_POLL_S)
    return server

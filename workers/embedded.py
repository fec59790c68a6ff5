"""The embedded Temporal server: started when nobody runs it, shared by everybody who needs it."""

import asyncio
import errno
import json
import os
import secrets
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from caveat.workers.binary import temporal_binary
from caveat.workers.diagnosis import (
    port_not_permitted,
    port_taken,
    port_unusable,
    ui_port_taken,
    why_it_ended,
)
from caveat.workers.guard import RECORD
from caveat.workers.locks import ALIVE, LEASE, START, is_free, lock_file, try_alone, try_shared
from caveat.workers.namespace import serve_namespace
from caveat.workers.privacy import close_folders
from caveat.workers.problem import ServerProblem
from caveat.workers.settings import Settings
from caveat.workers.tuning import server_command

_HOST = "127.0.0.1"

_INHERITED = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PATH", "TMPDIR", "TZ")
"""Variables that the server program and the guard may know; everything else could be a secret."""

_ANSWER_S = 30.0
"""Seconds a server may take to answer; it needs 0.3 to 1.3, ten times that on a loaded machine."""

_TURN_S = 60.0
"""Seconds to wait for a process that starts or stops the server; more than either may take."""

_UI_TOKEN = "ui.token"  # noqa: S105  # the name of a file
"""Holds what lets a browser into the Web UI; kept, so that a browser that was let in stays so."""

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

    @property
    def ui_token(self) -> str | None:
        """What lets a browser into the Web UI; None where an earlier version runs the server."""
        try:
            return (self.folder / _UI_TOKEN).read_text(encoding="ascii").strip() or None
        except OSError:
            return None

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
    close_folders(settings)
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
    if settings.port == settings.ui_port:
        raise ServerProblem(
            f"CAVEAT_PORT and CAVEAT_UI_PORT are both {settings.port}: set two different ports."
        )
    _require_free(settings.port, "CAVEAT_PORT", port_taken(settings.port))
    _require_free(settings.ui_port, "CAVEAT_UI_PORT", ui_port_taken(settings.ui_port))


def _require_free(port: int, variable: str, taken: ServerProblem) -> None:
    with socket.socket() as probe:
        # As the server itself binds: a port that was closed a moment ago is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_HOST, port))
        except PermissionError:
            raise port_not_permitted(port, variable) from None
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise taken from None
            raise port_unusable(port, variable, os.strerror(error.errno or 0)) from None


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(_POLL_S)
        return probe.connect_ex((_HOST, port)) == 0


async def _launch(settings: Settings, alive: int) -> None:
    """Start the guard, which detaches itself and starts the server."""
    record = {"port": settings.port, "ui_port": settings.ui_port, "version": version("caveat")}
    commands = json.dumps(_commands(settings))
    with settings.server_log.open("wb") as log:
        launcher = await asyncio.create_subprocess_exec(
            # Not the current folder, where a person's own package may have our name.
            *(sys.executable, "-P", "-m", "caveat.workers.guard"),
            *(str(settings.server_folder), str(alive), json.dumps(record), commands),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(alive,),
            env=_environment(),
        )
        await launcher.wait()


def _environment() -> dict[str, str]:
    """What the guard and the server need of the environment: no key, and no secret's address."""
    kept = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    return {**kept, "PYTHONPATH": str(Path(__file__).parents[2])}


def _commands(settings: Settings) -> dict[str, tuple[str, ...]]:
    """Put together what the guard runs: the Web UI listens where no web page can find it."""
    ui_ip = _hidden_address()
    ui_port = _free_port(ui_ip)
    token = _ui_token(settings.server_folder)
    return {
        "server": server_command(
            temporal_binary(),
            settings.server_database,
            port=settings.port,
            ui_port=ui_port,
            ui_ip=ui_ip,
            codec=f"{settings.web_address}/codec" if settings.keys_file else None,
        ),
        "proxy": (
            *(sys.executable, "-P", "-m", "caveat.workers.ui_proxy"),
            *(str(settings.ui_port), str(token), ui_ip, str(ui_port)),
        ),
    }


def _hidden_address() -> str:
    """Choose one of the 16 million addresses of this machine's own network.

    A page that points a name of its own at the Web UI would have to guess it. Linux alone has the
    whole network; elsewhere the port is all there is to guess.
    """
    if sys.platform != "linux":
        return _HOST
    return f"127.{secrets.randbelow(255) + 1}.{secrets.randbelow(256)}.{secrets.randbelow(254) + 1}"


def _free_port(address: str) -> int:
    with socket.socket() as probe:
        probe.bind((address, 0))
        port: int = probe.getsockname()[1]
        return port


def _ui_token(folder: Path) -> Path:
    """Make the token, once, in a file that only this user can read."""
    file = folder / _UI_TOKEN
    if not file.exists():
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as opened:
            opened.write(secrets.token_urlsafe(24))
    return file


async def _answering(settings: Settings) -> Server:
    folder = settings.server_folder
    server = _server(folder, port=settings.port, ui_port=settings.ui_port)
    deadline = time.monotonic() + _ANSWER_S
    while not (_listens(settings.ui_port) and await serve_namespace(server.address)):
        if is_free(folder / ALIVE):
            raise why_it_ended(settings)
        if time.monotonic() > deadline:
            raise ServerProblem(
                f"The embedded Temporal server did not answer within {_ANSWER_S:.0f} seconds: see "
                f"{settings.server_log}."
            )
        await asyncio.sleep(_POLL_S)
    return server

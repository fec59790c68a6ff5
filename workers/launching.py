"""Launching the embedded server, which needs nothing of what most commands have to import first."""

import errno
import json
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib.metadata import version
from pathlib import Path

from platformdirs import user_config_path

from caveat.workers.guard import ALIVE, LEASE, START, lock_file, try_alone, try_shared
from caveat.workers.privacy import close_folders
from caveat.workers.problem import (
    ServerProblem,
    port_not_permitted,
    port_taken,
    port_unusable,
    ui_port_taken,
)
from caveat.workers.settings import Settings
from caveat.workers.tuning import server_command, temporal_binary

HOST = "127.0.0.1"
"""Where the server listens."""

UI_TOKEN = "ui.token"  # noqa: S105  # the name of a file
"""Holds what lets a browser into the Web UI; kept, so that a browser that was let in stays so."""

_INHERITED = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PATH", "TMPDIR", "TZ")
"""Variables that the server program and the guard may know; everything else could be a secret."""

_ELSEWHERE = "TEMPORAL_"
"""How the variables begin that may name a server of one's own."""

_held = ExitStack()
"""The lease on a server that was launched ahead."""


def may_be_elsewhere() -> bool:
    """Say whether the environment may name a server of your own; the SDK alone knows whether.

    It takes long to load, and need not where there is neither a variable nor a profile of its kind.
    """
    if any(name.startswith(_ELSEWHERE) for name in os.environ):
        return True
    try:
        return (user_config_path("temporalio", appauthor=False) / "temporal.toml").exists()
    except (OSError, RuntimeError):  # there is no home folder
        return True


def launch_ahead(settings: Settings) -> None:
    """Launch the embedded server before this process has imported what will connect to it.

    To import takes half a second of the processor, and a server as long to answer, which nobody
    waits for twice. Where a server runs, or may be somebody's own, nothing is done; nor where
    something is in the way, which whoever connects (`caveat.workers.embedded`) finds and says. That
    one adopts the server too. Until then this process holds a lease on it, so that a command which
    never connects leaves none behind.
    """
    if may_be_elsewhere():
        return
    with suppress(ServerProblem, OSError):
        _launch_if_none(settings)


def let_go() -> None:
    """Give the lease back: whoever connected has one."""
    _held.close()


def _launch_if_none(settings: Settings) -> None:
    close_folders(settings)
    folder = settings.server_folder
    with ExitStack() as leased:
        lease = leased.enter_context(lock_at(folder / LEASE))
        with lock_at(folder / START) as start, lock_at(folder / ALIVE) as alive:
            if not (try_alone(start) and try_shared(lease) and try_alone(alive)):
                return
            require_free_ports(settings)
            launcher = launch(settings, alive)
        leased.callback(launcher.wait)
        _held.push(leased.pop_all())


@contextmanager
def lock_at(path: Path) -> Iterator[int]:
    """Open a lock file; the folder holds people's research, so it is theirs alone.

    Raises:
        ServerProblem: the folder cannot be written.
    """
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


def require_free_ports(settings: Settings) -> None:
    """Look whether the server could listen.

    Raises:
        ServerProblem: it could not; its sentence says why.
    """
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
            probe.bind((HOST, port))
        except PermissionError:
            raise port_not_permitted(port, variable) from None
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise taken from None
            raise port_unusable(port, variable, os.strerror(error.errno or 0)) from None


def launch(settings: Settings, alive: int) -> "subprocess.Popen[bytes]":
    """Start the guard, which detaches itself and starts the server.

    Args:
        settings: of this process.
        alive: descriptor of the `ALIVE` lock, held alone; from now on the guard holds it too.

    Returns:
        What ends as soon as the guard is there.
    """
    record = {"port": settings.port, "ui_port": settings.ui_port, "version": version("caveat")}
    with settings.server_log.open("wb") as log:
        return subprocess.Popen(  # noqa: S603  # put together here
            (
                # Not the current folder, where a person's own package may have our name.
                *(sys.executable, "-P", "-m", "caveat.workers.guard"),
                *(str(settings.server_folder), str(alive)),
                *(json.dumps(record), json.dumps(_commands(settings))),
            ),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(alive,),
            env=_environment(),
        )


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
        return HOST
    return f"127.{secrets.randbelow(255) + 1}.{secrets.randbelow(256)}.{secrets.randbelow(254) + 1}"


def _free_port(address: str) -> int:
    with socket.socket() as probe:
        probe.bind((address, 0))
        port: int = probe.getsockname()[1]
        return port


def _ui_token(folder: Path) -> Path:
    """Make the token, once, in a file that only this user can read."""
    file = folder / UI_TOKEN
    if not file.exists():
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as opened:
            opened.write(secrets.token_urlsafe(24))
    return file

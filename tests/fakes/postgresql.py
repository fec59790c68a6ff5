"""A private PostgreSQL: its own folder, a socket in it and no port, gone with the tests."""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg

START_S = 30.0  # seconds for a start, which takes less than one on an idle machine
_USER = "tests"
_WHO = """
local all caveat scram-sha-256
local all all    trust
"""
"""The role that production has needs its password here too; the folder keeps strangers out."""

# What is lost in a power cut does not matter here; waiting for the disk would.
_IN_A_HURRY = ("fsync=off", "full_page_writes=off", "synchronous_commit=off")
_SMALL = ("shared_buffers=16MB", "max_connections=40", "listen_addresses=")


@dataclass(frozen=True)
class PostgreSql:
    socket: Path  # the folder of its socket

    def new_database(self) -> str:
        name = f"test_{uuid.uuid4().hex[:12]}"
        with psycopg.connect(self.url_of("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self.url_of(name)

    def url_of(self, database: str) -> str:
        return f"postgresql://{_USER}@/{database}?host={self.socket}"


def programs() -> Path | None:
    """The folder of the newest PostgreSQL server's programs; None where none can be run."""
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        return None
    debian = Path("/usr/lib/postgresql")
    newest = sorted(debian.glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    found = str(newest[-1]) if newest else shutil.which("initdb")
    return Path(found).resolve().parent if found else None


@contextlib.contextmanager
def private_server(where: Path) -> Iterator[PostgreSql]:
    """Start a server with the programs of a folder; stop it however the block ends."""
    # Not below pytest's folder, which is closed to the user that the server runs as.
    folder = Path(tempfile.mkdtemp(prefix="caveat-pg-"))
    try:
        if os.geteuid() == 0:
            os.chown(folder, _user().pw_uid, _user().pw_gid)
        with _running(where, folder):
            yield PostgreSql(folder)
    finally:
        shutil.rmtree(folder)


@contextlib.contextmanager
def _running(where: Path, folder: Path) -> Iterator[None]:
    subprocess.run(
        [
            *(*_unprivileged(), str(where / "initdb"), f"--pgdata={folder}/data"),
            *(f"--username={_USER}", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"),
        ],
        check=True,
        capture_output=True,
        cwd=folder,
    )
    (folder / "data" / "pg_hba.conf").write_text(_WHO)
    options = (*_IN_A_HURRY, *_SMALL, f"unix_socket_directories={folder}")
    command = [
        *(*_unprivileged(), str(where / "postgres"), "-D", f"{folder}/data"),
        *(word for option in options for word in ("-c", option)),
    ]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
    try:
        _wait_until_ready(server, PostgreSql(folder))
        yield
    finally:
        server.send_signal(signal.SIGINT)  # a fast shutdown, which waits for no connection
        try:
            server.wait(START_S)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _wait_until_ready(server: subprocess.Popen[bytes], made: PostgreSql) -> None:
    deadline = time.monotonic() + START_S
    while True:
        try:
            psycopg.connect(made.url_of("postgres")).close()
        except psycopg.OperationalError:
            if server.poll() is not None or time.monotonic() > deadline:
                said = (made.socket / "log").read_text(encoding="utf-8", errors="replace")
                raise RuntimeError(f"PostgreSQL does not start: {said}") from None
            time.sleep(0.02)
        else:
            return


def _unprivileged() -> list[str]:
    """Die with pytest and, since PostgreSQL refuses to run as root, as somebody else."""
    if shutil.which("setpriv") is None:
        return []
    mortal = ["setpriv", "--pdeathsig", "QUIT"]
    if os.geteuid() != 0:
        return [*mortal, "--"]
    user = _user()
    return [*mortal, f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "--"]


def _user() -> pwd.struct_passwd:
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return pwd.getpwnam("nobody")

"""Processes that use the embedded server, and the truth about it from outside."""

import contextlib
import json
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path

from caveat.workers.settings import Settings
from tests.fakes.patience import PATIENCE_S

# A user announces that it is inside and stays until its standard input closes.
USER = """
import asyncio, sys
from caveat.workers.embedded import open_embedded_server
from caveat.problem import OutOfReach
from caveat.workers.settings import Settings

async def main():
    settings = Settings.model_validate_json(sys.argv[1])
    async with open_embedded_server(settings) as server:
        print(server.address, flush=True)
        await asyncio.to_thread(sys.stdin.read)
    await asyncio.sleep(0.1)

try:
    asyncio.run(main())
except OutOfReach as problem:
    print(f"problem: {problem}", flush=True)
"""


class User:
    """A process of its own that uses the embedded server."""

    def __init__(self, settings: Settings) -> None:
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                textwrap.dedent(USER),
                settings.model_dump_json(exclude_none=True),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def inside(self) -> str:
        """Wait until it uses the server; return what it says."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def leave(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(PATIENCE_S)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE_S)

    def end(self) -> None:
        self.kill()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()


def record(settings: Settings) -> dict[str, int]:
    text = (settings.server_folder / "server.json").read_text(encoding="utf-8")
    found: dict[str, int] = json.loads(text)
    return found


def is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
        return stat.rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ends_within(seconds: float, *pids: int) -> bool:
    """Wait until all of some processes have ended."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not any(is_alive(pid) for pid in pids):
            return True
        time.sleep(0.05)
    return False


def is_listening(port: int) -> bool:
    """Whether somebody accepts connections on a port of the loopback address."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def listening_addresses(pid: int) -> set[str]:
    """The IPv4 addresses with ports that a process listens on, and what is not one as it stands."""
    links = [str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()]
    inodes = {
        link.removeprefix("socket:[").removesuffix("]")
        for link in links
        if link.startswith("socket:")
    }
    rows = [
        line.split()
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{table}").read_text(encoding="ascii").splitlines()[1:]
    ]
    return {_address(row[1]) for row in rows if row[9] in inodes and row[3] == "0A"}


def environment_of(pid: int) -> str:
    """The variables that a process was started with."""
    return Path(f"/proc/{pid}/environ").read_bytes().replace(b"\0", b"\n").decode()


def _address(written: str) -> str:
    """Read an address as the kernel writes it: bytes in reverse, then the port."""
    host, port = written.split(":")
    if len(host) != 8:
        return written
    return f"{'.'.join(str(byte) for byte in reversed(bytes.fromhex(host)))}:{int(port, 16)}"

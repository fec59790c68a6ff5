"""The peers: installed in a temporary folder when they are measured, never with the product."""

import asyncio
import json
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).with_name("peers")

PACKAGES = {
    "langgraph": ("langgraph", "langgraph-checkpoint-sqlite"),
    "dbos": ("dbos",),
    "restate": ("restate-sdk", "hypercorn"),
}
"""Of Python, each in its newest version: what is compared is what people would install today."""

NPM = "@restatedev/restate-server"  # Restate's server, a program in an npm package

BOUND_S = 300  # seconds of one peer, its server's start included


@dataclass(frozen=True)
class Peers:
    """The peers that could be installed."""

    folder: Path  # where
    names: tuple[str, ...]  # of those that are there

    async def run(self, name: str, given: dict[str, Any], scratch: Path) -> dict[str, float]:
        """Have a peer run the DAG; return its wall and CPU seconds.

        Args:
            name: whose.
            given: sources, runs at once, and seconds of each kind of call.
            scratch: an empty folder for what it keeps.
        """
        server = self.folder / "node_modules" / ".bin" / "restate-server"
        whole = {**given, "folder": str(scratch), "ports": _free_ports(4), "server": str(server)}
        process = await asyncio.create_subprocess_exec(
            *(str(_python(self.folder)), str(PROGRAMS / f"by_{name}.py"), json.dumps(whole)),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            said, wrong = await asyncio.wait_for(process.communicate(), BOUND_S)
        except TimeoutError:
            process.kill()
            raise SystemExit(f"{name} did not end within {BOUND_S} seconds.") from None
        for line in said.decode().splitlines():
            if line.startswith('{"wall_s"'):
                found: dict[str, float] = json.loads(line)
                return found
        raise SystemExit(f"{name} did not end well: {wrong.decode()[-2_000:]}")


def install(folder: Path, wanted: Sequence[str]) -> Peers:
    """Install the peers that are wanted; one that cannot be had is named and left out."""
    there = [name for name in wanted if name in PACKAGES]
    if not there:
        return Peers(folder, ())
    _run(sys.executable, "-m", "venv", str(folder / "venv"))
    for name in list(there):
        print(f"Installing {name} ...", file=sys.stderr, flush=True)
        pip = [str(_python(folder)), "-m", "pip", "install", "--quiet", *PACKAGES[name]]
        if not _run(*pip) or (name == "restate" and not _npm(folder)):
            print(f"{name} cannot be installed here, and is left out.", file=sys.stderr)
            there.remove(name)
    return Peers(folder, tuple(there))


def _free_ports(count: int) -> list[int]:
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [int(probe.getsockname()[1]) for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def _npm(folder: Path) -> bool:
    npm = shutil.which("npm")
    return npm is not None and _run(npm, "install", "--silent", "--prefix", str(folder), NPM)


def _python(folder: Path) -> Path:
    return folder / "venv" / "bin" / "python"


def _run(*command: str) -> bool:
    return subprocess.run(command, check=False, capture_output=True).returncode == 0

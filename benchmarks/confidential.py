"""What keys cost a run: time, bytes of its histories and beside them, and the codec by itself.

    python -m benchmarks.confidential [--runs 5]

Researches the example corpus by the command, on an embedded server of its own each time, with and
without `CAVEAT_KEYS_FILE` in turn. The time is the report's own: from the start of the run to its
report, without the start of the command.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from temporalio.api.common.v1 import Payload

from benchmarks.alone import settings
from benchmarks.common import CORPUS, TOPIC
from caveat.workers import keys
from caveat.workers.codec import KeyedCodec
from caveat.workers.connection import connect
from caveat.workers.keys import Keyring
from caveat.workers.settings import Settings

SIZES = (1024, 64 * 1024, 1024 * 1024)


@dataclass(frozen=True)
class Cost:
    """What one run took."""

    seconds: float
    history: int
    beside: int


async def histories(given: Settings) -> int:
    """Count the bytes of what the server keeps of every workflow."""
    async with connect(given) as connection:
        total = 0
        async for execution in connection.client.list_workflows():
            handle = connection.client.get_workflow_handle(execution.id, run_id=execution.run_id)
            events = (await handle.fetch_history()).events
            total += sum(event.ByteSize() for event in events)
        return total


def once(*, locked: bool) -> Cost:
    """Research once."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "keys.json" if locked else None
        if file is not None:
            keys.new(file)
        given = settings(folder, keys_file=file)
        environment = os.environ | {
            "CAVEAT_STATE_DIR": str(given.state_dir),
            "CAVEAT_CACHE_DIR": str(given.cache_dir),
            "CAVEAT_PORT": str(given.port),
            "CAVEAT_UI_PORT": str(given.ui_port),
            "CAVEAT_KEYS_FILE": str(file or ""),
        }
        subprocess.run(
            [
                *(sys.executable, "-m", "caveat.clients.cli.main", "research", TOPIC),
                *("--corpus", str(CORPUS), "--out", str(folder / "out"), "--format", "json"),
                *("--arbitration-timeout", "1s", "--wait"),
            ],
            env=environment,
            check=True,
            capture_output=True,
        )
        report = json.loads((folder / "out" / "report.json").read_text())
        kept = [each for each in given.payloads_folder.rglob("*") if each.is_file()]
        return Cost(
            report["metrics"]["pipeline_seconds"],
            asyncio.run(histories(given)),
            sum(each.stat().st_size for each in kept),
        )


async def codec() -> None:
    """Encrypt and decrypt payloads of several sizes."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "keys.json"
        keys.new(file)
        made = KeyedCodec(Keyring(file))
        for size in SIZES:
            payload = Payload(metadata={"encoding": b"json/plain"}, data=os.urandom(size))
            times = []
            for _ in range(50):
                begun = time.perf_counter()
                sealed = await made.encode([payload])
                await made.decode(sealed)
                times.append(time.perf_counter() - begun)
            more = sealed[0].ByteSize() - payload.ByteSize()
            print(
                f"{size // 1024:>5} kB there and back {statistics.median(times) * 1e6:,.0f} µs,"
                f" {more} bytes more"
            )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    asyncio.run(codec())
    costs: dict[bool, list[Cost]] = {False: [], True: []}
    for _ in range(runs):
        for locked, taken in costs.items():
            taken.append(once(locked=locked))
    for locked, taken in costs.items():
        seconds = [each.seconds for each in taken]
        print(
            f"{'with keys' if locked else 'without':<10}"
            f"{statistics.median(seconds):6.2f} s ({min(seconds):.2f} to {max(seconds):.2f}), "
            f"histories {statistics.median(each.history for each in taken) / 1024:,.0f} kB, "
            f"beside them {statistics.median(each.beside for each in taken) / 1024:,.0f} kB"
        )


if __name__ == "__main__":
    main()

"""What each setting of the embedded server is worth: the same run with and without it.

    python -m benchmarks.flags [--rounds 3] [--sources 30] [--only WORDS]

Runs `benchmarks.overhead`'s DAG without any latency, so that nothing but the overhead is left, on a
fresh server for each setting that is taken away and for each that might be added, round by round
so that what else the machine does befalls all alike. The last of several runs of a server counts:
a new one has some dozens of looks for work in advance, which hid what a limit on them costs. Prints
medians: wall seconds, and CPU seconds of the server, which depend less on the machine's load.
"""

import argparse
import asyncio
import json
import subprocess
import sys
from statistics import median

from benchmarks.common import command_line, load
from benchmarks.overhead import Shape, by_caveat, fresh_server
from caveat.workers import launching

ADDED = {
    "pragma cache_size=-64000": ("sqlite", "cache_size=-64000"),
    "pragma mmap_size=268435456": ("sqlite", "mmap_size=268435456"),
    "pragma temp_store=memory": ("sqlite", "temp_store=memory"),
    "pragma wal_autocheckpoint=10000": ("sqlite", "wal_autocheckpoint=10000"),
    "pragma synchronous=off": ("sqlite", "synchronous=off"),
    "eager start": ("dynamic", "system.enableEagerWorkflowStart=true"),
    "a larger history cache": ("dynamic", "history.cacheInitialSize=512"),
}
"""Beside what there is; that the last of the pragmas loses a machine's crash rules it out."""


def variants() -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Name every set of settings: dynamic configuration and pragmas."""
    dynamic, sqlite = launching.DYNAMIC, launching.SQLITE
    found = {"as it is": (dynamic, sqlite)}
    for each in dynamic:
        found[f"without {each}"] = (tuple(one for one in dynamic if one != each), sqlite)
    for each in sqlite:
        found[f"without {each}"] = (dynamic, tuple(one for one in sqlite if one != each))
    for name, (where, setting) in ADDED.items():
        more = (
            ((*dynamic, setting), sqlite) if where == "dynamic" else (dynamic, (*sqlite, setting))
        )
        found[f"with {name}"] = more
    return found


SERIES = 3
"""Pairs of runs of one server, of which the last run counts."""


async def one(name: str, sources: int) -> tuple[float, float]:
    """Run a few times with some settings, in this process."""
    launching.DYNAMIC, launching.SQLITE = variants()[name]
    async with fresh_server() as (connection, server):
        for _ in range(SERIES):
            done = (await by_caveat(Shape(sources, scale=0), connection.client, server))[-1]
    return done.wall_s, done.server_cpu_s or 0.0


def main() -> int:
    """Run every variant in every round."""
    parser = command_line(__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sources", type=int, default=30)
    parser.add_argument("--only", default="", help="settings with these words in them")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(asyncio.run(one(options.one, options.sources))))
        return 0
    wanted = [name for name in variants() if name == "as it is" or options.only in name]
    took: dict[str, list[tuple[float, float]]] = {name: [] for name in wanted}
    for _ in range(options.rounds):
        for name, runs in took.items():
            command = [sys.executable, "-m", "benchmarks.flags", "--one", name]
            command += ["--sources", str(options.sources)]
            said = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
            if said.returncode == 0:
                runs.append(tuple(json.loads(said.stdout.splitlines()[-1])))
    print(load())
    for name, runs in took.items():
        if runs:
            wall, cpu = (median(each[at] for each in runs) for at in (0, 1))
            least = min(each[0] for each in runs)
            print(f"{name:<62} {wall:6.2f} s (least {least:.2f})  server {cpu:5.2f} s")
        else:
            print(f"{name:<62} does not run")
    return 0


if __name__ == "__main__":
    sys.exit(main())

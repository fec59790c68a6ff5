"""The research DAG for peers that have none of the product's packages."""

import asyncio
import json
import sys
import time

ANGLES = 6


def shape():
    """Read what is to be run: sources, runs at once, seconds of each kind of call, a folder."""
    return json.loads(sys.argv[1])


async def dag(sources, call):
    """Make every call as soon as what it needs is there."""

    async def study(number):
        await call("read", f"read-{number}")
        await call("analyse", f"analyse-{number}")

    async def angle(number):
        await call("search", f"search-{number}")
        await asyncio.gather(*(study(each) for each in range(number, sources, ANGLES)))

    await call("plan", "plan")
    await asyncio.gather(*(angle(number) for number in range(ANGLES)))
    await call("synthesise", "synthesise")
    await call("verify", "verify")


async def timed(one, runs):
    """Do so many at once and say how long it took, the first one, which warms up, not counted."""
    cpu, began = time.process_time(), time.monotonic()
    await asyncio.gather(*(one(number) for number in range(runs)))
    wall = time.monotonic() - began
    print(json.dumps({"wall_s": wall, "worker_cpu_s": time.process_time() - cpu}))

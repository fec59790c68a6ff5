"""DBOS on SQLite: every call is a step."""

import asyncio

from dag import dag, shape, timed
from dbos import DBOS, DBOSConfig

GIVEN = shape()
CONFIG: DBOSConfig = {
    "name": "caveat-peer",
    "system_database_url": f"sqlite:///{GIVEN['folder']}/dbos.sqlite",
    "run_admin_server": False,
    "log_level": "ERROR",
}
DBOS(config=CONFIG)


@DBOS.step()
async def step(seconds: float) -> str:
    """Take as long as a call."""
    await asyncio.sleep(seconds)
    return "s-" + "0" * 64


@DBOS.workflow()
async def research(sources: int) -> str:

    async def call(kind, _):
        await step(GIVEN["latencies"][kind])

    await dag(sources, call)
    return "done"


async def main():
    """Run the DAG so many times at once."""
    DBOS.launch()

    async def one(_):
        handle = await DBOS.start_workflow_async(research, GIVEN["sources"])
        await handle.get_result()

    await timed(one, GIVEN["runs"])
    DBOS.destroy()


asyncio.run(main())

"""LangGraph's functional API with its SQLite checkpointer: every call is a task."""

import asyncio

from dag import dag, shape, timed
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.func import entrypoint, task

GIVEN = shape()


@task
async def step(seconds):
    """Take as long as a call."""
    await asyncio.sleep(seconds)
    return "s-" + "0" * 64


async def main():
    async with AsyncSqliteSaver.from_conn_string(f"{GIVEN['folder']}/langgraph.db") as saver:

        @entrypoint(checkpointer=saver)
        async def research(sources):
            async def call(kind, _):
                await step(GIVEN["latencies"][kind])

            await dag(sources, call)
            return "done"

        async def one(number):
            await research.ainvoke(
                GIVEN["sources"], {"configurable": {"thread_id": f"run-{number}"}}
            )

        await timed(one, GIVEN["runs"])


asyncio.run(main())

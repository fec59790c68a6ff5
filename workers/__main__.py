"""`python -m workers`: serve the task queues until told to stop."""

import asyncio
import os
import signal
import sys

from workers.connection import connect
from workers.problem import ServerProblem
from workers.settings import Settings, SettingsProblem, load
from workers.worker import run_workers

_WRONG_INPUT = 2
_NO_SERVER = 3


def main() -> int:
    """Run the workers of this process; return the exit code."""
    os.umask(0o077)  # what is kept is this user's alone
    try:
        asyncio.run(_serve(load()))
    except SettingsProblem as problem:
        return _say(problem, _WRONG_INPUT)
    except ServerProblem as problem:
        return _say(problem, _NO_SERVER)
    return 0


def _say(problem: Exception, code: int) -> int:
    sys.stderr.write(f"{problem}\n")
    return code


async def _serve(settings: Settings) -> None:
    from workers.wiring import crew  # noqa: PLC0415  # adapters load only once a server answers

    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, told.set)
    async with connect(settings) as connection:
        address = connection.client.service_client.config.target_host
        sys.stderr.write(f"Working for the Temporal server at {address} until told to stop.\n")
        await run_workers(connection, crew(settings), told, settings.requests_per_second)


if __name__ == "__main__":
    sys.exit(main())

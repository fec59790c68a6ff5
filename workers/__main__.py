"""`python -m caveat.workers`: serve the task queues until told to stop."""

import asyncio
import logging
import os
import signal
import sys
from typing import TextIO

from caveat.problem import ExitCode, Problem
from caveat.workers.connection import connect
from caveat.workers.serving import serve
from caveat.workers.settings import Settings, load
from caveat.workers.telemetry import LogStream, log_json, observe

_Stream = TextIO | LogStream


def main() -> int:
    """Run the workers of this process; return the exit code."""
    logging.getLogger("temporalio.workflow").setLevel(logging.INFO)  # where every run is
    os.umask(0o077)  # what is kept is this user's alone
    said: _Stream = sys.stderr
    try:
        settings = load()
        said = _log(settings)
        observe(settings.metrics)
        asyncio.run(_serve(settings, said))
    except Problem as problem:
        said.write(f"{problem}\n")
        return problem.exit_code
    return ExitCode.DONE


def _log(settings: Settings) -> _Stream:
    """Begin to log; return what takes what the process says of itself."""
    if settings.metrics is not None:
        logging.basicConfig(handlers=[log_json()])
        return LogStream()
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    return sys.stderr


async def _serve(settings: Settings, said: _Stream) -> None:
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, told.set)
    async with connect(settings) as connection:
        address = connection.client.service_client.config.target_host
        said.write(f"Working for the Temporal server at {address} until told to stop.\n")
        await serve(connection, settings, told)


if __name__ == "__main__":
    sys.exit(main())

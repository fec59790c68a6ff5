"""One command's time with a server: a loop that signals end, quiet logs, a connection."""

import asyncio
import gc
import logging
import os
import signal
import stat
import sys
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext, suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console

from caveat.clients.cli.console import create_log_console, get_stderr, is_animated, say
from caveat.problem import Stopped
from caveat.workers.connection import Connection, connect
from caveat.workers.guard import raise_descriptor_limit
from caveat.workers.settings import Settings
from caveat.workers.telemetry import log_json, observe

T = TypeVar("T")

_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine; the first signal cancels it, the second ends this process at once."""
    # Not so the hang-ups of a terminal that was closed, of which several come. Ending at once is
    # safe, because whatever a run needs is on the server.
    told: list[int] = []

    def stop(task: asyncio.Task[T], number: int) -> None:
        if number == signal.SIGHUP:  # write into nothing where a terminal was closed
            for descriptor in (1, 2):
                with suppress(OSError):
                    if stat.S_ISCHR(os.fstat(descriptor).st_mode):
                        os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
        if told and number == signal.SIGHUP:
            return
        if told:
            get_stderr().show_cursor()  # a drawing may have hidden it
            os._exit(128 + number)
        told.append(number)
        task.cancel()

    async def run_until_told() -> T:
        loop = asyncio.get_running_loop()
        task = loop.create_task(main)
        for number in _STOPS:
            if number == signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN:
                continue  # as `nohup` asks for
            # Not removed at the end: closing the loop waits for threads, and must be interruptible.
            loop.add_signal_handler(number, stop, task, number)
        await asyncio.wait({task})
        if told and (task.cancelled() or task.exception() is not None):
            raise Stopped(told[0])
        return task.result()

    gc.freeze()
    gc.enable()  # which the command's first lines had switched off
    return asyncio.run(run_until_told())


_SAID = frozenset({"done", "failed", "cancelled", "degraded", "person_needed", "settled"})
"""Kinds of notices that the command itself prints while it follows a run."""

_LINE = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_LOG_SIZE = 1_000_000  # bytes of a worker's log before it is begun anew, the last one beside it


class _OneLine(logging.Formatter):
    """A record with what was raised and where, without the rest of its traceback."""

    def formatException(self, ei: Any) -> str:  # noqa: N802  # the base class's names
        _, error, trace = ei
        at = traceback.extract_tb(trace)[-1:]
        where = "".join(f" ({Path(each.filename).name}:{each.lineno})" for each in at)
        return f"{type(error).__name__}: {error}{where}"

    def format(self, record: logging.LogRecord) -> str:
        return " ".join(super().format(record).split())


class _Terminal(logging.Handler):
    """Shows notices at the terminal, but for what the command says by itself."""

    def emit(self, record: logging.LogRecord) -> None:
        if getattr(record, "kind", "") not in _SAID:
            say(get_stderr(), getattr(record, "told", record.getMessage()), "yellow")


def keep_quiet(worker_log: Path | None = None) -> None:
    """Show no log but notices; what a worker of this command warns of goes to a file."""
    handler: logging.Handler = logging.NullHandler()
    if worker_log is not None:
        with suppress(OSError):
            worker_log.parent.mkdir(parents=True, exist_ok=True)
            handler = RotatingFileHandler(worker_log, maxBytes=_LOG_SIZE, backupCount=1)
            handler.setFormatter(_OneLine(_LINE))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    observe()
    notices = logging.getLogger("caveat.notices")
    notices.propagate = False
    notices.handlers = [_Terminal()]


def log_to_stderr(metrics: str | None = None, *, as_json: bool = False) -> Console:
    """Show warnings, one line each, and return what shows what a process says of itself so."""
    if as_json:
        handler: logging.Handler = log_json()
    else:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(_OneLine(_LINE))
    # That a call is tried again is said each time it is: the worker says it once.
    handler.addFilter(lambda record: not record.name.endswith("temporalio_client::retry"))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    observe(metrics)
    return create_log_console() if as_json else get_stderr()


def ask_server(question: Callable[[Connection], Awaitable[T]], settings: Settings) -> T:
    async def connect_and_ask() -> T:
        async with open_connection(settings, get_stderr()) as connection:
            return await connection.run_while_connected(question(connection))

    keep_quiet()
    return run(connect_and_ask())


@asynccontextmanager
async def open_connection(settings: Settings, console: Console) -> AsyncIterator[Connection]:
    """Connect to the server, starting the embedded one when needed; say so while it takes time."""
    raise_descriptor_limit()
    looking = console.status("Reaching the Temporal server …")
    async with AsyncExitStack() as stack:
        with looking if is_animated(console) else nullcontext():
            try:
                connection = await stack.enter_async_context(connect(settings))
            except asyncio.CancelledError:
                say(console, "Stopped before the Temporal server answered.")
                raise
        yield connection

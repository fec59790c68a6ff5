"""The commands that serve until they are told to stop: `caveat up`, `worker` and `mcp`."""

import asyncio
from collections.abc import Coroutine, Sequence
from contextlib import AsyncExitStack, suppress
from typing import Any

from rich.console import Console
from temporalio.client import Client
from temporalio.service import RPCError

from caveat.clients.cli.console import say
from caveat.clients.cli.session import log_to_stderr, open_connection, run
from caveat.clients.cli.working import serve_orchestration
from caveat.clients.folders import require_folder, resolve_folder
from caveat.clients.servers import names_own_server
from caveat.clients.web.access import build_gate
from caveat.clients.web.serving import serve_page
from caveat.problem import BadInput, Stopped
from caveat.workers import serving
from caveat.workers.settings import WEB_UI, Settings, load, require_package
from caveat.workers.version import choose_deployment

LOOK_S = 2.0  # seconds between two looks: nobody is told later that the work stands still
_ANSWER_S = 5.0  # seconds for an answer, which takes milliseconds


async def tell_of_server(client: Client, console: Console) -> None:
    """Look for ever; the SDK itself says it for each of its calls, again and again."""
    address = client.service_client.config.target_host
    was_there = True
    while True:
        await asyncio.sleep(LOOK_S)
        try:
            async with asyncio.timeout(_ANSWER_S):
                is_there = await client.service_client.check_health()
        except (RPCError, RuntimeError, TimeoutError):
            is_there = False
        if was_there and not is_there:
            say(console, f"The Temporal server at {address} is gone: waiting for it.", "yellow")
        if is_there and not was_there:
            say(console, f"The Temporal server at {address} is back: the work goes on.")
        was_there = is_there


def _serve(work: Coroutine[Any, Any, None]) -> None:
    """Serve until Ctrl-C; being told to stop is how this work is done."""
    with suppress(Stopped):
        run(work)


async def _serve_runs(settings: Settings, *, with_page: bool) -> None:
    console = log_to_stderr(settings.metrics, as_json=settings.metrics is not None)
    async with AsyncExitStack() as stack:
        connection = await stack.enter_async_context(open_connection(settings, console))
        if with_page:
            address = await stack.enter_async_context(serve_page(connection, settings))
            say(console, f"Page {address}")
            say(console, f"Web UI {settings.web_address}{WEB_UI}/")
        say(console, f"Temporal {connection.client.service_client.config.target_host}")
        say(console, "Serving research runs until Ctrl-C.")
        watching = asyncio.create_task(tell_of_server(connection.client, console))
        if connection.server is not None:  # whose end is the end of this command, and said there
            watching.cancel()
        try:
            await serving.serve(connection, settings, asyncio.Event())
        except asyncio.CancelledError:
            say(console, "Stopped; open runs stay on the server and go on with the next worker.")
            raise
        finally:
            watching.cancel()


def up(*, corpus: Sequence[str] | None, page_only: bool) -> None:
    if page_only:
        if corpus:
            raise BadInput("--page-only runs no worker that could search --corpus: leave one out.")
        settings = load()
        build_gate(settings)  # before a server is needed
        _serve(_serve_page_alone(settings))
        return
    if names_own_server():
        raise BadInput(
            "The environment names a Temporal server of your own: `caveat worker` serves runs on "
            "it, and `caveat up --page-only` the page; unset TEMPORAL_ADDRESS and TEMPORAL_PROFILE "
            "to use the embedded server."
        )
    settings = load()
    folders = tuple(map(resolve_folder, corpus or ())) or settings.corpus
    settings = settings.model_copy(update={"corpus": tuple(map(require_folder, folders))})
    _serve(_serve_runs(settings, with_page=True))


def worker() -> None:
    if not names_own_server():
        raise BadInput(
            "There is no server to work with: set TEMPORAL_ADDRESS or a Temporal profile, or type "
            "`caveat up` for the embedded server."
        )
    settings = load()
    choose_deployment()  # what is wrong with it is said before a server is needed
    _serve(_serve_runs(settings, with_page=False))


async def _serve_page_alone(settings: Settings) -> None:
    from caveat.workers.health import serve_health  # noqa: PLC0415  # with it, all of the worker

    console = log_to_stderr()
    async with (
        open_connection(settings, console) as connection,
        serve_health(connection.client, settings.health, has_workers=False),
        serve_orchestration(connection),
        serve_page(connection, settings) as link,
    ):
        say(console, f"Page {link}")
        say(console, "Serving the page until Ctrl-C.")
        await connection.run_while_connected(asyncio.Event().wait())


def mcp(*, corpus: Sequence[str] | None) -> None:
    require_package("mcp", "mcp", "`caveat mcp`")
    settings = load()
    folders = (*map(resolve_folder, corpus or ()), *settings.corpus)
    settings = settings.model_copy(update={"corpus": tuple(map(require_folder, folders))})
    _serve(_serve_assistant(settings))


async def _serve_assistant(settings: Settings) -> None:
    from caveat.clients.mcp.server import serve_stdio  # noqa: PLC0415  # of an extra

    async with open_connection(settings, log_to_stderr()) as connection:
        await connection.run_while_connected(serve_stdio(connection, settings))

"""Serving assistants: over this process's own input and output, or beside the page."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version

from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.routing import BaseRoute, Mount
from starlette.types import Lifespan

from caveat.clients.mcp.server import server
from caveat.clients.mcp.tools import Tools
from caveat.clients.web.service import Service
from caveat.workers import serving
from caveat.workers.connection import Connection
from caveat.workers.settings import Settings

PATH = "/mcp"
"""Where the page serves assistants."""


async def over_stdio(connection: Connection, settings: Settings) -> None:
    """Serve one assistant until it hangs up, and work on runs meanwhile where nobody else must."""
    made = server(Tools(Service(connection, settings)), version("caveat"))
    async with _working(connection, settings):
        await made.run_stdio_async()


def beside_the_page(service: Service) -> tuple[BaseRoute, Lifespan[Starlette]]:
    """Make what serves assistants over HTTP, to whom the page's admission lets in.

    Returns:
        The route, and what must be entered while it is served.
    """
    made = server(Tools(service), version("caveat"))
    # Host and origin are the admission's to check, before anything comes here.
    inner = made.streamable_http_app(
        streamable_http_path="/",
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with made.session_manager.run():
            yield

    return Mount(PATH, app=inner), lifespan


@asynccontextmanager
async def _working(connection: Connection, settings: Settings) -> AsyncIterator[None]:
    """Serve runs as `caveat up` does; on a server of your own that is its workers' to do."""
    if not connection.embedded:
        yield
        return
    stop = asyncio.Event()
    working = asyncio.create_task(serving.serve(connection, settings, stop))
    try:
        yield
    finally:
        stop.set()
        with suppress(asyncio.CancelledError):
            await working

"""Serving the page beside whatever else this process does."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec

import uvicorn
from starlette.applications import Starlette

from caveat.clients.problems import OutOfReach
from caveat.clients.web.access import Gate, gate
from caveat.clients.web.admission import QUERY
from caveat.clients.web.app import application
from caveat.clients.web.service import Service
from caveat.workers.connection import Connection
from caveat.workers.http_server import answering, family
from caveat.workers.settings import Settings

_LEAVES_S = 1
"""Seconds that open answers have when the page is told to stop: live ones do not end by then."""

_HEAD_BYTES = 64 * 1024
"""Of a request's head: four times what browsers and servers agree on."""

_BACKLOG = 1_024
"""Connections that may wait to be taken: five hundred browsers may come back at once."""


def link(settings: Settings, rules: Gate) -> str:
    """Return the address that opens the page, token included where a token opens it.

    It is for the terminal of whoever started it: not for files, notices or other people.
    """
    opens = rules.is_token(rules.token)
    return f"{settings.web_address}/" + (f"?{QUERY}={rules.token}" if opens else "")


def listening(settings: Settings) -> socket.socket:
    """Take the page's port.

    Raises:
        OutOfReach: somebody else has it.
    """
    taken = socket.socket(family(settings.web_host), socket.SOCK_STREAM)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((settings.web_host, settings.web_port))
        taken.listen(_BACKLOG)
    except OSError as error:
        taken.close()
        raise OutOfReach(
            f"The page cannot listen on {settings.web_host}:{settings.web_port} "
            f"({(error.strerror or 'unknown').lower()}): is it open already? Else set "
            "CAVEAT_WEB_PORT to a free port."
        ) from None
    return taken


def _application(service: Service, rules: Gate) -> Starlette:
    """Make the page, and what serves assistants beside it where the extra `caveat[mcp]` is."""
    if find_spec("mcp") is None:
        return application(service, rules)
    from caveat.clients.mcp.serving import beside_the_page  # noqa: PLC0415  # of an extra

    route, lifespan = beside_the_page(service)
    return application(service, rules, mounted=(route,), lifespan=lifespan)


@asynccontextmanager
async def serving(connection: Connection, settings: Settings) -> AsyncIterator[str]:
    """Serve the page while inside.

    Yields:
        The address that opens it.

    Raises:
        BadInput: its settings would open it to everybody.
        OutOfReach: its port is taken.
    """
    rules = gate(settings)
    app = _application(Service(connection, settings), rules)
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # whoever connects is who they are, whatever they say
        server_header=False,
        timeout_graceful_shutdown=_LEAVES_S,
        h11_max_incomplete_event_size=_HEAD_BYTES,
        backlog=_BACKLOG,
    )
    with listening(settings) as taken:
        async with answering(config, taken):
            yield link(settings, rules)

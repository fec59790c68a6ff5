"""The page: what can be asked of it, where, and how it is served beside whatever else happens."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from caveat.clients.service import Service
from caveat.clients.web import contradictions, reading, runs, web_ui
from caveat.clients.web.access import Gate, build_gate
from caveat.clients.web.admission import QUERY, SIGN_IN, Admission, sign_in, sign_out
from caveat.clients.web.asking import ask
from caveat.clients.web.pages import FOLDER, HANDLERS
from caveat.problem import OutOfReach
from caveat.rendering.html.document import read_stylesheet
from caveat.workers.connection import Connection
from caveat.workers.http_server import build_config, choose_family, serve_socket
from caveat.workers.settings import Settings

_RUN = "/runs/{run_id:path}"  # anybody may start a workflow under any id, with slashes in it too

_BOTH = ["GET", "POST"]

_ROUTES: tuple[BaseRoute, ...] = (
    Route("/", ask),
    Route("/inbox", contradictions.show_inbox),
    Route("/inbox/count", contradictions.count_waiting),
    Route("/runs", runs.show_runs),
    Route("/runs/delete", runs.delete_ticked, methods=["POST"]),
    Route("/runs/latest{place:path}", runs.redirect_to_latest),
    Route("/ask", ask, methods=_BOTH),
    Route(f"{_RUN}/contradictions/{{contradiction_id}}", contradictions.show, methods=_BOTH),
    Route(f"{_RUN}/sources/{{source_id}}", reading.show_source),
    Route(f"{_RUN}/sources/{{source_id}}/{{claim_id}}", reading.show_source),
    Route(f"{_RUN}/report", reading.show_report),
    Route(f"{_RUN}/report.{{format}}", reading.download),
    Route(f"{_RUN}/audit", reading.audit),
    Route(f"{_RUN}/evidence", reading.send_evidence),
    Route(f"{_RUN}/table", reading.show_table),
    Route(f"{_RUN}/live", runs.follow),
    Route(f"{_RUN}/cancel", runs.cancel, methods=["POST"]),
    Route(f"{_RUN}/delete", runs.delete, methods=["POST"]),
    Route(f"{_RUN}/follow-up", runs.follow_up, methods=["POST"]),
    Route(f"{_RUN}/plan", runs.approve, methods=["POST"]),
    Route(f"{_RUN}/ask", reading.ask_on, methods=["POST"]),
    Route(_RUN, runs.show_run),
    Route(SIGN_IN, sign_in, methods=_BOTH),
    Route("/signout", sign_out, methods=["POST"]),
    Route("/static/report.css", lambda _: Response(read_stylesheet(), media_type="text/css")),
    Mount("/static", StaticFiles(directory=FOLDER / "static")),
)


def build_application(service: Service, gate: Gate) -> Starlette:
    made = Starlette(
        routes=[web_ui.build_codec(gate.codec_origins), web_ui.ROUTE, *_ROUTES],
        middleware=[Middleware(Admission, gate=gate)],
        exception_handlers=HANDLERS,
    )
    made.state.service, made.state.gate = service, gate
    return made


_LEAVES_S = 1
"""Seconds that open answers have when the page is told to stop."""

_BACKLOG = 1_024
"""Connections that may wait to be taken: five hundred browsers may come back at once."""


def _bind_port(settings: Settings) -> socket.socket:
    place = (settings.web_host, settings.web_port)
    try:
        family = choose_family(settings.web_host)
        return socket.create_server(place, family=family, backlog=_BACKLOG)
    except OSError as error:
        raise OutOfReach(
            f"The page cannot listen on {settings.web_host}:{settings.web_port} "
            f"({(error.strerror or 'unknown').lower()}): if another `caveat up` runs, "
            "`caveat open` opens its page, else set CAVEAT_WEB_PORT to a free port."
        ) from None


@asynccontextmanager
async def serve_page(connection: Connection, settings: Settings) -> AsyncIterator[str]:
    """Serve the page while inside, and say the address that opens it."""
    gate = build_gate(settings)
    app = build_application(Service(connection, settings), gate)
    config = build_config(app, timeout_graceful_shutdown=_LEAVES_S, backlog=_BACKLOG)
    with _bind_port(settings) as taken:
        async with serve_socket(config, taken):
            # It is for the terminal of whoever started it: not for files, notices or other people.
            yield f"{settings.web_address}/?{QUERY}={gate.token}"

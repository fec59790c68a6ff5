"""The page: what can be asked of it, and where."""

from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Lifespan

from caveat.clients.web.access import Gate
from caveat.clients.web.admission import SIGN_IN, Admission
from caveat.clients.web.asking import ask
from caveat.clients.web.attempts import Attempts
from caveat.clients.web.codec import codec
from caveat.clients.web.contradictions import contradiction
from caveat.clients.web.inbox import inbox
from caveat.clients.web.live import live
from caveat.clients.web.pages import FOLDER
from caveat.clients.web.problems import HANDLERS
from caveat.clients.web.reading import audit, changes, download, report, source
from caveat.clients.web.runs import cancel, follow_up, run, runs
from caveat.clients.web.service import Service
from caveat.clients.web.signing_in import greet, sign_in, sign_out
from caveat.rendering.html import stylesheet


async def report_style(_: Request) -> Response:
    """Send how reports look, which is the same in a file."""
    return PlainTextResponse(stylesheet(), media_type="text/css")


_RUN = "/runs/{run_id:path}"
"""Anybody may start a workflow under any id, with slashes in it too."""

_ROUTES: tuple[BaseRoute, ...] = (
    Route("/", inbox),
    Route("/runs", runs),
    Route("/ask", ask, methods=["GET", "POST"]),
    Route(f"{_RUN}/contradictions/{{contradiction_id}}", contradiction, methods=["GET", "POST"]),
    Route(f"{_RUN}/sources/{{source_id}}", source),
    Route(f"{_RUN}/report", report),
    Route(f"{_RUN}/report.{{format}}", download),
    Route(f"{_RUN}/audit", audit),
    Route(f"{_RUN}/changes", changes),
    Route(f"{_RUN}/live", live),
    Route(f"{_RUN}/cancel", cancel, methods=["POST"]),
    Route(f"{_RUN}/follow-up", follow_up, methods=["POST"]),
    Route(_RUN, run),
    Route(SIGN_IN, sign_in, methods=["GET", "POST"]),
    Route("/signout", sign_out, methods=["POST"]),
    Route("/static/report.css", report_style),
    Mount("/static", StaticFiles(directory=FOLDER / "static")),
)


def application(
    service: Service,
    gate: Gate,
    *,
    mounted: Sequence[BaseRoute] = (),
    lifespan: Lifespan[Starlette] | None = None,
) -> Starlette:
    """Make the page of one server.

    Args:
        service: what its pages ask.
        gate: who is let in, to what is mounted too.
        mounted: other applications beside the pages, such as a `Mount` of one at `/mcp`: their
            senders show the same token, in a header `Authorization: Bearer TOKEN`.
        lifespan: of what is mounted.
    """
    attempts = Attempts()
    made = Starlette(
        routes=[*mounted, codec(gate.codec_origins), *_ROUTES],
        middleware=[Middleware(Admission, gate=gate, greeting=greet, attempts=attempts)],
        exception_handlers=HANDLERS,
        lifespan=lifespan,
    )
    made.state.service, made.state.gate, made.state.attempts = service, gate, attempts
    return made

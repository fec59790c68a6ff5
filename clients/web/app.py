"""The page: what can be asked of it, and where."""

from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Lifespan

from clients.web.access import Gate
from clients.web.attempts import Attempts
from clients.web.doorkeeper import SIGN_IN, Doorkeeper
from clients.web.inbox import inbox
from clients.web.office import Office
from clients.web.pages import FOLDER
from clients.web.problems import HANDLERS
from clients.web.signing_in import greet, sign_in, sign_out

_ROUTES: tuple[BaseRoute, ...] = (
    Route("/", inbox),
    Route(SIGN_IN, sign_in, methods=["GET", "POST"]),
    Route("/signout", sign_out, methods=["POST"]),
    Mount("/static", StaticFiles(directory=FOLDER / "static")),
)


def application(
    office: Office,
    gate: Gate,
    *,
    mounted: Sequence[BaseRoute] = (),
    lifespan: Lifespan[Starlette] | None = None,
) -> Starlette:
    """Make the page of one server.

    Args:
        office: what its pages ask.
        gate: who is let in, to what is mounted too.
        mounted: other applications beside the pages, such as a `Mount` of one at `/mcp`: their
            senders show the same token, in a header `Authorization: Bearer TOKEN`.
        lifespan: of what is mounted.
    """
    attempts = Attempts()
    made = Starlette(
        routes=[*mounted, *_ROUTES],
        middleware=[Middleware(Doorkeeper, gate=gate, greeting=greet, attempts=attempts)],
        exception_handlers=HANDLERS,
        lifespan=lifespan,
    )
    made.state.office, made.state.gate, made.state.attempts = office, gate, attempts
    return made

"""The inbox: every question that waits for a person, the nearest deadline first."""

import datetime as dt

from starlette.requests import Request
from starlette.responses import Response

from caveat.clients.web.pages import page
from caveat.clients.web.service import service_of
from caveat.rendering.links import contradiction_path

SHOWN = 50
"""Questions on a page: more than anybody answers in one sitting."""

_SOON = dt.timedelta(hours=1)
"""Left of a deadline where somebody should hurry."""


async def inbox(request: Request) -> Response:
    """Show what waits."""
    found = await service_of(request).waiting()
    wanted = request.query_params.get("topic", "").strip()
    chosen = [each for each in found if wanted.casefold() in each.topic.casefold()]
    pages = max(1, -(-len(chosen) // SHOWN))
    number = min(max(1, _number(request.query_params.get("page", "1"))), pages)
    given = {
        "waiting": chosen[(number - 1) * SHOWN : number * SHOWN],
        "total": len(chosen),
        "topics": sorted({each.topic for each in found}),
        "wanted": wanted,
        "number": number,
        "pages": pages,
        "contradiction_path": contradiction_path,
        "is_soon": _is_soon,
    }
    return page(request, "inbox.html", given)


def _is_soon(deadline: dt.datetime) -> bool:
    return deadline - dt.datetime.now(dt.UTC) < _SOON


def _number(typed: str) -> int:
    return int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 6 else 1

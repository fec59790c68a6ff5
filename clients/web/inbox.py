"""The inbox: every question that waits for a person, the nearest deadline first."""

from starlette.requests import Request
from starlette.responses import Response

from clients.web.office import office_of
from clients.web.pages import page

SHOWN = 50
"""Questions on a page: more than anybody answers in one sitting."""


async def inbox(request: Request) -> Response:
    """Show what waits."""
    found = await office_of(request).arbitrations.waiting()
    wanted = request.query_params.get("topic", "").strip()
    topics = sorted({each.topic for each in found})
    chosen = [each for each in found if wanted.casefold() in each.topic.casefold()]
    given = {"waiting": chosen[:SHOWN], "total": len(chosen), "topics": topics, "wanted": wanted}
    return page(request, "inbox.html", given)

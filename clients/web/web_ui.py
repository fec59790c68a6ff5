"""Temporal's Web UI of the embedded server, below the page: who may open one may open both.

By itself it lets anybody in. It listens where no other page finds it (`caveat.workers.embedded`).
"""

import httpx2
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from caveat.clients.web.pages import get_service
from caveat.workers.settings import WEB_UI

_OF_A_CONNECTION = frozenset({b"connection", b"keep-alive", b"transfer-encoding", b"upgrade"})

_LONGEST_S = 90.0  # for which it waits for a run's next event, and more
_CLIENT = httpx2.AsyncClient(
    trust_env=False, timeout=_LONGEST_S, limits=httpx2.Limits(max_keepalive_connections=0)
)


async def _pass_on(request: Request) -> Response:
    server = get_service(request).connection.server
    if server is None:  # one of your own, which has a Web UI of its own
        raise HTTPException(404)
    target = request.scope["raw_path"] + b"?" + request.scope["query_string"]
    sent = _CLIENT.build_request(
        request.method,
        httpx2.URL(f"http://{server.ui}").copy_with(raw_path=target),
        headers=_select_headers(request.headers.raw),
        content=await request.body(),
    )
    try:
        answer = await _CLIENT.send(sent, stream=True)
        content = b"".join([part async for part in answer.aiter_raw()])
    except httpx2.HTTPError:
        raise HTTPException(502, "Temporal's Web UI does not answer") from None
    response = Response(content, answer.status_code)
    response.raw_headers = _select_headers(answer.headers.raw)
    return response


def _select_headers(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    named = ((name.lower(), value) for name, value in headers)
    return [(name, value) for name, value in named if name not in _OF_A_CONNECTION]


ROUTE = Route(f"{WEB_UI}{{rest:path}}", _pass_on, methods=["DELETE", "GET", "PATCH", "POST", "PUT"])

"""The way in for strangers, and the way out."""

from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response

from caveat.clients.web.access import Gate
from caveat.clients.web.admission import (
    QUERY,
    SIGN_IN,
    address_of,
    keep_pass,
    local_path,
    too_often,
)
from caveat.clients.web.attempts import Attempts
from caveat.clients.web.forms import FIELD_BYTES, sent, text
from caveat.clients.web.pages import page


async def greet(request: HTTPConnection) -> Response:
    """Ask a stranger who they are, and remember where they wanted to go.

    A browser that comes by a link in a mail withholds its pass, which is for our own pages' links
    alone: it is sent to the same address once more, from here.
    """
    where = local_path(request.url.path + (f"?{request.url.query}" if request.url.query else ""))
    is_opened = request.headers.get("sec-fetch-mode") == "navigate"
    if is_opened and request.headers.get("sec-fetch-site") == "cross-site":
        return page(request, "again.html", {"where": where}, 401)
    wrong = "That token is not the page's." if QUERY in request.query_params else ""
    return _asked(request, where if not wrong else "/", wrong, 401)


async def sign_in(request: Request) -> Response:
    """Let in who knows the token, or their password."""
    if request.method == "GET":
        return _asked(request, local_path(request.query_params.get("next", "/")), "", 200)
    gate: Gate = request.app.state.gate
    attempts: Attempts = request.app.state.attempts
    form = await request.form(max_files=0, max_fields=4, max_part_size=FIELD_BYTES)
    where, name, secret = (text(form, each) for each in ("next", "name", "secret"))
    if wait := attempts.wait_s(address_of(request)):
        return too_often(wait)
    if gate.is_token(secret.strip()):
        return _let_in(request, local_path(where), None)
    if gate.asks_for_names and gate.is_password(name.strip(), secret):
        return _let_in(request, local_path(where), name.strip())
    attempts.note(address_of(request))
    wrong = "Name or password is wrong." if gate.asks_for_names else "That is not the token."
    return _asked(request, local_path(where), wrong, 401)


def _asked(request: HTTPConnection, where: str, wrong: str, status: int) -> Response:
    gate: Gate = request.app.state.gate
    given = {
        "where": where,
        "wrong": wrong,
        "action": SIGN_IN,
        "asks_for_names": gate.asks_for_names,
        "by_proxy": gate.user_header is not None,
    }
    return page(request, "signin.html", given, status)


def _let_in(request: Request, where: str, name: str | None) -> Response:
    answer = RedirectResponse(where, status_code=303)
    keep_pass(answer, request.app.state.gate, request, name)
    return answer


async def sign_out(request: Request) -> Response:
    """Forget the browser's pass."""
    await sent(request)
    answer = RedirectResponse(SIGN_IN, status_code=303)
    answer.delete_cookie(request.app.state.gate.cookie, httponly=True, samesite="strict")
    return answer

"""Admission: what stands before every page, and before whatever is mounted beside them.

Every page in a browser can send requests to this machine. So a request needs a host name that no
other page can own (DNS rebinding), a pass that only who was let in has, and, to change anything,
the origin of the page itself. Strangers are shown the way in. They may guess as often as they like:
a token has 32 characters at least, so no number of guesses finds it.
"""

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from caveat.clients.web.access import LASTS_S, Gate, read_bearer
from caveat.clients.web.pages import FIELD_BYTES, read_field, render_page
from caveat.workers.settings import WEB_UI

QUERY = "token"  # the name in an address that carries the token: `http://127.0.0.1:8234/?token=...`

SIGN_IN = "/signin"
CODEC = "/codec"  # what the Web UI asks for, from another origin than the page's
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})  # methods that change nothing (RFC 9110, 9.2.1)

MOST_BYTES = 110 * 1024 * 1024
"""Of a request: the documents that may be dropped at once, and what is around them."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""What a page of ours may load: nothing that is not ours, and nothing written into the page."""

_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    # With `no-referrer` browsers say of our own forms that their origin is unknown.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
"""Of every answer that says nothing else of them."""


@dataclass(frozen=True)
class Admission:
    """Lets requests pass, or answers them itself."""

    app: ASGIApp
    gate: Gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        request, send = HTTPConnection(scope), _add_headers(send, scope["path"])
        answer = self._refuse_forbidden(request) or self._exchange_token(request)
        # A browser asks without any pass if it may ask (CORS); it is told no more.
        asks = "access-control-request-method" in request.headers
        is_preflight = asks and request.scope["method"] == "OPTIONS"
        if answer is None and not (self._is_of_a_ui(request) and is_preflight):
            is_known = self.gate.is_known(request)
            if not is_known:
                answer = self._answer_stranger(request)
            else:
                # Programs with a secret of their own have no page that could be deceived.
                is_program = read_bearer(request) is not None and "origin" not in request.headers
                is_asked_for = is_program or _is_safe(request) or self._is_of_a_ui(request)
                answer = None if is_asked_for else _refuse_foreign(request)
            scope.setdefault("state", {})["is_known"] = is_known
        if answer is not None:
            await answer(scope, receive, send)
            return
        await self.app(scope, _limit_body(receive), send)

    def _refuse_forbidden(self, request: HTTPConnection) -> Response | None:
        hosts = request.headers.getlist("host")
        if len(hosts) != 1 or not self.gate.is_host(hosts[0]):
            return _refuse("This address is none of the page's: open it as 127.0.0.1.", 421)
        length = request.headers.get("content-length", "0")
        if not length.isdigit() or int(length) > MOST_BYTES:
            return _refuse("That is more than the page takes at once.", 413)
        fetch = {
            name: request.headers.get(f"sec-fetch-{name}") for name in ("site", "mode", "dest")
        }
        is_opened = (fetch["mode"], fetch["dest"]) == ("navigate", "document")
        # Another site asks for something of ours to put it into a page of its own.
        is_embedded = fetch["site"] in {"cross-site", "same-site"} and not is_opened
        if is_embedded and not self._is_of_a_ui(request):
            return _refuse("No other page may show anything of this one.", 403)
        return None

    def _is_of_a_ui(self, request: HTTPConnection) -> bool:
        """Whether a Web UI that may have payloads decoded asks for that."""
        origins = request.headers.getlist("origin")
        asks = request.url.path.startswith(f"{CODEC}/")
        return asks and len(origins) == 1 and origins[0] in self.gate.codec_origins

    def _exchange_token(self, request: HTTPConnection) -> Response | None:
        """Turn the token of an address into a pass, and keep it out of the address bar."""
        token = request.query_params.get(QUERY)
        if token is None or request.scope["method"] != "GET" or not self.gate.is_token(token):
            return None
        rest = urlencode([pair for pair in parse_qsl(request.url.query) if pair[0] != QUERY])
        # One slash: two would begin the name of another host.
        where = "/" + request.url.path.lstrip("/\\") + (f"?{rest}" if rest else "")
        answer = RedirectResponse(where, status_code=303)
        _keep_pass(answer, self.gate, request)
        return answer

    def _answer_stranger(self, request: HTTPConnection) -> Response | None:
        """Ask a stranger who they are, and remember where they wanted to go."""
        path = request.url.path
        if path == SIGN_IN or path.startswith("/static/"):  # the way in and how it looks
            return None if _is_safe(request) else _refuse_foreign(request)
        where = parse_local_path(path + (f"?{request.url.query}" if request.url.query else ""))
        wrong = "That token is not the page's." if QUERY in request.query_params else ""
        return _render_sign_in(request, where if not wrong else "/", wrong, 401)


def _keep_pass(answer: Response, gate: Gate, request: HTTPConnection) -> None:
    answer.set_cookie(
        gate.cookie,
        gate.create_pass(),
        max_age=LASTS_S,
        httponly=True,
        samesite="lax",  # a link in a mail brings it, a form of another site does not
        secure=request.headers.get("origin", request.url.scheme).startswith("https"),
    )


def _refuse_foreign(request: HTTPConnection) -> Response | None:
    """Refuse a change that another page asks for."""
    origins = request.headers.getlist("origin")
    host = request.headers["host"]
    own = {f"http://{host}", f"https://{host}"}  # a proxy before this may speak TLS
    site = request.headers.get("sec-fetch-site", "same-origin")
    if len(origins) == 1 and origins[0] in own and site == "same-origin":
        return None
    return _refuse("Only the page itself may change anything here.", 403)


def _is_safe(request: HTTPConnection) -> bool:
    return request.scope["method"] in _SAFE


def _refuse(text: str, status: int) -> Response:
    return PlainTextResponse(f"{text}\n", status_code=status)


def parse_local_path(address: str) -> str:
    """Take a path of this page from an address that was typed or sent; the inbox for any other."""
    if not address.startswith("/") or address[1:2] in {"/", "\\"} or not address.isprintable():
        return "/"  # browsers drop tabs and line ends, and read two slashes as another host
    parts = urlsplit(address)
    return parts.path + (f"?{parts.query}" if parts.query else "")


def _add_headers(send: Send, path: str) -> Send:
    # Browsers keep files, and ask each time whether they are still the same.
    own = {"Cache-Control": "no-cache"} if path.startswith("/static/") else {}
    # Temporal's Web UI is written with styles and scripts in its pages, and frames its own.
    defaults = {} if path.startswith(f"{WEB_UI}/") else _HEADERS | own

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in defaults.items():
                headers.setdefault(name, value)
            if message["status"] >= 400:  # the rest of a body, which may drip, is not waited for
                headers["connection"] = "close"
        await send(message)

    return send_with_headers


def _limit_body(receive: Receive) -> Receive:
    """Count what comes: a length that is not said can be any."""
    taken = 0

    async def receive_limited() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > MOST_BYTES:
            raise HTTPException(413, "That is more than the page takes at once")
        return message

    return receive_limited


async def sign_in(request: Request) -> Response:
    if request.method == "GET":
        where = parse_local_path(request.query_params.get("next", "/"))
        return _render_sign_in(request, where, "", 200)
    gate: Gate = request.app.state.gate
    form = await request.form(max_files=0, max_fields=3, max_part_size=FIELD_BYTES)
    where = parse_local_path(read_field(form, "next"))
    if gate.is_token(read_field(form, "secret").strip()):
        answer = RedirectResponse(where, status_code=303)
        _keep_pass(answer, gate, request)
        return answer
    return _render_sign_in(request, where, "That is not the token.", 401)


def _render_sign_in(request: HTTPConnection, where: str, wrong: str, status: int) -> Response:
    context = {"where": where, "wrong": wrong, "action": SIGN_IN}
    return render_page(request, "signin.html", context, status)


async def sign_out(request: Request) -> Response:
    answer = RedirectResponse(SIGN_IN, status_code=303)
    answer.delete_cookie(request.app.state.gate.cookie, httponly=True, samesite="lax")
    return answer

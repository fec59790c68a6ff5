"""The reverse proxy before the embedded Web UI: it lets in who has the token, and no web page.

Temporal's development server serves its Web UI to anybody who reaches its port, under any host
name, so that every page in a browser could start runs and answer questions (DNS rebinding). Here a
request needs a host name that no page can own, a token that only this user can read, and, to change
anything, the origin of the Web UI itself. It is the way of Jupyter's servers.

Started with `-P -m caveat.workers.ui_proxy` by the guard; it knows nothing of Temporal.
"""

import asyncio
import hmac
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import h11

QUERY = "token"  # the name in an address that carries the token: `http://127.0.0.1:8233/?token=...`

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
"""Names of this machine that nobody can register. Any port, for tunnels end at another one."""

_SAFE = frozenset({b"GET", b"HEAD", b"OPTIONS"})  # methods that change nothing (RFC 9110, 9.2.1)
_HEAD_S = 10.0  # seconds that the head of a request may take; a browser sends it at once
_HEAD_BYTES = 64 * 1024  # bytes of a head: four times what browsers and servers agree on

_CHUNK = 64 * 1024

LASTS_S = 30 * 24 * 3600  # seconds that a browser stays let in: as long as closed runs are kept

_SETTINGS = b"/api/v1/settings"
_COMPRESSED = frozenset({b"accept-encoding"})

_NO_CODEC = b'"Codec":{"Endpoint":""'
_WITHOUT, _WITH = b'"IncludeCredentials":false', b'"IncludeCredentials":true '
"""As long as each other, so that the length that was announced stays true."""

_HOP_BY_HOP = frozenset({b"connection", b"keep-alive", b"proxy-connection", b"upgrade"})


@dataclass(frozen=True)
class ProxyReply:
    status: HTTPStatus
    text: str = ""
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Access:
    token: str
    port: int  # that the proxy listens on; it names the cookie, because cookies know no ports

    def reply(self, request: h11.Request) -> ProxyReply | None:
        """Refuse a request or let its sender in; None means that it may pass."""
        headers = [(name.decode(), value.decode("latin-1")) for name, value in request.headers]
        host = _find_single_header(headers, "host")
        if host is None or _name(host) not in LOOPBACK:
            return _build_refusal("This address is not one of the Web UI: open it as 127.0.0.1.")
        target = urlsplit(request.target.decode("latin-1"))
        token = dict(parse_qsl(target.query)).get(QUERY)
        if token is not None and self._is_token(token) and request.method == b"GET":
            return self._welcome(target.path, target.query)
        if not self._is_token(self._find_cookie(headers)):
            return _build_refusal(
                "Open the Web UI by the address with a token that `caveat up` prints."
            )
        is_own = _find_single_header(headers, "origin") == f"http://{host}"
        if request.method not in _SAFE and not is_own:
            return _build_refusal("Only the Web UI itself may change anything here.")
        return None

    @property
    def cookie(self) -> str:
        return f"caveat-ui-{self.port}"

    def _welcome(self, path: str, query: str) -> ProxyReply:
        """Keep the token in a cookie, and out of the address bar."""
        rest = urlencode([(name, value) for name, value in parse_qsl(query) if name != QUERY])
        # One slash: two would begin the name of another host.
        where = "/" + path.lstrip("/\\") + (f"?{rest}" if rest else "")
        cookie = f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Lax; Max-Age={LASTS_S}"
        headers = (("Location", where), ("Set-Cookie", cookie))
        return ProxyReply(HTTPStatus.SEE_OTHER, headers=headers)

    def _find_cookie(self, headers: Sequence[tuple[str, str]]) -> str:
        for name, value in headers:
            if name == "cookie":
                with suppress(CookieError):
                    morsel = SimpleCookie(value).get(self.cookie)
                    if morsel is not None:
                        return morsel.value
        return ""

    def _is_token(self, token: str) -> bool:
        return hmac.compare_digest(token.encode(), self.token.encode())


def _build_refusal(text: str) -> ProxyReply:
    return ProxyReply(HTTPStatus.FORBIDDEN, f"{text}\n")


def _find_single_header(headers: Sequence[tuple[str, str]], wanted: str) -> str | None:
    """Return the value of a header that is there once; two would be read differently by others."""
    values = [value for name, value in headers if name == wanted]
    return values[0] if len(values) == 1 else None


def _name(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


@dataclass(frozen=True)
class Proxy:
    """Passes on what may pass, one request a connection."""

    access: Access
    host: str  # where the Web UI listens
    port: int

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_HEAD_S):
                request, rest = await _read_head(reader)
            reply = self.access.reply(request)
            if reply is not None:
                writer.write(_format_reply(reply))
            elif request.method == b"GET" and request.target.partition(b"?")[0] == _SETTINGS:
                writer.write(await self._fetch_settings(request, rest))
            else:
                await self._pass_on(request, rest, reader, writer)
            await writer.drain()
        except (OSError, TimeoutError, EOFError):
            pass  # the browser or the Web UI hung up: there is nobody to tell
        except (h11.RemoteProtocolError, ValueError):  # the latter of an address that is none
            writer.write(_format_reply(ProxyReply(HTTPStatus.BAD_REQUEST, "This is not HTTP.\n")))
        finally:
            with suppress(OSError):
                writer.close()
                await writer.wait_closed()

    async def _fetch_settings(self, request: h11.Request, rest: bytes) -> bytes:
        """Have the Web UI show its pass of the page when it asks the page to decode something."""
        # The development server has an option for the address of a codec server and none for this.
        behind, before = await asyncio.open_connection(self.host, self.port)
        try:
            before.write(_format_request(request, _COMPRESSED) + rest)
            async with asyncio.timeout(_HEAD_S):
                answer = await behind.read()
        finally:
            before.close()
        return answer if _NO_CODEC in answer else answer.replace(_WITHOUT, _WITH)

    async def _pass_on(
        self,
        request: h11.Request,
        rest: bytes,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        behind, before = await asyncio.open_connection(self.host, self.port)
        try:
            before.write(_format_request(request) + rest)
            sending = asyncio.create_task(_pump(reader, before))
            try:
                await _pump(behind, writer)
            finally:
                sending.cancel()
                with suppress(asyncio.CancelledError, OSError):
                    await sending
        finally:
            before.close()


async def _read_head(reader: asyncio.StreamReader) -> tuple[h11.Request, bytes]:
    """Read the head of a request, and what came after it in the same breath."""
    parser = h11.Connection(h11.SERVER, max_incomplete_event_size=_HEAD_BYTES)
    while True:
        event = parser.next_event()
        if isinstance(event, h11.Request):
            return event, parser.trailing_data[0]
        if event is not h11.NEED_DATA:
            raise EOFError
        received = await reader.read(_CHUNK)
        if not received:
            raise EOFError
        parser.receive_data(received)


def _format_request(request: h11.Request, dropped: frozenset[bytes] = frozenset()) -> bytes:
    """Write the head again, so that both ends read the same, and the connection ends with it."""
    lines = [f"{request.method.decode()} {request.target.decode('latin-1')} HTTP/1.1".encode()]
    left = _HOP_BY_HOP | dropped
    lines += [name + b": " + value for name, value in request.headers if name not in left]
    return b"\r\n".join([*lines, b"connection: close", b"", b""])


def _format_reply(reply: ProxyReply) -> bytes:
    body = reply.text.encode()
    lines = [
        f"HTTP/1.1 {reply.status.value} {reply.status.phrase}",
        *(f"{name}: {value}" for name, value in reply.headers),
        "Content-Type: text/plain; charset=utf-8",
        f"Content-Length: {len(body)}",
        "Referrer-Policy: no-referrer",
        "Cache-Control: no-store",
        "Connection: close",
    ]
    return "\r\n".join([*lines, "", ""]).encode("latin-1", errors="replace") + body


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while received := await reader.read(_CHUNK):
        writer.write(received)
        await writer.drain()


async def _serve(proxy: Proxy) -> None:
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", proxy.access.port)
    async with server:
        await server.serve_forever()


def main(arguments: Sequence[str]) -> None:
    port, token, host, ui_port = arguments
    access = Access(Path(token).read_text(encoding="ascii").strip(), int(port))
    asyncio.run(_serve(Proxy(access, host, int(ui_port))))


if __name__ == "__main__":
    main(sys.argv[1:])

"""Who is let in to the page: by the token, or by a proxy's word.

A browser keeps a pass: an end and a random name, signed with the token. The page keeps nothing, and
a new token locks everybody out.
"""

import base64
import hmac
import json
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from caveat.clients.servers import names_own_server
from caveat.workers.privacy import load_token
from caveat.workers.settings import Settings
from caveat.workers.signing import compute_mac
from caveat.workers.ui_proxy import LASTS_S, LOOPBACK

SHARED = "/shared/"  # how the path of a link begins that shows one report
LINK_S = 7 * 24 * 3600.0  # seconds that such a link works


@dataclass(frozen=True)
class Visitor:
    # by which a proxy vouches for them; None for the holder of the token
    name: str | None
    session: str
    # whether each request brings the secret itself, as no browser does unasked
    by_header: bool = False


@dataclass(frozen=True)
class Gate:
    # opens it, unless a proxy says who comes; signs passes in any case
    token: str = field(repr=False)
    hosts: frozenset[str] = LOOPBACK  # names under which it may be opened
    user_header: str | None = None  # what a proxy names people with; None without one
    proxies: frozenset[str] = frozenset()
    cookie: str = "caveat-page"
    codec_origins: frozenset[str] = frozenset()  # of the Web UIs that may have payloads decoded
    clock: Callable[[], float] = time.time  # seconds since 1970

    def is_host(self, host: str | None) -> bool:
        with suppress(ValueError):
            return host is not None and urlsplit(f"//{host}").hostname in self.hosts
        return False

    def is_token(self, secret: str) -> bool:
        if self.user_header is not None:
            return False
        return hmac.compare_digest(secret.encode(), self.token.encode())

    def create_pass(self) -> str:
        return self._seal_until("visit", LASTS_S, secrets.token_hex(8))

    def create_link(self, run_id: str) -> str:
        """Make the path of a link that shows one report, and nothing else, for a week."""
        return SHARED + self._seal_until("report", LINK_S, run_id)

    def read_link(self, sealed: str) -> str | None:
        """Name the run whose report a link shows; None where it is none of ours, or over."""
        return self._unseal_current("report", sealed)

    def identify_visitor(self, request: HTTPConnection) -> Visitor | None:
        """Say who sends a request; None of a stranger."""
        if self.user_header is not None:
            # Believe the proxy, and nobody who only says that they came through it.
            peer = request.client.host if request.client else ""
            names = request.headers.getlist(self.user_header or "")
            if peer not in self.proxies or len(names) != 1 or not names[0].strip():
                return None
            name = " ".join(names[0].split())[:200]
            return Visitor(name, f"proxy {name}")
        scheme, _, secret = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            is_known = self.is_token(secret.strip())
            return Visitor(None, "bearer", by_header=True) if is_known else None
        sealed = request.cookies.get(self.cookie, "")
        return Visitor(None, sealed) if self._unseal_current("visit", sealed) else None

    def create_form_token(self, visitor: Visitor) -> str:
        """Make what a visitor's forms carry, so that no other page can send one for them."""
        return compute_mac(self.token.encode(), "form", visitor.session)

    def is_form_token(self, visitor: Visitor, token: str) -> bool:
        return hmac.compare_digest(self.create_form_token(visitor).encode(), token.encode())

    def _seal_until(self, use: str, seconds: float, name: str) -> str:
        return self.seal(use, json.dumps([round(self.clock() + seconds), name]).encode())

    def _unseal_current(self, use: str, sealed: str) -> str | None:
        until, name = json.loads(self.unseal(use, sealed) or '[0, ""]')
        return name if until >= self.clock() else None

    def seal(self, use: str, content: bytes) -> str:
        """Write something for a browser to bring back unchanged; it can be read there."""
        body = base64.urlsafe_b64encode(content).decode()
        return f"{body}.{compute_mac(self.token.encode(), use, body)}"

    def unseal(self, use: str, sealed: str) -> bytes | None:
        """Read what was sealed for a use; None where it is anything else."""
        body, _, signature = sealed.partition(".")
        own = compute_mac(self.token.encode(), use, body)
        is_ours = hmac.compare_digest(own.encode(), signature.encode())
        return base64.urlsafe_b64decode(body) if is_ours else None


def get_visitor(request: HTTPConnection) -> Visitor:
    """Return who sends a request; the admission lets nobody else pass."""
    return cast("Visitor", request.scope["state"]["visitor"])


def build_gate(settings: Settings) -> Gate:
    own = urlsplit(settings.web_address).hostname
    named = {urlsplit(url).hostname or "" for url in settings.web_url}
    # The proxy that names people is on this machine unless its addresses follow the header.
    proxies = (settings.web_user_header or "").split()[1:] or ("127.0.0.1", "::1")
    uis = {f"http://{host}:{settings.ui_port}" for host in ("127.0.0.1", "localhost")}
    embedded = set() if names_own_server() else uis
    return Gate(
        token=load_token(settings.web_token, "the page's token"),
        hosts=LOOPBACK | {own or ""} - {""} | named,
        user_header=settings.web_user_header,
        proxies=frozenset(proxies),
        cookie=f"caveat-page-{settings.web_port}",  # cookies know no ports
        codec_origins=frozenset(settings.codec_origins) | embedded,
    )

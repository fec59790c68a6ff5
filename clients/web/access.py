"""Who is let in to the page: by the token.

A browser keeps a pass: its end, signed with the token. The page keeps nothing, and
a new token locks everybody out.
"""

import base64
import hmac
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from caveat.workers.settings import Settings
from caveat.workers.signing import compute_mac, load_token

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
"""Names of this machine that nobody can register. Any port, for tunnels end at another one."""

LASTS_S = 30 * 24 * 3600  # seconds that a browser stays let in: as long as closed runs are kept


@dataclass(frozen=True)
class Gate:
    token: str = field(repr=False)  # opens it, and signs passes
    hosts: frozenset[str] = LOOPBACK  # names under which it may be opened
    cookie: str = "caveat-page"
    codec_origins: frozenset[str] = frozenset()  # of the Web UIs that may have payloads decoded
    clock: Callable[[], float] = time.time  # seconds since 1970

    def is_host(self, host: str | None) -> bool:
        with suppress(ValueError):
            return host is not None and urlsplit(f"//{host}").hostname in self.hosts
        return False

    def is_token(self, secret: str) -> bool:
        return hmac.compare_digest(secret.encode(), self.token.encode())

    def create_pass(self) -> str:
        return self.seal("pass", str(round(self.clock() + LASTS_S)).encode())

    def is_known(self, request: HTTPConnection) -> bool:
        """Whether who sends a request was let in."""
        if (secret := read_bearer(request)) is not None:
            return self.is_token(secret)
        end = self.unseal("pass", request.cookies.get(self.cookie, ""))
        return end is not None and float(end) >= self.clock()

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


def read_bearer(request: HTTPConnection) -> str | None:
    """Return the secret that a program sends with each request, as no browser does unasked."""
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else None


def build_gate(settings: Settings) -> Gate:
    own = urlsplit(settings.web_address).hostname
    named = {(url.host or "").strip("[]") for url in settings.web_url}
    return Gate(
        token=load_token(settings),
        hosts=LOOPBACK | {own or ""} - {""} | named,
        cookie=f"caveat-page-{settings.web_port}",  # cookies know no ports
        codec_origins=frozenset(settings.codec_origins),
    )

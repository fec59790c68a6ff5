"""One URL, taken apart once, so that what is checked is what is fetched."""

from dataclasses import dataclass, field
from typing import Self
from urllib.parse import quote, urljoin, urlsplit

from caveat.adapters.http.meanings import RefusedAddressError

_PORTS = {"http": 80, "https": 443}
_LONGEST = 2048  # characters; a URL that is longer carries data rather than naming a page
_LONGEST_HOST = 253  # RFC 1035, 2.3.4
_SAFE = "/?:@!$&'()*+,;=-._~%[]|"


@dataclass(frozen=True)
class Target:
    scheme: str
    host: str  # a name in ASCII or an address, in lower case
    port: int
    # path and query, escaped; begins with `/`. Either may hold a token, so that no representation
    # shows it.
    path: str = field(repr=False)

    @classmethod
    def from_url(cls, url: str) -> Self:
        if len(url) > _LONGEST:
            raise RefusedAddressError("has an address that is too long")
        if "\\" in url or any(mark <= " " or mark == "\x7f" for mark in url):
            raise RefusedAddressError("has an ambiguous address")
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            raise RefusedAddressError("has an address that cannot be parsed") from None
        if parts.scheme not in _PORTS:
            raise RefusedAddressError("is not on the web: only http and https are fetched")
        if "@" in parts.netloc:
            raise RefusedAddressError("has an address with a user name in it")
        path = quote(parts.path or "/", safe=_SAFE)
        if port == 0:  # it means “any port” to the kernel, and nothing in an address
            raise RefusedAddressError("has port 0 in its address")
        query = f"?{quote(parts.query, safe=_SAFE)}" if parts.query else ""
        return cls(
            scheme=parts.scheme,
            host=_encode_host(parts.hostname or ""),
            port=_PORTS[parts.scheme] if port is None else port,
            path=path + query,
        )

    def follow_redirect(self, location: str) -> Self:
        """Resolve a `Location`, under the rules of `from_url`."""
        return self.from_url(urljoin(self.url, location.strip()))

    @property
    def authority(self) -> str:
        """Host, and port unless it is the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """Scheme and authority: what one robots.txt speaks for."""
        return f"{self.scheme}://{self.authority}"

    @property
    def url(self) -> str:
        """The whole address, without a fragment."""
        return self.origin + self.path


def _encode_host(host: str) -> str:
    if ":" in host and "%" not in host:
        return host  # an IPv6 address; urlsplit has checked its brackets
    try:
        name = host.encode("ascii" if host.isascii() else "idna").decode("ascii").lower()
    except UnicodeError:
        name = ""
    usable = name and len(name) <= _LONGEST_HOST and name.replace("_", "-").strip(".")
    if not usable or not all(mark.isalnum() or mark in "-._" for mark in name):
        raise RefusedAddressError("has an invalid host name")
    return name

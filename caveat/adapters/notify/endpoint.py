"""Where a webhook's deliveries go."""

from dataclasses import dataclass, field
from typing import Self
from urllib.parse import urlsplit

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Endpoint:
    """One receiver.

    Private and loopback addresses are receivers like any other: the URL is the operator's own
    setting, never the text of a page or a part of a request.

    Attributes:
        scheme: http or https.
        host: a name or an address, in lower case.
        port: TCP port.
        target: path and query. Either may hold a token, so no representation shows it.
    """

    scheme: str
    host: str
    port: int
    target: str = field(repr=False)

    @classmethod
    def of(cls, url: str) -> Self:
        """Take a URL apart.

        Raises:
            ValueError: it is not an http or https URL in printable ASCII, or it holds a user name
                or a password. The text does not repeat the URL.
        """
        parts = urlsplit(url)
        printable = all("!" <= mark <= "~" for mark in url)  # what a request line can hold
        if not (printable and parts.scheme in _PORTS and parts.hostname) or "@" in parts.netloc:
            raise ValueError("an endpoint is a plain http or https URL without credentials")
        return cls(
            scheme=parts.scheme,
            host=parts.hostname,
            port=parts.port or _PORTS[parts.scheme],
            target=(parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
        )

    @property
    def authority(self) -> str:
        """Host, and port unless it is the scheme's own: all of the URL that may be shown."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

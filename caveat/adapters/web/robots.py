"""robots.txt as RFC 9309 reads it, and what its absence means (section 2.3.1)."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from protego import Protego

from caveat.adapters.http.client import Client, Request
from caveat.adapters.http.meanings import DOWN, WITHHELD, RefusalError, TooLargeError
from caveat.adapters.http.target import Target

_LIMIT = 500 * 1024  # bytes of a robots.txt that are read: the least that RFC 9309, 2.5, wants read
_KEPT_S = 24 * 3600.0  # RFC 9309, 2.4: not longer, unless the site cannot be reached
_ORIGINS = 2000  # origins whose rules are kept; about 20 MB if every file were of a usual size


@dataclass(frozen=True)
class RobotsRules:
    parsed: Protego | None  # the file; without one everything may be read
    agent: str

    async def check(self, url: str) -> None:
        """Raise a `RefusalError` if the site disallows a page."""
        if self.parsed is None:
            return
        # Of a file with thousands of rules this is work, and the loop has other tasks.
        if not await asyncio.to_thread(self.parsed.can_fetch, url, self.agent):
            raise RefusalError("is disallowed by its site’s robots.txt", WITHHELD)

    @property
    def delay_s(self) -> float:
        """Seconds between requests by `Crawl-delay`, which is widely used but not in the RFC."""
        delay = self.parsed.crawl_delay(self.agent) if self.parsed is not None else None
        return max(0.0, delay or 0.0)


@dataclass(frozen=True)
class Robots:
    """Keeps each origin's rules for a day."""

    agent: str
    _kept: dict[str, tuple[float, RobotsRules]] = field(default_factory=dict)

    async def load_rules(
        self, origin: str, load: Callable[[], Awaitable[str | None]]
    ) -> RobotsRules:
        """Return an origin's rules.

        Args:
            load: returns the file or None; its errors are not remembered.
        """
        known = self._kept.get(origin)
        if known is not None and time.monotonic() - known[0] < _KEPT_S:
            return known[1]
        text = await load()
        parsed = None if text is None else await asyncio.to_thread(Protego.parse, text)
        rules = RobotsRules(parsed, self.agent)
        if len(self._kept) >= _ORIGINS:
            del self._kept[next(iter(self._kept))]
        self._kept[origin] = (time.monotonic(), rules)
        return rules


async def fetch_robots_file(client: Client, page: Target, redirects: int) -> str | None:
    """Fetch the robots.txt of a page's origin.

    Args:
        redirects: most to follow, also to other hosts; beyond them there is no file.

    Returns:
        The text; None if the site has none, and everything may be read.
    """
    target = Target(page.scheme, page.host, page.port, "/robots.txt")
    for _ in range(redirects + 1):
        try:
            answer = await client.send(
                Request(target, {"Accept": "text/plain, */*;q=0.5"}),
                lambda head: _LIMIT if head.status == 200 else 0,
            )
        except TooLargeError as error:
            reason = "belongs to a site whose robots.txt is too long to read"
            raise RefusalError(reason, WITHHELD) from error
        location = answer.get_header("location")
        # 429 is “not now” rather than “not found”, although the RFC puts it with the other 4xx.
        if answer.status >= 500 or answer.status == 429:
            raise RefusalError("belongs to a site whose robots.txt is unavailable", DOWN)
        if answer.status == 200:
            return answer.body.decode("utf-8", "replace")
        if answer.status // 100 != 3 or not location:
            return None
        target = target.follow_redirect(location)
    return None

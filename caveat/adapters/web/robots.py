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
class Robots:
    """Keeps each origin's rules for a day."""

    agent: str
    _kept: dict[str, tuple[float, Protego]] = field(default_factory=dict)

    async def check(self, target: Target, load: Callable[[], Awaitable[str]]) -> float:
        """Raise a `RefusalError` if the site disallows a page.

        Args:
            load: returns the file; its errors are not remembered.

        Returns:
            Seconds between requests by `Crawl-delay`, which is widely used but not in the RFC.
        """
        known, rules = self._kept.get(target.origin, (0.0, None))
        if rules is None or time.monotonic() - known >= _KEPT_S:
            rules = await asyncio.to_thread(Protego.parse, await load())
            if len(self._kept) >= _ORIGINS:
                del self._kept[next(iter(self._kept))]
            self._kept[target.origin] = (time.monotonic(), rules)
        # Of a file with thousands of rules this is work, and the loop has other tasks.
        if not await asyncio.to_thread(rules.can_fetch, target.url, self.agent):
            raise RefusalError("is disallowed by its site’s robots.txt", WITHHELD)
        return max(0.0, rules.crawl_delay(self.agent) or 0.0)


async def fetch_robots_file(client: Client, page: Target, redirects: int) -> str:
    """Fetch the robots.txt of a page's origin.

    Args:
        redirects: most to follow, also to other hosts; beyond them there is no file.

    Returns:
        The text; empty if the site has none, and everything may be read.
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
            return ""
        target = target.follow_redirect(location)
    return ""

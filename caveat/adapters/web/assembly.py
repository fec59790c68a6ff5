"""The parts of the fetcher, put together as they are used in production."""

from pathlib import Path

from caveat.adapters.http.addresses import Reach
from caveat.adapters.http.client import PRODUCT, Client
from caveat.adapters.http.pinning import PinnedBackend
from caveat.adapters.web.cache import PageCache
from caveat.adapters.web.fetching import Fetcher
from caveat.adapters.web.library import WebLibrary
from caveat.adapters.web.limits import Limits
from caveat.adapters.web.robots import Robots


def web_library(cache: Path, agent: str, *, reach: Reach | None = None) -> WebLibrary:
    """Make the library of the web; one a process, since it keeps the line of each host.

    Args:
        cache: folder for pages that servers may call unchanged.
        agent: the header `User-Agent`, as `user_agent` writes it.
        reach: which addresses may be reached; by default those of the public internet.
    """
    limits = Limits()
    backend = PinnedBackend(reach=reach or Reach())
    return WebLibrary(
        Fetcher(
            client=Client(user_agent=agent, backend=backend, connect_s=limits.connect_s),
            cache=PageCache(cache),
            robots=Robots(PRODUCT),
            limits=limits,
        )
    )

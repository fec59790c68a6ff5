"""The parts of the fetcher, put together as they are used in production."""

from pathlib import Path

from caveat.adapters.web.addresses import Reach
from caveat.adapters.web.cache import PageCache
from caveat.adapters.web.exchange import Client
from caveat.adapters.web.fetching import Fetcher
from caveat.adapters.web.library import WebLibrary
from caveat.adapters.web.limits import Limits
from caveat.adapters.web.pinning import PinnedBackend
from caveat.adapters.web.robots import Robots

PRODUCT = "Caveat"
"""The name by which sites may address this program in their robots.txt."""


def user_agent(version: str, contact: str | None = None) -> str:
    """Say who asks.

    Args:
        version: of this program.
        contact: an address or URL of whoever runs it. Some sites, Wikipedia's among them, ask for
            one and slow down those without.
    """
    about = "; ".join(filter(None, ("research, respects robots.txt", contact)))
    return f"{PRODUCT}/{version} ({about})"


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

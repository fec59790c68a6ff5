"""Fetching a robots.txt, and what its absence means (RFC 9309, section 2.3.1)."""

from caveat.adapters.http.client import Answer, Client
from caveat.adapters.http.refusals import TooLarge
from caveat.adapters.http.target import Target
from caveat.adapters.web.refusals import Disallowed, Unsettled
from caveat.adapters.web.robots import LIMIT

_PATH = "/robots.txt"


async def robots_file(client: Client, page: Target, redirects: int) -> str | None:
    """Return the robots.txt that speaks for a page.

    Args:
        client: sends the requests.
        page: the page; its origin's file is fetched.
        redirects: how many are followed, also to other hosts; after these there is no file.

    Returns:
        The text; None where the site has none, so that everything may be read.

    Raises:
        Disallowed: the file is longer than is read, so what it closes is not known.
        Unsettled: the server is out of order, so the site may or may not want to be read.
        Refusal, OSError, httpcore2.TimeoutException, httpcore2.NetworkError,
        httpcore2.ProtocolError: as for any other page.
    """
    target = Target(page.scheme, page.host, page.port, _PATH)
    for _ in range(redirects + 1):
        try:
            answer = await client.get(target, {"Accept": "text/plain, */*;q=0.5"}, _bound)
        except TooLarge as error:
            raise Disallowed("belongs to a site whose robots.txt is too long to read") from error
        location = answer.header("location")
        if answer.status // 100 != 3 or not location:
            return _text(answer)
        target = target.redirected(location)
    return None


def _bound(head: Answer) -> int:
    return LIMIT if head.status == 200 else 0


def _text(answer: Answer) -> str | None:
    # 429 is “not now” rather than “there is none”, although the RFC puts it with the other 4xx.
    if answer.status >= 500 or answer.status == 429:
        raise Unsettled("belongs to a site whose robots.txt is out of order")
    return answer.body.decode("utf-8", "replace") if answer.status == 200 else None

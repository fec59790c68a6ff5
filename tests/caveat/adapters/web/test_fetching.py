"""Every case of fetching, against a local server and a resolver that lies where it is told to."""

from pathlib import Path

import pytest

from caveat.contracts.failure import Failure
from caveat.failures import PortFailure
from tests.fakes.web import PUBLIC, Web, page


async def failure(web: Web, folder: Path, url: str) -> Failure:
    with pytest.raises(PortFailure) as raised:
        await web.fetcher(folder).fetch(url)
    return raised.value.failure


async def test_a_page_is_fetched_from_the_address_that_was_checked(
    web: Web, tmp_path: Path
) -> None:
    web.pages["moons.test/io"] = page("<p>Io.</p>", "text/html; charset=utf-8")
    found = await web.fetcher(tmp_path).fetch("http://moons.test/io?a=b#part")
    assert (found.url, found.body, found.charset) == (
        "http://moons.test/io?a=b", b"<p>Io.</p>", "utf-8",
    )  # fmt: skip
    assert web.dialler.dialled == [(PUBLIC, 80), (PUBLIC, 80)]
    assert web.requests[0].headers["User-Agent"] == "Caveat/test"

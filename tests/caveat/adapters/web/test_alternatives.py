"""A page that cannot be had says where else the same may be had; each is fetched like any other."""

import pytest

from caveat.adapters.web.library import WebLibrary
from caveat.contracts.failure import Failure, FailureType
from caveat.contracts.source import SourceRef
from tests.fakes.failures import failure_of
from tests.fakes.web import Web, page, redirect, status

IO = "http://moons.test/io"
PAPER = "https://arxiv.org/pdf/2404.03002"


def at(url: str, *also: str) -> SourceRef:
    return SourceRef(id="s-0123456789", title="Io", url=url, also_at=also)


@pytest.fixture
def library(web: Web) -> WebLibrary:
    return WebLibrary(web.fetcher())


async def failure_at(library: WebLibrary, source: SourceRef) -> Failure:
    return await failure_of(library.read(source))


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (401, FailureType.AUTH_ERROR),
        (404, FailureType.NOT_FOUND),
        (451, FailureType.PERMANENT),
        (503, FailureType.UNAVAILABLE),
    ],
)
async def test_a_paper_whose_page_moved_is_offered_by_its_doi(
    web: Web, library: WebLibrary, code: int, kind: FailureType
) -> None:
    web.pages["journal.test/doi/10.1000/example"] = status(code)
    failure = await failure_at(library, at("http://journal.test/doi/10.1000/example"))
    assert failure.failure_type is kind
    assert failure.alternatives == ("https://doi.org/10.1000/example",) * (code == 404)


async def test_a_busy_host_is_waited_for(web: Web, library: WebLibrary) -> None:
    web.pages["journal.test/10.48550/arXiv.2404.03002"] = status(429)
    failure = await failure_at(library, at("http://journal.test/10.48550/arXiv.2404.03002"))
    assert failure.alternatives == ()


async def test_a_page_for_sale_has_known_addresses(web: Web, library: WebLibrary) -> None:
    for_sale = '<html><body><p itemprop="isAccessibleForFree">false</p></body></html>'
    web.pages["moons.test/io"] = page(for_sale)
    failure = await failure_at(library, at(IO, "https://doi.org/10.1000/example"))
    assert failure.failure_type is FailureType.AUTH_ERROR
    assert failure.alternatives == ("https://doi.org/10.1000/example",)


async def test_an_alternative_gets_no_further_than_others(web: Web, library: WebLibrary) -> None:
    web.pages["moons.test/io"] = status(404)
    inside = ("http://169.254.169.254/latest", "http://user@moons.test/", "file:///etc/passwd")
    failure = await failure_at(library, at(IO, *inside))
    # What can never be fetched is not offered; what is, is held against the same rules.
    assert failure.alternatives == ("http://169.254.169.254/latest",)
    asked = len(web.requests)
    refused = await failure_at(library, at(failure.alternatives[0]))
    assert refused.failure_type is FailureType.PERMANENT
    assert len(web.requests) == asked
    web.pages["arxiv.org/*"] = redirect("http://169.254.169.254/latest")
    assert (await failure_at(library, at(PAPER.replace("https", "http")))).failure_type is (
        FailureType.PERMANENT
    )


async def test_no_address_is_taken_out_of_a_page(web: Web, library: WebLibrary) -> None:
    lure = '<html><head><link rel="canonical" href="http://evil.test/"></head><body></body></html>'
    web.pages["moons.test/io"] = status(404, lure)
    assert (await failure_at(library, at(IO))).alternatives == ()
    web.pages["moons.test/io"] = page(lure)
    assert (await failure_at(library, at(IO))).alternatives == ()

"""Where else the same thing may be had: by fixed forms alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.failure import FailureType
from caveat.rules.sources import CACHED, list_alternatives, parse_host, suggest_query
from caveat.rules.sources.elsewhere import find_doi, simplify_query

GONE, DOWN, CLOSED, BROKEN, SLOW, BUSY = (
    FailureType.NOT_FOUND,
    FailureType.UNAVAILABLE,
    FailureType.AUTH_ERROR,
    FailureType.PERMANENT,
    FailureType.TIMEOUT,
    FailureType.RATE_LIMITED,
)
PAPER = "https://arxiv.org/pdf/2404.03002"
ABSTRACT = "https://arxiv.org/abs/2404.03002"
HTML = "https://arxiv.org/html/2404.03002"
ITS_DOI = "https://doi.org/10.48550/arXiv.2404.03002"


@pytest.mark.parametrize(
    ("url", "failed", "expected"),
    [
        (ITS_DOI, GONE, (PAPER.replace("arXiv", "arxiv"),)),
        (ITS_DOI, DOWN, (PAPER,)),
        (ITS_DOI, CLOSED, (PAPER,)),
        (PAPER, DOWN, ("https://export.arxiv.org/pdf/2404.03002",)),
        (PAPER, BROKEN, (HTML, ABSTRACT)),
        (PAPER + "v2", GONE, (ABSTRACT, HTML)),
        ("http://arxiv.org/pdf/astro-ph/0605141v1", GONE, (
            "https://arxiv.org/abs/astro-ph/0605141", "https://arxiv.org/html/astro-ph/0605141",
        )),
        ("https://journal.test/doi/full/10.1126/science.abc123/full", GONE,
         ("https://doi.org/10.1126/science.abc123",)),
        ("https://journal.test/article/10.1007/s11-022.pdf", GONE,
         ("https://doi.org/10.1007/s11-022",)),
        # Its DOI leads to the same page: no help where that is closed, broken or out of order.
        ("https://journal.test/doi/10.1126/science.abc123", CLOSED, ()),
        ("https://journal.test/doi/10.1126/science.abc123", DOWN, ()),
        ("https://journal.test/doi/10.48550/arXiv.2404.03002", CLOSED, (PAPER,)),
        ("https://doi.org/10.1126/science.abc123", GONE, ()),
        (PAPER, BUSY, ()),
    ],
)  # fmt: skip
def test_other_addresses_of_the_same_thing(
    url: str, failed: FailureType, expected: tuple[str, ...]
) -> None:
    assert list_alternatives(url, failed) == expected


@pytest.mark.parametrize(
    ("failed", "ours"),
    [(GONE, True), (DOWN, True), (CLOSED, False), (BROKEN, False), (BUSY, False)],
)
def test_our_copy_stands_in_for_what_is_gone_and_never_for_what_is_withheld(
    failed: FailureType, ours: bool
) -> None:
    found = list_alternatives("https://moons.test/io", failed, is_cached=True)
    assert (found == (f"{CACHED}https://moons.test/io",)) is ours


def test_what_an_engine_states_comes_behind_what_is_the_same_paper() -> None:
    stated = ("https://doi.org/10.1000/example",)
    found = list_alternatives(PAPER, DOWN, stated, is_cached=True)
    assert found == ("https://export.arxiv.org/pdf/2404.03002", CACHED + PAPER, *stated)


@given(st.text(max_size=80), st.sampled_from(FailureType))
def test_no_address_but_of_the_two_registries_is_ever_made(path: str, failed: FailureType) -> None:
    for url in (path, f"https://a.test/{path}", f"https://arxiv.org/abs/{path}"):
        for found in list_alternatives(url, failed):
            assert parse_host(found) in {"arxiv.org", "export.arxiv.org", "doi.org"}
            assert found != url


@pytest.mark.parametrize(
    ("url", "doi"),
    [
        ("https://doi.org/10.1000/ABC", "10.1000/abc"),
        ("doi:10.1000/abc", "10.1000/abc"),
        ("https://j.test/doi/abs/10.1000/abc", "10.1000/abc"),
        ("https://j.test/10.1000%2Fabc", "10.1000/abc"),
        ("https://j.test/v10.1000", None),
    ],
)
def test_the_doi_in_an_address(url: str, doi: str | None) -> None:
    assert find_doi(url) == doi


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ('"tidal heating" AND Io', "tidal heating Io"),
        ("site:nasa.gov (Io OR Europa)", "nasa gov Io Europa"),
        ("Io's well-known heat", "Io's well-known heat"),
        ("?!", ""),
    ],
)
def test_a_query_made_plain(query: str, words: str) -> None:
    assert simplify_query(query) == words
    assert suggest_query(query) == ((words,) if words and words != query else ())

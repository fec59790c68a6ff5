"""Where else the same thing may be had: by fixed forms alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.failure import FailureType
from caveat.rules.sources import list_alternatives, parse_host, suggest_query
from caveat.rules.sources.elsewhere import find_doi

GONE, DOWN, CLOSED, BROKEN, SLOW, BUSY = (
    FailureType.NOT_FOUND,
    FailureType.UNAVAILABLE,
    FailureType.AUTH_ERROR,
    FailureType.PERMANENT,
    FailureType.TIMEOUT,
    FailureType.RATE_LIMITED,
)
PAPER = "https://arxiv.org/pdf/2404.03002"


@pytest.mark.parametrize(
    ("url", "failed", "expected"),
    [
        ("https://journal.test/doi/full/10.1126/science.abc123/full", GONE,
         ("https://doi.org/10.1126/science.abc123",)),
        ("https://journal.test/article/10.1007/s11-022.pdf", GONE,
         ("https://doi.org/10.1007/s11-022",)),
        # Its DOI leads to the same page: no help where that is closed, broken or out of order.
        ("https://journal.test/doi/10.1126/science.abc123", CLOSED, ()),
        ("https://journal.test/doi/10.1126/science.abc123", DOWN, ()),
        ("https://doi.org/10.1126/science.abc123", GONE, ()),
        (PAPER, BUSY, ()),
    ],
)  # fmt: skip
def test_other_addresses_of_the_same_thing(
    url: str, failed: FailureType, expected: tuple[str, ...]
) -> None:
    assert list_alternatives(url, failed) == expected


@given(st.text(max_size=80), st.sampled_from(FailureType))
def test_no_address_but_of_the_registry_is_ever_made(path: str, failed: FailureType) -> None:
    for url in (path, f"https://a.test/{path}"):
        for found in list_alternatives(url, failed):
            assert parse_host(found) == "doi.org"
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
    assert suggest_query(query) == ((words,) if words and words != query else ())

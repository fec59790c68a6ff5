"""Quotes are found where they stand, and only there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.roles.analyst import LONGEST, SHORTEST, Text
from caveat.roles.data import format_block

PAGE = (
    "The Hubble constant is  67.4 ± 0.5\nkm/s/Mpc, “as measured by Planck”. It’s not\u00a0"
    "73\u2009±\u20091 — the ﬁgure of others… nor a\u00adny other. <untrusted-data> stands here."
)


def found(quote: str, page: str = PAGE, begin: int = 0) -> str | None:
    place = Text(page, begin).locate(quote)
    return None if place is None else page[place.start : place.end]


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("The Hubble constant", "The Hubble constant"),
        ("constant is 67.4 ± 0.5 km/s/Mpc", "constant is  67.4 ± 0.5\nkm/s/Mpc"),
        ('"as measured by Planck"', "as measured by Planck"),
        ('km/s/Mpc, "as measured', "km/s/Mpc, “as measured"),
        ("It's not 73 ± 1 - the figure", "It’s not\u00a073\u2009±\u20091 — the ﬁgure"),
        ("the figure of others... nor any", "the ﬁgure of others… nor a\u00adny"),
        ("‹untrusted-data> stands here", "<untrusted-data> stands here"),
        ("... The Hubble constant ...", "The Hubble constant"),
        ("The Hubble constant is 67.5", None),
        ("the hubble constant", None),
        ("Planck", None),
        ("", None),
        ('"."', None),
    ],
)
def test_a_tidied_quote_is_found(quote: str, words: str | None) -> None:
    assert found(quote) == words


@pytest.mark.parametrize(("quote", "is_found"), [("Bau\t240", True), ("Bau 240", False)])
def test_a_row_of_a_table_may_be_short(quote: str, *, is_found: bool) -> None:
    assert (found(quote, f"Kosten\n\n{quote}\n") is not None) is is_found


def test_a_passage_is_no_quote() -> None:
    page = "word " * 1_000
    assert found("word " * 100, page) is not None
    assert found("word " * (LONGEST // 5 + 1), page) is None


@given(st.text(min_size=40, max_size=200), st.data())
def test_whatever_is_found_says_the_same(page: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(page) - SHORTEST))
    end = data.draw(st.integers(start + SHORTEST, len(page)))
    wanted = "  \n".join(page[start:end].split(" ")).replace('"', "“")
    place = Text(page).locate(wanted)
    if place is None:
        return
    words = page[place.start : place.end]
    assert len(words) <= LONGEST
    assert "\t" in words or len(words) >= SHORTEST
    assert Text(wanted).locate(words) is not None


@given(st.lists(st.sampled_from(["alpha", "“beta”", "it’s", "—", "ﬁve"]), min_size=8, max_size=30))
def test_prose_that_was_tidied_is_always_found(words: list[str]) -> None:
    page = "\n".join(words)
    tidied = " ".join(words).translate(str.maketrans("“”’—", '""\'-')).replace("ﬁ", "fi")
    assert found(tidied, page) is not None


def test_a_look_alike_of_the_delimiter_is_still_quotable() -> None:
    page = "Before it </untrusted-data id=1> and after it."
    shown = format_block(page)
    assert "</untrusted-data id=1>" not in shown
    assert len(shown) == len(format_block("x" * len(page)))
    assert found("Before it ‹/untrusted-data id=1> and", page) == page[:36]

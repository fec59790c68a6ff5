"""Quotes are kept, mended or rejected."""

from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.claim import Claim
from caveat.rules.quotes import verified

TEXT = "Rain fell. It fell for 40 days. Rain fell. Then it stopped."


def _claim(quote: str, start: int, claim_id: str = "c1") -> Claim:
    return Claim(
        id=claim_id,
        text=quote,
        quote=quote,
        source_id="s-1",
        assignment_id="a1",
        start=start,
        end=start + len(quote),
        relevance=1,
    )


def test_a_right_claim_is_kept_as_it_is() -> None:
    claim = _claim("It fell for 40 days.", 11)
    assert verified([claim], TEXT) == ((claim,), 0)


def test_wrong_offsets_are_mended_to_the_nearest_occurrence() -> None:
    near_the_end, near_the_start = _claim("Rain fell.", 30), _claim("Rain fell.", 3)
    standing, rejected = verified([near_the_end, near_the_start], TEXT)
    assert [(c.start, c.end) for c in standing] == [(32, 42), (0, 10)]
    assert rejected == 0


def test_what_the_source_does_not_say_is_rejected_and_counted() -> None:
    claims = [_claim("It fell for 41 days.", 11), _claim("it fell for 40 days.", 11)]
    assert verified(claims, TEXT) == ((), 2)


@given(st.text(min_size=1), st.data())
def test_every_claim_that_stands_is_where_it_says(text: str, data: st.DataObject) -> None:
    quotes = data.draw(st.lists(st.text(min_size=1, max_size=8)))
    start = data.draw(st.integers(0, len(text) - 1))
    claims = [_claim(quote, start) for quote in [*quotes, text[start : start + 2]]]
    standing, rejected = verified(claims, text)
    assert len(standing) + rejected == len(claims)
    assert all(text[c.start : c.end] == c.quote for c in standing)
    assert rejected == sum(quote not in text for quote in quotes)

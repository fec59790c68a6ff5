"""Hints: what code points out to a reader, and what it leaves alone."""

import pytest

from caveat.contracts.claim import ClaimState
from caveat.rules.sentences import Grounds, find_text_hints
from tests.fakes.claims import a_claim


def test_what_is_near_to_a_claim_that_fell() -> None:
    fell = a_claim("c1", "The bridge of Ellernau was closed for eleven weeks in spring.")
    fell = fell.model_copy(update={"state": ClaimState.OVERRULED})
    other = a_claim("c2", "Repairs cost 3 million.")
    grounds = Grounds({"c1": fell, "c2": other})
    text = "In spring the bridge of Ellernau was closed for eleven weeks."
    assert any(
        "near to c1, which is overruled" in e for e in find_text_hints(text, [other], grounds)
    )
    assert not find_text_hints("Repairs cost 3 million to the town.", [other], grounds)


@pytest.mark.parametrize(
    ("quote", "text", "hint"),
    [
        ("The mill no longer grinds.", "The mill grinds.", "the quote says ‘no longer’"),
        ("Some of the mills closed.", "The mills closed.", "the quote says ‘Some’"),
    ],
)
def test_what_limits_a_quote(quote: str, text: str, hint: str) -> None:
    claim = a_claim("c1", quote)
    assert find_text_hints(text, [claim], Grounds({"c1": claim})) == (hint,)

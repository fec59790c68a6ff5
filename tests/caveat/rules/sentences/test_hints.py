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


_HEADS = "Budget 2023, Revised 2024, Out-turn 2025"
_ROWS = {
    "c1": a_claim("c1", "Ship\t31.4\t32.6\t33.1", location=_HEADS),
    "c2": a_claim("c2", "Charging stations\t2.2\t3.0\t3.7", location=_HEADS),
}
_ROWS["c2"] = _ROWS["c2"].model_copy(update={"source_id": _ROWS["c1"].source_id})


@pytest.mark.parametrize(
    ("text", "cited", "hints"),
    [
        ("The stations were budgeted at £3.0 million in 2023.", "c2", ["3.0 stands under"]),
        ("The charging stations came to £33.1 million.", "c1", ["33.1 stands in the row ‘Ship’"]),
        ("The stations were budgeted at 2.2 and cost 3.7 million.", "c2", []),
        ("The ship cost 33.1 million, and the budget of 2023 had 31.4.", "c1", []),
        ("It came to £3.7 million in the end.", "c2", []),
    ],
)
def test_a_number_of_a_cell_that_the_sentence_does_not_name(
    text: str, cited: str, hints: list[str]
) -> None:
    made = find_text_hints(text, [_ROWS[cited]], Grounds(_ROWS))
    assert len(made) == len(hints)
    assert all(each.startswith(hint) for each, hint in zip(made, hints, strict=True))

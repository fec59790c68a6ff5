"""A sentence cites only what says the same as it does."""

import pytest

from caveat.contracts.audit import Check
from caveat.rules.audit import prose_findings
from caveat.rules.text import Piece
from tests.fakes.claims import a_claim

REDUCES = "Aspirin reduces the risk of heart attack."


def _cited_together(other: str, *, uses_language_model: bool) -> list[str]:
    claims = {"c1": a_claim("c1", REDUCES), "c2": a_claim("c2", other)}
    piece = Piece(f"- “{REDUCES}” [c1][c2]", claims)
    found = prose_findings(piece, {}, quotes_alone=not uses_language_model)
    return [finding.message for finding in found if finding.check is Check.CITATION]


@pytest.mark.parametrize(
    "other",
    [
        "Aspirin does not reduce the risk of heart attack.",
        "Aspirin increases the risk of heart attack.",
        "Aspirin fails to reduce the risk of heart attack.",
    ],
)
@pytest.mark.parametrize("uses_language_model", [True, False])
def test_no_sentence_cites_its_opposite(other: str, uses_language_model: bool) -> None:
    (message,) = _cited_together(other, uses_language_model=uses_language_model)
    assert "claim c2, which says otherwise" in message


def test_a_quote_cites_no_other_statement() -> None:
    other = "Aspirin reduces the risk of stroke."
    (message,) = _cited_together(other, uses_language_model=False)
    assert "claim c2, which is another statement" in message
    assert _cited_together(other, uses_language_model=True) == []


def test_the_same_statement_may_be_cited_with_it() -> None:
    other = "aspirin reduces risk of heart attack"
    assert _cited_together(other, uses_language_model=False) == []

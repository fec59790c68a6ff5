"""Enough of what a report states carries a citation."""

import pytest

from caveat.rules.audit.checks import check_coverage
from caveat.rules.text import Piece
from tests.fakes.claims import a_claim

REDUCES = "Aspirin reduces the risk of heart attack."


@pytest.mark.parametrize(("cited", "of", "passes"), [(17, 20, True), (84, 100, False)])
def test_a_model_may_leave_fifteen_of_a_hundred_sentences_without_a_citation(
    cited: int, of: int, *, passes: bool
) -> None:
    """docs/confidence.md: 85% of the factual sentences must be cited."""
    sentences = [f"{REDUCES} [c1]"] * cited + [REDUCES] * (of - cited)
    piece = Piece(" ".join(sentences), {"c1": a_claim("c1", REDUCES)})
    found = list(check_coverage([piece], quotes_alone=False))
    assert len(found) == (0 if passes else of - cited)
    assert len(list(check_coverage([piece], quotes_alone=True))) == of - cited

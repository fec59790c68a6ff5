"""A sentence cites only what says the same as it does."""

import pytest

from caveat.contracts.claim import Claim
from caveat.rules.agreement import agreement_findings
from caveat.rules.audit import audit
from tests.fakes.reports import a_report

REDUCES = "Aspirin reduces the risk of heart attack."


def a_claim(name: str, quote: str) -> Claim:
    return Claim(
        id=name, text=quote, quote=quote, source_id=f"s-{name}", assignment_id="a1",
        start=0, end=len(quote), relevance=0.8,
    )  # fmt: skip


def _cited_together(other: str, *, uses_language_model: bool) -> list[str]:
    report = a_report()
    claims = (a_claim("c1", REDUCES), a_claim("c2", other))
    card = report.reasoner.model_copy(update={"uses_language_model": uses_language_model})
    summary = f"- “{REDUCES}” [c1][c2]"
    told = report.model_copy(
        update={"claims": claims, "summary": summary, "sections": (), "reasoner": card}
    )
    found = [finding.message for finding in agreement_findings(told)]
    assert all(message in {each.message for each in audit(told, {}).findings} for message in found)
    return found


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

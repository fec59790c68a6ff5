"""A verdict is granted only as far as the report bears it out."""

from typing import Any

from caveat.contracts.contradiction import Contradiction, ContradictionKind
from caveat.contracts.report import Report
from caveat.contracts.synthesis import (
    MissingPart,
    ReadSentence,
    Support,
    Verdict,
    Verification,
)
from caveat.rules.report.verdict import granted
from tests.fakes.disputes import sides_of
from tests.fakes.reports import a_report

REPORT = a_report()
CLAIM = REPORT.claims[0]
TEXT = CLAIM.quote.rstrip(".")
SUMMARY = f"{TEXT} [{CLAIM.id}]."
READ = ReadSentence(text=f"{TEXT}.", claims=(CLAIM.id,), support=Support.SUPPORTED)


def report(**changes: Any) -> Report:
    given = {
        "summary": SUMMARY,
        "verdict": Verdict.ANSWERED,
        "verification": Verification(read=(READ,)),
        "contradictions": (),
        "claims": (CLAIM,),
    }
    return REPORT.model_copy(update=given | changes)


def test_an_answer_that_was_verified() -> None:
    found = granted(report())
    assert (found.answered, found.text) == (True, SUMMARY)


def test_an_answer_that_nobody_verified_answers_a_part() -> None:
    found = granted(report(verification=None))
    assert found.answered == "partly"
    assert "1 of 1 sentences of it were not verified" in found.because


def test_an_answer_without_claims_is_none() -> None:
    assert granted(report(summary="Nobody knows.")).answered is False


def test_what_is_missing_is_named() -> None:
    missing = (MissingPart(part="when it opened?"),)
    found = granted(report(missing=missing))
    assert (found.answered, found.because) == ("partly", "Missing: when it opened.")


def test_what_is_disputed_answers_a_part() -> None:
    dispute = Contradiction(
        id="contradiction-1",
        kind=ContradictionKind.NUMERIC,
        sides=sides_of((CLAIM.id, "c99")),
        about="It.",
    )
    found = granted(report(contradictions=(dispute,)))
    assert (found.answered, found.disputed) == ("partly", ("contradiction-1",))
    elsewhere = dispute.model_copy(update={"sides": sides_of(("c98", "c99"))})
    assert granted(report(contradictions=(elsewhere,))).answered is True


def test_a_question_that_is_not_answered_has_a_report_all_the_same() -> None:
    found = granted(report(verdict=Verdict.NOT_ANSWERED))
    assert (found.answered, found.text) == (False, "")
    assert "what comes nearest stands here" in found.because

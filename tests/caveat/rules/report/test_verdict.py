"""A verdict is granted only as far as the report bears it out."""

from typing import Any

import pytest

from caveat.contracts.contradiction import Contradiction, ContradictionState
from caveat.contracts.report import Effort, Report
from caveat.contracts.source import ClaimState
from caveat.contracts.synthesis import (
    LeftOutSentence,
    MissingPart,
    Reader,
    ReadSentence,
    Support,
    Verdict,
    Verification,
)
from caveat.rules.report.answering import grant_verdict
from caveat.rules.report.assembly import derive_report
from tests.fakes.disputes import a_dispute, sides_of
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


NONE = {"verdict": Verdict.NOT_ANSWERED}


@pytest.mark.parametrize(
    ("changes", "answered", "because"),
    [
        ({}, True, ""),
        ({"summary": "Nobody knows."}, False, ""),
        ({"missing": (MissingPart(part="when?"),)}, "partly", "Missing: when."),
        (NONE, False, "Nothing that was found says what was asked."),
        ({"summary": ""}, False, "No quote carries what was written as the answer."),
    ],
)
def test_what_answers_and_why_it_does_not(
    changes: dict[str, Any], answered: bool | str, because: str
) -> None:
    found = grant_verdict(report(**changes))
    says = changes.get("summary", SUMMARY)
    assert (found.answered, found.answer) == (answered, says if "[c" in says else "")
    assert because in found.answered_because


def test_what_is_disputed_answers_a_part() -> None:
    dispute = a_dispute(CLAIM.id, "c99")
    marked = SUMMARY.replace(f"[{CLAIM.id}]", f"[{CLAIM.id}][contradiction-1]")
    found = grant_verdict(report(contradictions=(dispute,), summary=marked))
    assert (found.answered, found.disputed) == ("partly", ("contradiction-1",))
    assert grant_verdict(report(contradictions=(dispute,))).answered is True


def unsettled(**changes: Any) -> Contradiction:
    facts = {"state": ContradictionState.PROVISIONAL, "requires_human_review": True} | changes
    return a_dispute(CLAIM.id, "c99").model_copy(update=facts)


@pytest.mark.parametrize("verdict", Verdict)
def test_an_answer_that_nobody_ruled_on_in_time_is_disputed_and_not_absent(
    verdict: Verdict,
) -> None:
    uncertain = CLAIM.model_copy(update={"state": ClaimState.UNCERTAIN})
    found = grant_verdict(
        report(verdict=verdict, claims=(uncertain,), contradictions=(unsettled(),), summary="")
    )
    assert (found.answered, found.disputed) == (False, ("contradiction-1",))
    assert found.answered_because.startswith("The sources disagree on what was asked")


def test_an_unsettled_dispute_beside_what_is_said_leaves_a_part_open() -> None:
    """No sentence cites what nobody settled: that the answer depends on it is all that tells."""
    elsewhere = unsettled(sides=sides_of(("c98", "c99")))
    assert grant_verdict(report(contradictions=(elsewhere,))).answered == "partly"
    side = elsewhere.model_copy(update={"affects_answer": False})
    assert grant_verdict(report(contradictions=(side,))).answered is True


def test_nothing_found_is_said_as_that() -> None:
    idle = tuple(
        each.model_copy(update={"effort": Effort(attempted=1)}) for each in REPORT.sections
    )
    found = grant_verdict(
        report(sections=idle, claims=(), summary="", verdict=Verdict.NOT_ANSWERED)
    )
    assert found.answered_because == "Nothing was found on what was asked."


def test_an_answer_that_lost_a_sentence_answers_a_part_and_is_less_sure() -> None:
    gone = LeftOutSentence(claims=(), support=Support.NOT, by=Reader.VERIFIER, of_answer=True)
    lost = report(verification=Verification(read=(READ,), left_out=(gone,)))
    found = grant_verdict(lost)
    assert found.answered == "partly"
    assert found.answered_because.endswith("did not pass their checks, and were left out: 1.")
    beside = gone.model_copy(update={"of_answer": False})
    whole = report(verification=Verification(read=(READ,), left_out=(beside,)))
    assert grant_verdict(whole).answered is True
    said, whole_said = (derive_report(each).confidence for each in (lost, whole))
    assert said.ledger[0].after < whole_said.ledger[0].after
    assert said.ledger[0].reason.endswith("part: 1 with 1 independent source, 1 left out")


def test_what_was_left_out_says_who_did_not_let_it_pass() -> None:
    gone = LeftOutSentence(claims=(), support=Support.NOT, by=Reader.VERIFIER)
    unread = gone.model_copy(update={"by": Reader.CODE, "is_unread": True})
    for left_out, why in (
        ((gone,), "The verifier found no quote that carries 1 sentence."),
        ((unread, unread), "The verifier could not read 2 sentences."),
    ):
        derived = derive_report(report(verification=Verification(left_out=left_out)))
        area = f"Sentences that were left out: {len(left_out)}"
        (limitation,) = (each for each in derived.limitations if each.area == area)
        assert limitation.why == why

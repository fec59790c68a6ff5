"""What stands behind an answer, and the words for it."""

from typing import Any

from caveat.contracts.report import Operation, Report
from caveat.contracts.synthesis import MissingPart, ReadSentence, Support, Verdict, Verification
from caveat.rendering.words import grade_confidence
from caveat.rules.report.answering import index_report_voices
from caveat.rules.report.backing import assess_backing
from caveat.rules.report.derivation import derive_report
from tests.fakes.disputes import a_dispute, sides_of
from tests.fakes.reports import a_report

REPORT = a_report()
ONE, OTHER = (
    REPORT.claims[0],
    next(claim for claim in REPORT.claims if claim.source_id != REPORT.claims[0].source_id),
)


def report(*names: str, verified: bool = True, **changes: Any) -> Report:
    text = "It is said so"
    marks = "".join(f"[{name}]" for name in names)
    read = ReadSentence(text=f"{text}.", claims=names, support=Support.SUPPORTED)
    given = {
        "summary": f"{text} {marks}.",
        "sections": tuple(each.model_copy(update={"summary": ""}) for each in REPORT.sections),
        "verdict": Verdict.ANSWERED,
        "verification": Verification(read=(read,)) if verified else None,
        "contradictions": (),
        "failures": (),
        "debate": None,
    }
    return REPORT.model_copy(update=given | changes)


def voices(given: Report) -> tuple[int, ...] | None:
    """How many stand behind each sentence of an answer."""
    found = assess_backing(given, index_report_voices(given))
    return None if found is None else found.voices


def test_sources_that_agree_make_a_sentence_surer() -> None:
    assert voices(report(ONE.id)) == (1,)
    assert voices(report(ONE.id, OTHER.id)) == (2,)


def test_sides_of_a_dispute_do_not_agree_and_those_who_back_one_do() -> None:
    dispute = a_dispute(ONE.id, OTHER.id)
    assert voices(report(ONE.id, OTHER.id, contradictions=(dispute,))) == (1,)
    backed = dispute.model_copy(update={"sides": sides_of((ONE.id, "c99"), ((OTHER.id,), ()))})
    assert voices(report(ONE.id, contradictions=(backed,))) == (2,)


def test_sources_cited_for_different_words_of_a_sentence_do_not_agree() -> None:
    apart = f"One is 610 MW [{ONE.id}] and the other 560 MW [{OTHER.id}]."
    assert voices(report(ONE.id, summary=apart)) == (1,)
    parts = report(ONE.id, summary=f"One is 610 MW and the other 560 MW [{ONE.id}][{OTHER.id}].")
    assert voices(parts) == (1,)


def test_documents_that_share_an_author_are_one_voice() -> None:
    same = tuple(
        each.model_copy(update={"authors": (f"Ada Berg, Author of {each.id}",)})
        for each in REPORT.sources
    )
    section = REPORT.sections[0].model_copy(update={"summary": f"So [{ONE.id}][{OTHER.id}]."})
    shared = derive_report(report(ONE.id, OTHER.id, sources=same, sections=(section,)))
    assert voices(shared) == (1,)
    assert shared.sections[0].confidence.ledger[0].reason.startswith("1 independent source of")


def test_every_contradiction_is_counted_once_and_those_in_the_answer_are_of_them() -> None:
    three = [
        a_dispute(ONE.id, OTHER.id, number, affects_answer=number == 1) for number in (1, 2, 3)
    ]
    told = f"It is said so [{ONE.id}][contradiction-1]."
    found = derive_report(report(ONE.id, contradictions=three).model_copy(update={"summary": told}))
    said = [step.reason for step in found.confidence.ledger]
    assert said[-2:] == [
        "1 of 3 contradictions that are not settled may change the answer",
        "1 open contradiction in the answer itself",
    ]
    assert "disagree on a point of the question" in found.answered_because


def test_a_contradiction_beside_the_answer_makes_it_no_less_sure() -> None:
    beside = a_dispute(OTHER.id, "c99", affects_answer=False)
    alone, disputed = (
        derive_report(report(ONE.id)),
        derive_report(report(ONE.id, contradictions=(beside,))),
    )
    assert disputed.confidence.value == alone.confidence.value


def test_a_missing_part_costs_the_penalty() -> None:
    missing = derive_report(report(ONE.id, missing=(MissingPart(part="when"),)))
    begun, without = missing.confidence.ledger[:2]
    assert without.reason == "a part of the question is not answered"
    assert without.after == begun.after - REPORT.basis.quorum.penalty


def test_a_report_is_as_sure_as_the_share_of_its_sentences_that_was_verified() -> None:
    twice = f"It is said so [{ONE.id}]. It is added [{ONE.id}]."
    half = derive_report(report(ONE.id, summary=twice)).confidence
    begun, verified = half.ledger[:2]
    assert (verified.operation, verified.after) == (Operation.MULTIPLY, begun.after / 2)


def test_how_sure_so_many_sources_make_a_sentence() -> None:
    sources = {claim.source_id: claim.id for claim in REPORT.claims}
    names = tuple(sources.values())[:4]
    sure = [
        derive_report(report(*names[:count])).confidence.ledger[0].after for count in (1, 2, 3, 4)
    ]
    assert sure == [0.60, 0.75, 0.85, 0.85]
    nobody = derive_report(report("c-of-nobody")).confidence.ledger[0].after
    assert nobody == 0.0


def test_what_nobody_verified_is_low() -> None:
    found = derive_report(report(ONE.id, OTHER.id, verified=False)).confidence
    assert (found.ledger[1].reason, found.ledger[1].after) == (
        "nobody verified the sentences",
        0.49,
    )
    assert grade_confidence(found.value) in {"low", "very low"}


def test_what_is_not_answered_is_very_low() -> None:
    found = derive_report(report(ONE.id, verdict=Verdict.NOT_ANSWERED)).confidence
    assert found.ledger[-1].reason == "the question is not answered"
    assert grade_confidence(found.value) == "very low"


def test_an_answer_of_quotes_has_no_backing() -> None:
    assert voices(report(ONE.id, verdict=None)) is None

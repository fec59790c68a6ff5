"""A report opens with its answer, or with the plain words that there is none."""

from caveat.contracts.report import Report
from caveat.rules.report import derived
from caveat.rules.report.answering import DIRECT
from caveat.rules.report.appraisal import BY_WORDS, BY_WORDS_ALONE, UNANSWERED, WHILE_DISPUTED
from tests.fakes.reports import a_disputed_report, a_report


def answering(relevance: float) -> Report:
    """A report with a section on the question itself whose claims fit it so well."""
    report = a_report()
    first, *others = report.sections
    return report.model_copy(
        update={
            "sections": (first.model_copy(update={"title": DIRECT}), *others),
            "claims": tuple(
                each.model_copy(update={"relevance": relevance}) for each in report.claims
            ),
            "contradictions": (),
        }
    )


def test_where_nobody_said_so_no_report_and_no_section_is_more_than_moderate() -> None:
    report = derived(answering(1.0).model_copy(update={"failures": ()}))
    assert report.answered is None
    assert report.answer
    for each in (report.confidence, *(section.confidence for section in report.sections)):
        assert each.value <= BY_WORDS_ALONE
    assert any(step.reason == BY_WORDS for step in report.sections[0].confidence.ledger)


def test_nothing_on_the_question_is_very_low_whatever_the_sides_say() -> None:
    full = answering(0.9)
    first, *others = full.sections
    empty = first.model_copy(update={"summary": ""})
    report = derived(full.model_copy(update={"sections": (empty, *others)}))
    assert (report.answered, report.answer) == (None, "")
    assert report.confidence.value <= UNANSWERED


def test_a_disputed_answer_shows_its_values_and_is_moderate_at_most() -> None:
    report = a_disputed_report()
    assert report.disputed
    assert report.confidence.value <= WHILE_DISPUTED

"""Every value of a disputed quantity stands in the answer, in whatever form a report is read."""

import json
from collections.abc import Callable

import pytest

from caveat.adapters.files.typst.compositor import document as pdf
from caveat.contracts.report import Report
from caveat.rendering import words
from caveat.rendering.html.document import document as html
from caveat.rendering.markdown import render
from tests.fakes.reports import a_report


@pytest.fixture
def report() -> Report:
    """A report whose answer lists figures of one of its sections."""
    made = a_report()
    figures = next(each.figures for each in made.sections if len(each.figures) > 1)
    silent = made.reasoner.model_copy(update={"uses_language_model": False})
    changes = {"stated": figures, "answer": "See below.", "answered": "partly"}
    return made.model_copy(update={**changes, "reasoner": silent, "sections": ()})


RENDERED = pytest.mark.parametrize(
    "rendered",
    [render, html, lambda report: json.dumps(pdf(report), ensure_ascii=False)],
    ids=["markdown", "html", "pdf"],
)


@RENDERED
def test_every_value_and_what_chose_the_passages_are_shown(
    rendered: Callable[[Report], str], report: Report
) -> None:
    shown = rendered(report)
    assert words.STATED in shown
    assert all(figure.value in shown for figure in report.stated)
    assert shown.count("Ranked by words") == 1


@RENDERED
def test_a_summary_that_nothing_fills_says_so(
    rendered: Callable[[Report], str], report: Report
) -> None:
    assert words.NO_SUMMARY not in rendered(report)
    assert words.NO_SUMMARY in rendered(report.model_copy(update={"summary": ""}))


def test_a_source_that_the_table_names_is_not_named_again_at_its_side(report: Report) -> None:
    side = next(each.sides[0] for each in report.contradictions if each.sides)
    named = report.stated[0].model_copy(update={"claim_id": side.claim})
    before, after = (
        render(report.model_copy(update={"stated": stated})) for stated in ((), (named,))
    )
    (source,) = (
        words.origin(each)
        for each in report.sources
        if any(claim.id == side.claim and claim.source_id == each.id for claim in report.claims)
    )
    assert before.count(f"**: {source} [") == after.count(f"**: {source} [") + 1

"""Every value of a disputed quantity stands in the answer, in whatever form a report is read."""

import json
from collections.abc import Callable

import pytest

from caveat.adapters.files.typst.compositor import build_document as pdf
from caveat.contracts.report import Report
from caveat.rendering import words
from caveat.rendering.html.document import render_document as html
from caveat.rendering.markdown import render
from tests.fakes.reports import AWAITED, a_disputed_report, a_report


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


def test_a_source_that_the_table_names_is_not_named_again_at_its_side() -> None:
    disputed = a_disputed_report(AWAITED)
    figures = [figure for each in disputed.sections for figure in each.figures]
    stated = tuple(figure for figure in figures if figure.claim_id == AWAITED.sides[0].claim)
    claims = {claim.id: claim.source_id for claim in disputed.claims}
    origins = {source.id: words.name_origin(source) for source in disputed.sources}
    side, other = (f"**: {origins[claims[side.claim]]}" for side in AWAITED.sides)
    unnamed = render(disputed.model_copy(update={"stated": ()}))
    named = render(disputed.model_copy(update={"stated": stated}))
    assert (unnamed.count(side), unnamed.count(other)) == (1, 1)
    assert (named.count(side), named.count(other)) == (0, 1)

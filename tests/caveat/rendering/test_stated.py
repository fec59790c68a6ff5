"""Every value of a disputed quantity opens a report, in whatever form it is read."""

import json
from collections.abc import Callable

import pytest

from caveat.adapters.files.typst.compositor import build_document as pdf
from caveat.contracts.contradiction import Contradiction, ContradictionState, SettledBy
from caveat.contracts.report import Report
from caveat.rendering import words
from caveat.rendering.edition import Edition
from caveat.rendering.gist import describe_ruling
from caveat.rendering.html.document import render_document as html
from caveat.rendering.markdown import render
from caveat.rules.report import state_sides
from tests.fakes.reports import AWAITED, FIGURES, a_disputed_report


@pytest.fixture
def report() -> Report:
    """A report whose answer lists figures of one of its sections."""
    made = a_disputed_report(AWAITED)
    figures = FIGURES[:4]
    silent = made.reasoner.model_copy(update={"uses_language_model": False})
    sides = tuple(
        side.model_copy(update={"claim": figure.claim_id, "value": figure.value})
        for side, figure in zip(AWAITED.sides, figures, strict=False)
    )
    asked = AWAITED.model_copy(update={"sides": sides})
    changes = {"stated": figures, "contradictions": (asked,), "disputed": (asked.id,)}
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
    assert all(figure.value in shown for figure in report.stated)
    assert shown.count("Ranked by words") == 1


@RENDERED
def test_a_summary_that_nothing_fills_says_so(
    rendered: Callable[[Report], str], report: Report
) -> None:
    assert words.NO_SUMMARY not in rendered(report)
    assert words.NO_SUMMARY in rendered(report.model_copy(update={"summary": ""}))


def test_a_ruling_names_a_side_by_the_range_of_its_sources(report: Report) -> None:
    (asked,) = state_sides(report.contradictions, report.claims)
    assert isinstance(asked, Contradiction)
    ruled = asked.model_copy(
        update={
            "state": ContradictionState.RESOLVED,
            "settled_by": SettledBy.PERSON,
            "decided_by": "Ada",
            "ruling": "a",
        }
    )
    told = describe_ruling(Edition(report), ruled)
    assert "A (67.4 to 67.9 km/s/Mpc, 2 sources) [1][7] holds" in told

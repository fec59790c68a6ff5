"""A report that a model wrote: its answer once, then what is disputed, quotes in an appendix."""

import re
from typing import Any

import pytest

from caveat.contracts.claim import ClaimState
from caveat.contracts.report import Report
from caveat.contracts.synthesis import (
    MissingPart,
    ReadSentence,
    Support,
    Verdict,
    Verification,
    Weighing,
)
from caveat.rendering.edition import Edition
from caveat.rendering.html import document
from caveat.rendering.markdown import render
from caveat.rules.report import derived
from caveat.rules.text import pieces
from tests.fakes.reports import a_disputed_report, a_report


def written(given: Report | None = None, **changes: Any) -> Report:
    report = (given or a_report()).model_copy(update={"verdict": Verdict.ANSWERED, **changes})
    read = tuple(
        ReadSentence(
            text=each.text, claims=tuple(dict.fromkeys(each.cited)), support=Support.SUPPORTED
        )
        for piece in pieces(report)
        for each in piece.sentences
    )
    return derived(report.model_copy(update={"verification": Verification(read=read)}))


def headings(markdown: str) -> list[str]:
    return [line[3:] for line in markdown.splitlines() if line.startswith("## ")]


def test_the_answer_stands_once_and_disputes_come_next() -> None:
    markdown = render(written(a_disputed_report()))
    assert headings(markdown)[:2] == ["Answer", "What is disputed"]
    assert "Executive summary" not in markdown
    assert markdown.count("Stars at the tip of the red giant branch stand between them") == 1


def test_a_quote_stands_once_in_the_prose_or_in_the_appendix() -> None:
    report = written()
    before, _, behind = render(report).replace("\\", "").partition("## Appendix: what the sources")
    assert "In the words of the sources" not in before
    appended = behind.partition("## ")[0]
    cited = {name for section in report.sections for name in section.claims}
    for claim in report.claims:
        if claim.id in cited:
            words = claim.quote.rstrip(".")
            assert (words in before) != (words in appended), claim.quote


def test_a_contested_statement_has_one_mark() -> None:
    markdown = render(written(a_disputed_report()))
    assert "contested: see" not in markdown
    for sentence in re.split(r"(?<=\.)\s", markdown):
        assert sentence.count("(#contradiction-1))") <= 1, sentence


def test_why_it_is_sure_stands_in_words_at_the_top() -> None:
    report = written()
    top = render(report).partition("## Answer")[0]
    assert f"**Confidence.** {report.confidence.reasons[0]}" not in top  # it begins with a word
    assert re.search(r"\*\*Confidence\.\*\* (High|Moderate|Low|Very low): ", top)
    assert "every sentence was verified" in top
    assert "every sentence was verified" in document(report)


def test_what_is_missing_and_what_speaks_for_a_side_are_said() -> None:
    disputed = a_disputed_report()
    name = disputed.contradictions[0].claims[0]
    weighing = Weighing(
        contradiction_id=disputed.contradictions[0].id, side="a", text=f"It is newer [{name}]."
    )
    report = written(
        disputed, weighings=(weighing,), missing=(MissingPart(part="why they differ"),)
    )
    for text in (render(report), document(report)):
        assert "why they differ" in text
        assert "It is newer" in text


def dated(*texts: str, **changes: Any) -> Report:
    """A report whose claims say these texts, and whose answer cites them all."""
    first = a_report().claims[0]
    claims = tuple(
        first.model_copy(update={"id": f"c{at}", "text": text, **changes})
        for at, text in enumerate(texts, start=1)
    )
    summary = " ".join(f"It is so [{claim.id}]." for claim in claims)
    return a_report().model_copy(
        update={"claims": claims, "summary": summary, "contradictions": ()}
    )


EVENTS = (
    "Trial operation began on 4 March 2024.",
    "The trial was signed off on Monday 18 March 2024.",
    "Block C was allowed to start again on 14 October 2024.",
)


def test_a_timeline_has_what_a_claim_says_of_that_day() -> None:
    no_events = (
        "The final report replaces note 2024/31 of 21 June 2024.",
        "until 30 June 2024 400 MW",
        "The plant ran from 1 July 2024.",
        "According to the Gazette that appeared on 14 November 2024, the plant is open.",
        "On 2 May 2024 it was told of the fire of 1 May 2024.",
    )
    shown = Edition(dated(*EVENTS, *no_events)).timeline
    assert [each.written for each in shown] == ["4 March 2024", "18 March 2024", "14 October 2024"]


@pytest.mark.parametrize("state", set(ClaimState) - {ClaimState.ACCEPTED})
def test_no_side_of_a_contradiction_stands_in_a_timeline(state: ClaimState) -> None:
    assert Edition(dated(*EVENTS)).timeline
    assert not Edition(dated(*EVENTS, state=state)).timeline


def test_a_source_that_is_not_cited_is_called_that() -> None:
    report = written()
    shelf = render(report).partition("### Read, not cited")[2].partition("###")[0]
    assert shelf.strip()
    assert "Reason:" not in shelf

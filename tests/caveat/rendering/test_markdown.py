"""Markdown shows what sources say and runs nothing of it."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from caveat.contracts.claim import ClaimState
from caveat.contracts.report import Gap, Remedy, Report, ReportStatus, Revision
from caveat.rendering import words
from caveat.rendering.markdown import escaped, render
from tests.fakes.reports import FAILURES, a_report

PARSER = MarkdownIt("commonmark").enable("table")
EVIL = (
    "](javascript:alert(1)) <script>alert(1)</script> ![x](http://e.example/x.png) `a` | *b* "
    "[c1] &lt; <http://e.example> # 1. \\"
)


def _tokens(markdown: str) -> list[Token]:
    found = []
    for token in PARSER.parse(markdown):
        found += [token, *(token.children or [])]
    return found


def _dangers(markdown: str) -> list[str]:
    """Everything in a document that a report may not hold."""
    dangers = []
    for token in _tokens(markdown):
        if token.type in {"image", "html_inline", "html_block", "code_inline", "fence"} and (
            not re.fullmatch(r'<a id="[a-z0-9-]+">|</a>', token.content)
        ):
            dangers.append(f"{token.type}: {token.content}")
        href = str(token.attrs.get("href", "#"))
        if not href.startswith(("#", "https://", "http://")):
            dangers.append(href)
    return dangers


def _doctored(text: str) -> Report:
    report = a_report()
    first, *others = report.sections
    figures = [f.model_copy(update={"label": text}) for f in first.figures]
    section = first.model_copy(
        update={
            "title": text,
            "question": text,
            "summary": f"{first.summary}\n\n{text}",
            "figures": tuple(figures),
        }
    )
    sources = [
        source.model_copy(update={"title": text, "url": text, "copies": (text,)})
        for source in report.sources
    ]
    claims = [c.model_copy(update={"quote": text or "-", "location": text}) for c in report.claims]
    return a_report(
        topic=text,
        sections=(section, *others),
        sources=tuple(sources),
        claims=tuple(claims),
        gaps=(Gap(area=text, reason=text),),
    )


def test_a_report_has_its_parts_in_order() -> None:
    titles = re.findall(r"^## (.*)$", render(a_report()), re.MULTILINE)
    assert titles[0:2] == ["Contents", "Executive summary"]
    assert titles[2].startswith("1. The early universe")
    assert titles[8:] == [
        "Contradictions",
        "Evidence gaps",
        "Data limitations",
        "Sources",
        "Confidence assessment",
        "About this run",
    ]


def test_every_internal_link_has_its_anchor() -> None:
    markdown = render(a_report())
    targets = set(re.findall(r"\]\(#([a-z0-9-]+)\)", markdown))
    anchors = re.findall(r'<a id="([a-z0-9-]+)"></a>', markdown)
    assert targets <= set(anchors)
    assert len(anchors) == len(set(anchors))
    assert {"source-1", "section-6", "sources"} <= targets


def test_markers_become_numbered_links_with_their_place() -> None:
    markdown = render(a_report())
    assert not re.search(r"\[c\d+\]", markdown)
    assert "67.4 ± 0.5 km/s/Mpc [1, § Abstract](#source-1)" in markdown
    assert "[2, p. 1](#source-2)" in markdown
    assert "69.8 ± 0.8 km/s/Mpc [3](#source-3)." in markdown


def test_the_same_citation_twice_in_a_row_is_one() -> None:
    markdown = render(a_report(summary="One. [c5][c6] Two. [c5] [c8]"))
    assert "One. [2, p. 1](#source-2) Two. [2, p. 1](#source-2) , [3]" not in markdown
    assert "One. [2, p. 1](#source-2) Two." in markdown


def test_contested_claims_are_marked() -> None:
    report = a_report()
    first, *others = report.claims
    contested = first.model_copy(update={"state": ClaimState.CONTESTED})
    markdown = render(a_report(claims=(contested, *others)))
    assert "[1, § Abstract, contested](#source-1)" in markdown


def test_a_paraphrased_claim_is_quoted_and_a_quoted_one_is_not_repeated() -> None:
    markdown = render(a_report())
    assert "> “The result rests on a model of the early universe" in markdown
    assert markdown.count("ACT alone gives") == 1


def test_what_is_missing_is_said() -> None:
    report = a_report()
    first, *others = report.sections
    empty = first.model_copy(update={"summary": "", "claims": (), "figures": ()})
    markdown = render(
        a_report(
            sections=(empty, *others),
            gaps=(),
            limitations=(),
            failures=(),
            status=ReportStatus.PROVISIONAL,
        )
    )
    assert "No passage was found for this angle." in markdown
    assert "No two claims of different sources were found to contradict" in markdown
    assert "Every search found sources" in markdown
    assert "Nothing failed" in markdown
    assert "Provisional report" in markdown


def test_what_became_of_each_failure_is_said() -> None:
    first, second = FAILURES
    failed = (
        first,
        second.model_copy(update={"remedy": Remedy.LATER, "recovered": True}),
        second.model_copy(update={"remedy": Remedy.ALTERNATIVE}),
        second.model_copy(update={"attempts": 0}),
    )
    rows = [line for line in render(a_report(failures=failed)).splitlines() if "a5-read-3" in line]
    assert [row.rsplit(" | ", 2)[1:] for row in rows] == [
        ["4", "made good: tried again later |"],
        ["4", "another source or query was tried, in vain |"],
        ["not started", "– |"],
    ]


@pytest.mark.parametrize("remedy", [None, *Remedy])
def test_every_remedy_has_its_words(remedy: Remedy | None) -> None:
    failed = FAILURES[0].model_copy(update={"remedy": remedy, "recovered": True})
    assert words.aftermath(failed).startswith("made good")


def test_a_revision_says_what_it_revises_before_anything_else() -> None:
    revision = Revision(of="research-1", changes=("2 claims are *new*.", "It is surer."))
    markdown = render(a_report(revision=revision))
    assert "**A revision of research-1; what has changed:**" in markdown
    assert "- 2 claims are \\*new\\*.\n- It is surer." in markdown
    assert markdown.index("A revision of") < markdown.index("## Contents")


def test_a_revision_that_changes_nothing_says_so() -> None:
    markdown = render(a_report(revision=Revision(of="research-1", changes=())))
    assert "A revision of research-1; nothing has changed." in markdown


def test_sources_are_told_apart_by_how_they_were_used() -> None:
    markdown = render(a_report())
    uncited, aside = markdown.index("### Read, not cited"), markdown.index("### Set aside")
    assert markdown.index("**10.**") < uncited < markdown.index("DESI 2024") < aside
    assert "Reason: below the bar of 0.30." in markdown[aside:]
    assert "peer-reviewed +0.52" in markdown


def test_the_plain_report_is_harmless() -> None:
    assert _dangers(render(a_report())) == []


def test_hostile_text_is_shown_and_not_run() -> None:
    markdown = render(_doctored(EVIL))
    assert _dangers(markdown) == []
    heading = next(t for t in _tokens(markdown) if t.type == "inline")
    shown = "".join(child.content for child in heading.children or [])
    assert shown == EVIL


@settings(max_examples=30, deadline=None)
@given(st.text(alphabet="ab1.c)(]![<>`*_|\\#-+=~&;:/\n \thpsj", min_size=1, max_size=40))
def test_no_text_is_dangerous(text: str) -> None:
    assert _dangers(render(_doctored(text))) == []


@given(st.text(alphabet="ab1.c)(]![<>`*_|\\#-+=~&;:/ ", min_size=1, max_size=40))
def test_escaped_text_is_shown_as_it_is(text: str) -> None:
    inline = [t for t in PARSER.parse(escaped(text)) if t.type == "inline"]
    shown = "".join(child.content for token in inline for child in token.children or [])
    assert shown == " ".join(text.split())

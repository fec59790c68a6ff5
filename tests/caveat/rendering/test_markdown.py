"""Markdown shows what sources say and runs nothing of it."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from caveat.contracts.contradiction import Contradiction, ContradictionState, LadderStep, SettledBy
from caveat.contracts.envelope import AgentType
from caveat.contracts.report import Gap, Report
from caveat.contracts.source import CredibilityFactor, SourceKind
from caveat.rendering import words
from caveat.rendering.markdown import escape_markdown, render, render_part
from tests.fakes.reports import (
    AWAITED,
    BOTH_HOLD,
    DEBATE,
    FAILURES,
    NOBODY_CAME,
    RUN,
    a_disputed_report,
    a_report,
)

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
            not re.fullmatch(
                r'<a id="[a-z0-9-]+">|</a>|</?details>\n?|caveat rule .*',
                re.sub("<summary>[^<]*</summary>", "", token.content),
            )
        ):
            dangers.append(f"{token.type}: {token.content}")
        href = str(token.attrs.get("href", "#"))
        if not href.startswith(("#", "https://", "http://")):
            dangers.append(href)
    return dangers


def _doctored(text: str) -> Report:
    report = a_report()
    first, *others = report.sections
    section = first.model_copy(
        update={"title": text, "question": text, "summary": f"{first.summary}\n\n{text}"}
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


@pytest.mark.parametrize(
    ("report", "named"),
    [(a_report(), {"source-1"}), (a_disputed_report(), {"contradiction-1", "debate"})],
    ids=["plain", "disputed"],
)
def test_every_internal_link_has_its_anchor(report: Report, named: set[str]) -> None:
    markdown = render(report)
    targets = set(re.findall(r"\]\(#([a-z0-9-]+)\)", markdown))
    anchors = re.findall(r'<a id="([a-z0-9-]+)"></a>', markdown)
    assert named <= targets <= set(anchors)
    assert len(anchors) == len(set(anchors))


def _part(markdown: str, title: str) -> str:
    """One part of a document, from its heading to the next of the same level."""
    return markdown.split(f"\n## {title}\n")[1].split("\n## ", maxsplit=1)[0]


def _contradiction(report: Report, number: int) -> str:
    return _part(render(report), "Contradictions").split('<a id="contradiction-')[number]


def test_an_open_contradiction_says_until_when_and_how_to_answer() -> None:
    assert "Open: awaits a person until 14 March 2026, 15:20 UTC." in _contradiction(
        a_disputed_report(), 1
    )
    command = f"`caveat rule {RUN}/contradiction-1 a|b|both|neither --because TEXT`"
    asked = [AWAITED.model_copy(update={"id": f"contradiction-{n}"}) for n in (1, 2)]
    shown = _part(render(a_disputed_report(*asked, NOBODY_CAME)), "Contradictions")
    assert shown.count(command) == 1
    assert shown.count("Open: awaits a person until 14 March 2026, 15:20 UTC (1 and 2).") == 1


@pytest.mark.parametrize(
    ("choice", "standings"),
    [
        ("a", ["holds", "overruled, not used"]),
        ("b", ["overruled, not used", "holds"]),
        ("neither", ["overruled, not used", "overruled, not used"]),
    ],
)
def test_every_ruling_says_what_became_of_each_side(choice: str, standings: list[str]) -> None:
    ruled = BOTH_HOLD.model_copy(update={"ruling": choice})
    shown = _contradiction(a_disputed_report(ruled), 1)
    assert re.findall(r"\*\(([^)]*)\)\*:", shown) == standings


def test_a_report_whose_claims_were_not_compared_says_so() -> None:
    lost = FAILURES[0].model_copy(update={"agent_type": AgentType.DETECTOR})
    assert words.NOT_COMPARED in render(a_report(failures=(lost,)))
    good = lost.model_copy(update={"recovered": True})
    assert "No contradiction was seen." in render(a_report(failures=(good,)))


def test_hostile_words_in_contradictions_and_remarks_are_shown_and_not_run() -> None:
    def doctored(each: Contradiction) -> Contradiction:
        step = LadderStep(rung=SettledBy.PERSON, settled=True, reason=EVIL)
        settled = each.state is ContradictionState.RESOLVED
        return each.model_copy(
            update={
                "about": EVIL,
                "reason": EVIL,
                "decided_by": EVIL if settled else None,
                "steps": (step,),
                "arbitration": f"`` {EVIL}",
            }
        )

    report = a_disputed_report(*map(doctored, (AWAITED, BOTH_HOLD, NOBODY_CAME)))
    remarks = tuple(each.model_copy(update={"text": EVIL}) for each in DEBATE.challenges)
    debate = DEBATE.model_copy(update={"challenges": remarks})
    assert _dangers(render(report.model_copy(update={"debate": debate}))) == []


def test_hostile_text_is_shown_and_not_run() -> None:
    markdown = render(_doctored(EVIL))
    assert _dangers(markdown) == []
    front_matter, _, document = markdown.partition("\n---\n")
    assert front_matter.startswith("---\ngenerator: Caveat\n")
    heading = next(t for t in _tokens(document) if t.type == "inline")
    shown = "".join(child.content for child in heading.children or [])
    assert shown == EVIL


@settings(max_examples=30, deadline=None)
@given(st.text(alphabet="ab1.c)(]![<>`*_|\\#-+=~&;:/\n \thpsj", min_size=1, max_size=40))
def test_no_text_is_dangerous(text: str) -> None:
    assert _dangers(render(_doctored(text))) == []


@given(st.text(alphabet="ab1.c)(]![<>`*_|\\#-+=~&;:/ ", min_size=1, max_size=40))
def test_escaped_text_is_shown_as_it_is(text: str) -> None:
    inline = [t for t in PARSER.parse(escape_markdown(text)) if t.type == "inline"]
    shown = "".join(child.content for token in inline for child in token.children or [])
    assert shown == " ".join(text.split())


def test_a_document_that_says_nothing_of_its_kind_is_not_said_to() -> None:
    unknown, blog = (
        CredibilityFactor(reason=f"kind: {kind}", amount=0.1, self_stated=True)
        for kind in (SourceKind.UNKNOWN, SourceKind.BLOG)
    )
    assert words.describe_factors((unknown,)) == "kind: unknown +0.10"
    assert words.describe_factors((blog,)) == "kind: blog (says the document itself) +0.10"


def test_a_part_is_found_by_its_number_its_title_and_its_heading() -> None:
    report = a_report()
    title = report.sections[0].title
    first, *same = (render_part(report, name) for name in ("1", title, f"1. {title}"))
    assert first
    assert same == [first, first]
    assert render_part(report, "") is None

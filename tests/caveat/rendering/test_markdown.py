"""Markdown shows what sources say and runs nothing of it."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from caveat.contracts.contradiction import Contradiction, ContradictionState, LadderStep, SettledBy
from caveat.contracts.envelope import AgentType
from caveat.contracts.report import Effort, Gap, Remedy, Report, ReportStatus, Revision
from caveat.contracts.source import CredibilityFactor, SourceKind
from caveat.rendering import words
from caveat.rendering.markdown import escape_markdown, render
from caveat.rules.report import DIRECT
from caveat.rules.text import prose
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


def test_a_report_has_its_parts_in_order() -> None:
    titles = re.findall(r"^## (.*)$", render(a_report(debate=None)), re.MULTILINE)
    assert titles[0:3] == ["Answer", "Executive summary", "Contradictions"]
    assert titles[3].startswith("1. The early universe")
    assert titles[9:] == ["Evidence gaps", "Data limitations", "Sources", "Appendix"]


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


def test_markers_become_numbered_links_with_their_place() -> None:
    markdown = render(a_report())
    assert not re.search(r"\[c\d+\]", markdown)
    assert "67.4 ± 0.5 km/s/Mpc [1, § Abstract](#source-1)" in markdown
    assert "[2, p. 1](#source-2)" in markdown
    assert "69.8 ± 0.8 km/s/Mpc [3](#source-3)." in markdown


def _part(markdown: str, title: str) -> str:
    """One part of a document, from its heading to the next of the same level."""
    return markdown.split(f"\n## {title}\n")[1].split("\n## ", maxsplit=1)[0]


def _contradiction(report: Report, number: int) -> str:
    return _part(render(report), "Contradictions").split('<a id="contradiction-')[number]


def test_contested_claims_lead_to_their_contradiction() -> None:
    markdown = render(a_disputed_report())
    mark = "([disputed: 1](#contradiction-1))"
    assert f"67.4 ± 0.5 km/s/Mpc [1, § Abstract](#source-1) {mark}. The local ladder" in markdown
    assert f"uncertainties included.” [2, p. 1](#source-2) {mark}" in _part(
        markdown, "5. Methods without a ladder"
    )
    assert "[contradiction-" not in markdown.replace("](#contradiction-", "")


def test_citations_in_a_row_say_once_what_contests_them() -> None:
    report = a_disputed_report()
    row = "One [c1][contradiction-1][c3][contradiction-1] and [c11][contradiction-2][c8]."
    markdown = render(report.model_copy(update={"summary": row}))
    assert (
        "One [1, § Abstract](#source-1), [7, p. 3](#source-7) "
        "([disputed: 1](#contradiction-1)) and "
    ) in markdown
    assert "[3](#source-3) ([settled: 2](#contradiction-2))." in markdown


def test_both_sides_of_a_contradiction_stand_in_full() -> None:
    shown = _contradiction(a_disputed_report(), 1)
    for words_of_it in (
        "Assuming the base ΛCDM cosmology, the Hubble constant inferred from Planck is H0 = 67.4",
        "The baseline result of the SH0ES analysis is 73.04 ± 1.04 km/s/Mpc, systematic",
        "- **A**: Planck 2018 results",
        "Cosmological parameters, 11 September 2020 [1, § Abstract](#source-1); also [7, p. 3]",
        "20 July 2022 [2, p. 1](#source-2): “The baseline result",
    ):
        assert words_of_it in shown, words_of_it


def test_an_open_contradiction_says_until_when_and_how_to_answer() -> None:
    assert "Open: awaits a person until 14 March 2026, 15:20 UTC." in _contradiction(
        a_disputed_report(), 1
    )
    command = f"`caveat rule {RUN}/contradiction-1 a|b|both|neither --because TEXT`"
    asked = [AWAITED.model_copy(update={"id": f"contradiction-{n}"}) for n in (1, 2)]
    shown = _part(render(a_disputed_report(*asked, NOBODY_CAME)), "Contradictions")
    assert shown.count(command) == 1
    assert shown.count("Open: awaits a person until 14 March 2026, 15:20 UTC (1 and 2).") == 1


def test_a_ruling_is_said_with_its_person_and_reason() -> None:
    shown = _contradiction(a_disputed_report(), 2)
    assert "09:24 UTC. Their reason: “The second drops" in shown
    assert shown.count("*(holds in its own scope)*") == 2
    assert "caveat rule" not in _part(render(a_disputed_report(BOTH_HOLD)), "Contradictions")


def test_what_nobody_settled_asks_for_review() -> None:
    assert "Nobody could settle it: it needs review by a person." in _contradiction(
        a_disputed_report(), 3
    )
    shown = _part(render(a_disputed_report(NOBODY_CAME)), "Contradictions")
    assert shown.count("*(uncertain, not used)*") == 2
    assert f"To rule, by number, late and in a revision: `caveat rule {RUN}/" in shown


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


def test_a_contradiction_that_nobody_is_asked_about_has_no_command() -> None:
    unasked = AWAITED.model_copy(update={"arbitration": None, "deadline": None})
    shown = _part(render(a_disputed_report(unasked)), "Contradictions")
    assert "Open: nobody was asked." in shown
    assert "caveat rule" not in shown


def test_a_report_whose_claims_were_not_compared_says_so() -> None:
    lost = FAILURES[0].model_copy(update={"agent_type": AgentType.DETECTOR})
    assert words.NOT_COMPARED in render(a_report(failures=(lost,)))
    good = lost.model_copy(update={"recovered": True})
    assert "No contradiction was seen." in render(a_report(failures=(good,)))


def test_the_debate_stands_with_its_claims_and_says_who_was_missing() -> None:
    markdown = render(a_disputed_report())
    debate = _part(markdown, "Debate")
    assert "The advocate and the sceptic examined the claims." in debate
    assert "What the methodologist would have said is missing." in debate
    assert "  - *Sceptic, against:* Another source states another value, and is newer. [2" in debate
    assert debate.index("Early dark energy") < debate.index("Water masers")
    assert "*[1 of its claims was challenged in the debate.](#debate)*" in markdown


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


def test_what_is_missing_is_said() -> None:
    report = a_report()
    first, *others = report.sections
    unused = first.model_copy(update={"summary": "", "claims": (), "figures": ()})
    assert words.NONE_USED in render(a_report(sections=(unused, *others)))
    empty = unused.model_copy(update={"effort": Effort(attempted=1)})
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
    assert "The language model compared" in markdown
    assert "## Evidence gaps" not in markdown
    assert "## Data limitations" not in markdown
    assert "Provisional report" in markdown


def test_what_became_of_each_failure_is_said() -> None:
    first, second = FAILURES
    failed = (
        first,
        second.model_copy(update={"remedy": Remedy.LATER, "recovered": True}),
        second.model_copy(update={"remedy": Remedy.ALTERNATIVE}),
        second.model_copy(update={"attempts": 0}),
        *(first.model_copy(update={"remedy": each, "recovered": True}) for each in (None, *Remedy)),
    )
    assert all(words.describe_remedy(each).startswith("made good") for each in failed[4:])
    lines = render(a_report(failures=failed)).splitlines()
    rows = [line for line in lines if line.startswith("| ") and second.task_description in line]
    assert [row.rsplit(" | ", 2)[1:] for row in rows] == [
        ["4", "made good: tried again later |"],
        ["4", "another source or query was tried, in vain |"],
        ["not started", "– |"],
    ]


def test_a_revision_says_what_it_revises_before_anything_else() -> None:
    revision = Revision(of="research-1", changes=("2 claims are *new*.", "It is surer."))
    markdown = render(a_report(revision=revision))
    assert "**A revision of research-1; what has changed:**" in markdown
    assert "- 2 claims are \\*new\\*.\n- It is surer." in markdown
    assert markdown.index("A revision of") < markdown.index("## Answer")
    assert words.describe_revision(revision.model_copy(update={"changes": ()})).endswith(
        "has changed."
    )


def test_what_a_report_opens_with_is_not_repeated_below() -> None:
    report = a_report()
    first, *others = report.sections
    shown = report.model_copy(
        update={
            "answer": "- It is so [c1].",
            "summary": "- It is so [c1].",
            "sections": (
                first.model_copy(
                    update={"title": DIRECT, "summary": "- It is so [c1].\n- That is new [c2]."}
                ),
                *others,
            ),
        }
    )
    markdown = render(shown)
    assert "## Executive summary" not in markdown
    assert markdown.count("It is so") == 1
    further = _part(markdown, f"1. {DIRECT}")
    assert further.index("<summary>Further passages</summary>") < further.index("That is new")


def test_who_else_states_it_stands_in_a_table() -> None:
    report = a_report()
    first, *others = report.sections
    claims = report.claims[:2]
    items = "\n".join(f"- “{prose.escape_text(each.quote)}” [{each.id}]" for each in claims)
    direct = first.model_copy(update={"title": DIRECT, "summary": items})
    shown = report.model_copy(update={"sections": (direct, *others), "answer": "", "summary": ""})
    further = _part(render(shown), f"1. {DIRECT}")
    assert "| Document | Passage | Place |" in further
    assert sum(line.startswith("| ") for line in further.splitlines()) == 2 + len(claims)


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

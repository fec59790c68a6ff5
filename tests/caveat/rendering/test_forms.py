"""Markdown, HTML, gist and table show what sources say, once, and run nothing of it."""

import csv
import datetime as dt
import io
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from caveat.adapters.files.typst.compositor import build_document as printed_document
from caveat.adapters.files.typst.compositor import compose
from caveat.contracts.contradiction import Contradiction, ContradictionState, LadderStep, SettledBy
from caveat.contracts.envelope import AgentType
from caveat.contracts.report import Gap, Report
from caveat.contracts.source import CredibilityFactor, Precision, SourceKind
from caveat.contracts.synthesis import (
    Calculation,
    Figure,
    Operand,
    ReadSentence,
    Support,
    Verdict,
    Verification,
    Weighing,
)
from caveat.rendering import words
from caveat.rendering.bibliography import render_bibtex
from caveat.rendering.edition import Edition
from caveat.rendering.gist import build_dispute, build_gist
from caveat.rendering.html.document import render_body, render_document
from caveat.rendering.layout import Side, build_sides
from caveat.rendering.links import Links
from caveat.rendering.markdown import render, render_documents, render_part
from caveat.rendering.table import build_table, render_csv
from caveat.rendering.visible import escape_markdown
from caveat.rendering.words import ONE_SOURCE, name_title, name_voice
from caveat.rules.report.answering import DIRECT
from caveat.rules.report.assembly import derive_report
from caveat.rules.sources.own_reports import is_own_report
from caveat.rules.text.citations import list_marked_ids, list_pieces
from tests.fakes.reports import (
    AWAITED,
    BOTH_HOLD,
    DEBATE,
    FAILURES,
    NOBODY_CAME,
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


def test_an_open_contradiction_says_until_when() -> None:
    assert "Open: awaits a person until 14 March 2026, 15:20 UTC." in _contradiction(
        a_disputed_report(), 1
    )


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


@example(EVIL)
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
    assert words.describe_factor(unknown) == "kind: unknown +0.10"
    assert words.describe_factor(blog) == "kind: blog (says the document itself) +0.10"


HOSTILE = "</mark><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\" onclick='x'"


class Seen(HTMLParser):
    """The elements, attributes and text of a document."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def values(self, name: str) -> list[str]:
        return [value or "" for each, value in self.attributes if each == name]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@pytest.fixture
def report() -> Report:
    return a_report()


def test_every_link_inside_the_file_and_every_citation_leads_to_one_place(report: Report) -> None:
    seen = Seen(render_document(report))
    inside = {each[1:] for each in seen.values("href") if each.startswith("#")}
    names = seen.values("id")
    assert any(each.startswith("quote-") for each in inside)
    assert inside <= set(names)
    assert len(names) == len(set(names))


def test_in_the_page_citations_lead_to_the_quote_in_its_source(report: Report) -> None:
    shown = str(render_body(report, Links("/runs/r")))
    claim = next(each for each in report.claims if f'/{each.id}"' in shown)
    assert f'href="/runs/r/sources/{claim.source_id}/{claim.id}"' in shown
    assert "#quote-" not in shown


def test_it_fetches_nothing_and_runs_nothing(report: Report) -> None:
    seen = Seen(render_document(report))
    assert not {"script", "iframe", "img", "link", "object", "embed", "base"} & set(seen.tags)
    assert not [name for name, _ in seen.attributes if name.startswith("on") or name == "style"]
    assert "default-src 'none'" in " ".join(seen.values("content"))


def test_words_of_a_source_are_words(report: Report) -> None:
    claims = tuple(
        each.model_copy(update={"quote": HOSTILE, "text": HOSTILE, "location": HOSTILE})
        for each in report.claims
    )
    sources = tuple(
        each.model_copy(update={"title": HOSTILE, "url": "javascript:alert(1)", "path": HOSTILE})
        for each in report.sources
    )
    changed = report.model_copy(update={"claims": claims, "sources": sources, "topic": HOSTILE})
    shown = render_document(changed)
    seen = Seen(shown)
    assert "script" not in seen.tags
    assert "img" not in seen.tags
    assert not [name for name, _ in seen.attributes if name.startswith("on")]
    assert not [each for each in seen.values("href") if each.startswith("javascript")]
    assert "\u202e" not in shown
    assert "<script>alert(1)</script>" in seen.text


def written(given: Report | None = None, **changes: Any) -> Report:
    report = (given or a_report()).model_copy(update={"verdict": Verdict.ANSWERED, **changes})
    read = tuple(
        ReadSentence(
            text=each.text, claims=tuple(dict.fromkeys(each.cited)), support=Support.SUPPORTED
        )
        for piece in list_pieces(report)
        for each in piece.sentences
    )
    return derive_report(report.model_copy(update={"verification": Verification(read=read)}))


def test_every_quote_that_the_prose_cites_stands_in_the_appendix() -> None:
    report = written()
    appendix = render(report).replace("\\", "").partition("Quotes that the prose")[2]
    cited = {name for piece in list_pieces(report) for name in list_marked_ids(piece.markdown)}
    assert cited
    for claim in report.claims:
        assert (claim.quote in appendix.partition("</details>")[0]) == (claim.id in cited)


def dated(*texts: str, **changes: Any) -> Report:
    """A report whose claims say these texts, and whose answer cites them all."""
    first = a_report().claims[0]
    claims = tuple(
        first.model_copy(update={"id": f"c{at}", "text": text, "quote": text, **changes})
        for at, text in enumerate(texts, start=1)
    )
    summary = " ".join(f"It is so [{claim.id}]." for claim in claims)
    return a_report().model_copy(
        update={
            "verdict": Verdict.ANSWERED,
            "claims": claims,
            "summary": summary,
            "contradictions": (),
        }
    )


def test_a_computed_number_is_shown_with_what_it_comes_from() -> None:
    operands = tuple(
        Operand(name=name, claim_id="c1", value=value) for name, value in (("a", "12"), ("b", "9"))
    )
    made = Calculation(expression="(a - b) / b", operands=operands, result="33 per cent")
    even = made.model_copy(update={"expression": "a / b * 12", "result": "sixteen eggs"})
    unused = made.model_copy(update={"result": "a third"})
    report = dated("It fell.", quote="It fell from 12 to 9.").model_copy(
        update={
            "summary": "It fell by 33 per cent, sixteen a day [c1].",
            "calculations": (made, even, unused),
        }
    )
    markdown = render(report)
    assert "**sixteen eggs**: 12 ÷ 9 × 12 [" in markdown
    assert "**33 per cent**: (12 − 9) ÷ 9 [" in markdown
    assert "a third" not in markdown


def test_a_pdf_holds_what_markdown_and_html_hold() -> None:
    disputed = a_disputed_report()
    dispute = next(each for each in disputed.contradictions if each.ruling is None)
    weighing = Weighing(
        contradiction_id=dispute.id, side="a", text=f"It is newer [{dispute.claims[0]}]."
    )
    report = written(disputed, weighings=(weighing,))
    printed = json.dumps(printed_document(report), ensure_ascii=False)
    assert "It is newer" in printed
    quotes = [claim.quote for claim in Edition(report).quoted]
    assert quotes
    assert all(json.dumps(each, ensure_ascii=False)[1:-1] in printed for each in quotes)
    assert compose(report).startswith(b"%PDF")


def _of_values(given: Report, values: list[str]) -> list[Side]:
    dispute = given.contradictions[0]
    pairs = zip(dispute.sides, values, strict=True)
    sides = tuple(side.model_copy(update={"value": value}) for side, value in pairs)
    return [*build_sides(Edition(given), dispute.model_copy(update={"sides": sides}))]


def test_a_value_that_is_its_quote_stands_once_and_one_that_begins_it_has_its_place() -> None:
    given = a_disputed_report()
    dispute = given.contradictions[0]
    quotes = [Edition(given).claims[name].quote for name in dispute.claims]
    for values in (quotes, [f"{quote[:40]}…" for quote in quotes]):
        shown = _of_values(given, values)
        assert [side.value for side in shown] == ["", ""]
    begun = [quote.split()[0] for quote in quotes]
    assert [side.value for side in _of_values(given, begun)] == begun


@pytest.mark.parametrize(
    ("author", "voice"),
    [
        ("Adam Riess", "Adam Riess 2022"),  # alone, nobody can tell it from a body's
        ("E. Di Valentino", "Di Valentino 2022"),
        ("Saltreach Tide Authority", "Saltreach Tide Authority 2022"),
        ("Adam G. Riess", "Riess 2022"),
        ("Ruderverein e.V.", "Ruderverein e.V. 2022"),
        ("Ruderverein e. V.", "Ruderverein e. V. 2022"),
    ],
)
def test_a_person_is_called_by_surname_and_a_company_by_its_name(author: str, voice: str) -> None:
    source = a_report().sources[0]
    changed = source.model_copy(update={"authors": (author,), "published": dt.date(2022, 3, 1)})
    assert name_voice(changed) == voice


def test_sources_of_one_body_and_year_are_told_apart_by_their_titles() -> None:
    report = a_report()
    facts = {"authors": ("Norvik Harbour Council",), "published": dt.date(2026, 3, 1)}
    first, second = (each.model_copy(update=facts) for each in report.sources[:2])
    edition = Edition(report.model_copy(update={"sources": (first, second, *report.sources[2:])}))
    assert edition.voices[first.id] == name_title(first)
    assert edition.voices[first.id] != edition.voices[second.id]


def test_what_is_said_of_terms_is_said_of_the_place_that_is_shown() -> None:
    made = a_report()
    claim = made.claims[0].model_copy(update={"location": "Diary of a keeper › Values"})
    section = made.sections[0].model_copy(
        update={"title": DIRECT, "summary": f"- “{claim.quote}” [{claim.id}]"}
    )
    changes = {
        "topic": "How is a diary kept?",
        "claims": (claim, *made.claims[1:]),
        "sections": (section, *made.sections[1:]),
        "reasoner": made.reasoner.model_copy(update={"uses_language_model": False}),
    }
    report = derive_report(made.model_copy(update=changes))
    assert report.answered_because.startswith("No passage names “diary”, “kept”: ")
    answer = render(report).partition("## Answer")[2].partition("\n## ")[0]
    for shown in ("\n".join(build_gist(report).lines), answer):
        assert "§ Values" in shown
        assert "Diary" not in shown


def test_the_first_passage_has_the_most_words_and_all_that_is_said_of_them_is_shown() -> None:
    made = a_report()
    filled = [f"Filler {number}." for number in range(16)]
    claims = tuple(
        made.claims[0].model_copy(
            update={
                "id": f"c{number}",
                "quote": f"Survey {number} measured it.",
                # the lamp stands where a window of sixty words has ended
                "after": f" {' '.join(filled)} {' '.join(filled)} A lamp was lit.",
                "before": "",
            }
        )
        for number in range(1, 4)
    )
    quotes = "\n".join(f"- “{claim.quote}” [{claim.id}]" for claim in claims)
    section = made.sections[0].model_copy(update={"title": DIRECT, "summary": quotes})
    changes = {
        "topic": "Which survey lit a lamp?",
        "claims": claims,
        "sections": (section, *made.sections[1:]),
        "reasoner": made.reasoner.model_copy(update={"uses_language_model": False}),
        "contradictions": (),
    }
    report = derive_report(made.model_copy(update=changes))
    first, *others = (each for each in build_gist(report).answer if "Survey" in each)
    assert "A lamp was lit." in first
    assert len(others) == 2
    assert not any("lamp" in each for each in others)
    assert "Passage 1 names every term asked. Passage 2 names 1 of 3" in report.answered_because
    answer = render(report).partition("## Answer")[2].partition("\n## ")[0]
    assert answer.count("A lamp was lit.") == 1


def test_where_nothing_differs_it_is_said_what_was_compared() -> None:
    report = a_report()
    assert not report.contradictions
    compared = build_gist(report).compared
    by_model = f"The language model compared {len(report.claims)} claims."
    assert compared == f"No contradiction was seen. {by_model}"
    assert compared in build_gist(report).lines
    rules = report.reasoner.model_copy(update={"uses_language_model": False})
    by_rules = build_gist(report.model_copy(update={"reasoner": rules})).compared
    assert f"Caveat compared figures, dates and names in {len(report.claims)} " in by_rules
    alone = tuple(c for c in report.claims if c.source_id == report.claims[0].source_id)
    assert build_gist(report.model_copy(update={"claims": alone})).compared == ONE_SOURCE
    assert not build_gist(report.model_copy(update={"claims": ()})).compared
    assert not build_gist(a_disputed_report()).compared


def test_a_sentence_of_a_gist_cites_each_source_once() -> None:
    report = a_report().model_copy(update={"answer": "Three agree [c1][c2][c3][c1]."})
    (answer,) = build_gist(report).answer
    numbers = re.findall(r"\[\d+\]", answer)
    assert len(numbers) == len({*numbers}) > 1, answer


@pytest.mark.parametrize(
    ("values", "title"),
    [
        (("1968", "1972"), "The pool was opened, 1968 to 1972"),
        (("2 May 2024", "19 May 2024"), "The pool was opened, 2 or 19 May 2024"),
        (("2024-05-02", "2024-05-19"), "The pool was opened, 2024-05-02 or 2024-05-19"),
        (("11 Mitglieder", "7 Gäste"), "The pool was opened, 11 Mitglieder or 7 Gäste"),
    ],
)
def test_how_far_apart_values_are_is_said(values: tuple[str, str], title: str) -> None:
    report = a_disputed_report()
    found = report.contradictions[0]
    sides = tuple(
        side.model_copy(update={"value": value})
        for side, value in zip(found.sides, values, strict=True)
    )
    quotes = dict(zip((side.claim for side in sides), values, strict=True))
    claims = tuple(
        each.model_copy(update={"quote": f"It was opened on {quotes[each.id]}."})
        if each.id in quotes and " " in quotes[each.id]
        else each
        for each in report.claims
    )
    dated = {"about": "The pool was opened: one day in one, another there", "sides": sides}
    edition = Edition(report.model_copy(update={"claims": claims, "stated": ()}))
    dispute = build_dispute(edition, found.model_copy(update=dated))
    assert dispute.title.endswith(title)


def test_a_plot_stands_beside_the_dispute_of_its_values_alone() -> None:
    report = a_disputed_report()
    found = report.contradictions[0]
    values = [("c1", 73.0), ("c6", 67.0), ("c9", 70.0)]
    stated = [
        Figure(label="A", value=f"{number} m", number=number, unit="m", claim_id=name)
        for name, number in values
    ]
    edition = Edition(report.model_copy(update={"stated": tuple(stated)}))
    sides = [
        side.model_copy(update={"value": f"{n} m"})
        for side, n in zip(found.sides, (73, 67), strict=True)
    ]
    assert build_dispute(edition, found.model_copy(update={"sides": tuple(sides)})).plot
    sides[1] = sides[1].model_copy(update={"claim": "c7"})
    assert not build_dispute(edition, found.model_copy(update={"sides": tuple(sides)})).plot


def rows_of(report: Report) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(render_csv(report).removeprefix("\ufeff"))))


def test_a_question_that_was_asked_on_is_a_column() -> None:
    report = a_report()
    first, second = report.sources[:2]
    claim = report.claims[0].model_copy(update={"id": "c77", "source_id": first.id})
    new = second.model_copy(update={"id": "found-later"})
    found = {"claims": (claim,), "sources": (first, second, new), "unused": ()}
    asked = report.model_copy(update={"run_id": "later", "topic": "Since when?", **found})
    table = build_table(report, [asked])
    assert (table.heads[-1], table.runs[-1]) == ("Since when?", "later")
    assert table.rows[0].cells[-1].entries[0].claim == claim
    assert [each.cells[-1].absence for each in table.rows[1:3]] == [
        "not found in it",
        "not looked through",
    ]
    assert (table.rows[-1].source.id, table.rows[-1].source.number) == (new.id, None)
    assert "Since when?" in render_csv(report, [asked])
    assert "Since when?" in render_documents(report, [asked])


def test_a_spreadsheet_calculates_nothing_of_a_source() -> None:
    for evil in ("=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\u200b=1", "＝1"):
        report = a_report()
        said = report.claims[0].model_copy(update={"text": evil, "quote": evil, "location": evil})
        titled = report.sources[0].model_copy(update={"title": evil, "path": evil, "number": None})
        sources = (titled, *report.sources[1:])
        rows = rows_of(report.model_copy(update={"claims": (said,), "sources": sources}))
        cells = [cell for row in rows for cell in row.values()]
        assert sum(cell.startswith("'") for cell in cells) >= 4, evil
        assert not [cell for cell in cells if cell.lstrip()[:1] in set("=+-@＝")]


def test_a_table_is_never_a_source() -> None:
    report = a_report()
    assert is_own_report(render_csv(report))
    assert is_own_report(render_documents(report))
    assert not is_own_report(render_csv(report).replace("Caveat run", "Run"))


def test_a_part_is_found_by_its_number_its_title_and_its_heading() -> None:
    report = a_report()
    title = report.sections[0].title
    first, *same = (render_part(report, name) for name in ("1", title, f"1. {title}"))
    assert first
    assert same == [first, first]
    assert render_part(report, "") is None


def test_every_cited_source_can_be_cited() -> None:
    report = a_report()
    numbers = [source.number for source in Edition(report).cited]
    assert numbers
    assert re.findall(r"^@\w+\{source-(\d+),$", render_bibtex(report), re.MULTILINE) == [
        str(number) for number in numbers
    ]


def test_a_title_runs_no_command_of_tex() -> None:
    report = a_report()
    first, *others = report.sources
    hostile = first.model_copy(
        update={"title": r"\input{/etc/passwd} & 100% _of_ {it}", "number": 1}
    )
    written = render_bibtex(report.model_copy(update={"sources": (hostile, *others)}))
    assert r"\textbackslash{}input\{/etc/passwd\} \& 100\% \_of\_ \{it\}" in written


def test_authors_and_no_more_of_a_date_than_is_known_are_cited() -> None:
    report = a_report()
    first, *others = report.sources
    facts = {"authors": ("Ann Lee", "Lock and Weir"), "published": dt.date(2019, 1, 1)}
    dated = first.model_copy(update={**facts, "precision": Precision.YEAR})
    known = report.model_copy(update={"sources": (dated, *others)})
    written = render_bibtex(known)
    assert "author = {Ann Lee and {Lock and Weir}}," in written
    assert "year = {2019}," in written
    assert is_own_report(written)

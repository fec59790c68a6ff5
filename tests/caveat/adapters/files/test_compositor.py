"""The PDF says what the report says, and a source cannot write code into it."""

import pypdfium2 as pdfium
import pytest
import typst

from caveat.adapters.files.typst.compositor import build_document, compose, find_missing_glyphs
from caveat.contracts.envelope import FailureType
from caveat.contracts.report import Effort, Remedy, Report, ReportStatus, Revision
from caveat.failures import PortFailure
from tests.fakes.reports import (
    AWAITED,
    BOTH_HOLD,
    FAILURES,
    NOBODY_CAME,
    a_disputed_report,
    a_report,
)

EVIL = (
    '#panic("x") #read("report.typ") #image("x.png") $x^2$ *b* _i_ `c` <source-1> @ref // c /* '
    '#link("javascript:alert(1)")[x] " } ] ) \\u{41} \\ 中文'
)


def _text(pdf: bytes) -> str:
    document = pdfium.PdfDocument(pdf)
    try:
        pages = [page.get_textpage().get_text_bounded() for page in document]
    finally:
        document.close()
    return " ".join(" ".join(pages).replace("\ufffe", "").split())


def _doctored(text: str) -> Report:
    report = a_report()
    sections = [
        section.model_copy(
            update={"title": text, "question": text, "summary": f"{section.summary}\n\n{text}"}
        )
        for section in report.sections
    ]
    sources = [s.model_copy(update={"title": text, "url": text}) for s in report.sources]
    return a_report(
        topic=text,
        run_id=text,
        sections=tuple(sections),
        sources=tuple(sources),
        status=ReportStatus.PROVISIONAL,
    )


def crowded() -> Report:
    """A revision with more figures than a table has rows, whose failures had every end."""
    report = a_report()
    effort = Effort(attempted=3, found=40, sources=2)
    first, second = FAILURES
    spent = {"model_calls": 68, "tokens": 1_204_000, "cost_usd": None}
    return a_report(
        sections=(report.sections[0].model_copy(update={"effort": effort}),),
        revision=Revision(of="research-1", changes=(f"Now: {EVIL}",)),
        failures=(
            first,
            second.model_copy(update={"remedy": Remedy.LATER, "recovered": True}),
            second.model_copy(update={"attempts": 0}),
        ),
        metrics=report.metrics.model_copy(update=spent),
    )


PLAIN = (
    "Why do measurements of the Hubble constant",
    "Executive summary",
    "6. Explanations",
    "No contradiction was seen",
    "reviews/verde-2019.pdf",
    "Read, not cited",
    "Set aside",
    "2 of 15 documents could not be read",
    "73.04 ± 1.04 km/s/Mpc",
    "research-hubble-constant-3f9a1c",
)
DISPUTED = (
    "1. The Hubble constant is 67.4 ± 0.5 or 73.04 ± 1.04 km/s/Mpc.",
    "open contradictions may still change it",
    "[disputed: 1]",
    "awaits a person until 14 March 2026, 15:20 UTC",
    "Settled by Vera Cepheid on 14 March 2026, 09:24 UTC. Their reason: “The second drops",
    "Nobody could settle it: it needs review by a person",
    "Some 15 events with a host galaxy would suffice",
    "uncertain, not used",
    "(11 September 2020) [1, § Abstract]",
    "What the methodologist would have said is missing.",
    "Sceptic, against: Another source states another value, and is newer.",
    "1 of its claims was challenged in the debate.",
)
CROWDED = (
    "A revision of research-1",
    '#panic("x")',
    "made good: tried again",
    "not started",
    "Calls to a language model 68",
    "Tokens 1,204,000",
    "Cost not known, because the price of a model that was called is not known",
    "of the 40 passages that were found for it",
)


@pytest.mark.parametrize(
    ("report", "said"),
    [(a_report(), PLAIN), (a_disputed_report(), DISPUTED), (crowded(), CROWDED)],
    ids=["plain", "disputed", "crowded"],
)
def test_the_pdf_holds_what_the_report_says(report: Report, said: tuple[str, ...]) -> None:
    text = _text(compose(report))
    assert [each for each in said if each not in text] == []
    assert "caveat rule" not in text  # nobody types on paper


def test_a_source_is_cited_by_author_day_and_title_and_rated_in_the_appendix() -> None:
    first, *others = a_report().sources
    first = first.model_copy(update={"authors": ("N. Aghanim", "Y. Akrami")})
    report = a_report(sources=(first, *others))
    text = _text(compose(report))
    before, _, appendix = text.rpartition("Appendix")
    sources = before.rpartition("Sources")[2].partition("Set aside")[0]
    assert f"N. Aghanim and others (11 September 2020). {first.title}" in sources
    assert "credibility 0" not in sources
    assert f"Aghanim 2020 {first.credibility:.2f}" in appendix
    assert text.count(report.run_id) == 1


def test_the_same_report_gives_the_same_bytes() -> None:
    assert compose(a_report()) == compose(a_report())


def test_citations_lead_to_their_sources() -> None:
    # Citations in the prose and in tables, entries of the contents, titles of sources.
    assert compose(a_report()).replace(b" ", b"").count(b"/Subtype/Link") > 55


def test_hostile_text_is_printed() -> None:
    pdf = compose(_doctored(EVIL))
    text = _text(pdf)
    assert '#panic("x")' in text
    assert '#read("report.typ")' in text
    assert b"/URI(javascript" not in pdf.replace(b" ", b"")
    disputes = [
        each.model_copy(update={"about": EVIL, "arbitration": EVIL})
        for each in (AWAITED, BOTH_HOLD, NOBODY_CAME)
    ]
    assert _text(compose(a_disputed_report(*disputes))).count('#panic("x")') >= 3


def test_only_web_addresses_become_links() -> None:
    parts = build_document(_doctored("javascript:alert(1)"))["parts"]
    shelves = [block for part in parts for block in part["blocks"] if block["kind"] == "shelf"]
    assert {source["address"] for shelf in shelves for source in shelf["sources"]} == {None}


def test_what_typst_cannot_set_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> bytes:
        raise typst.TypstError("secret detail", "", [])

    monkeypatch.setattr(typst, "compile", broken)
    with pytest.raises(PortFailure) as raised:
        compose(a_report())
    assert raised.value.failure.failure_type is FailureType.PERMANENT
    assert "secret" not in raised.value.failure.message


def test_characters_that_no_font_has_are_named_and_leave_no_boxes() -> None:
    printed = build_document(_doctored("The 青石 dam"))
    facts = dict(printed["facts"])
    if find_missing_glyphs("青石"):
        assert "Cjk characters" in facts["Fonts"]
        assert "The […] dam" in str(printed["parts"])
    else:  # this machine has such a font
        assert "Fonts" not in facts
    assert find_missing_glyphs("Größe ≥ 3 × 10⁵ “x”") == ""

"""What is read of each format: its words as they are, their places, and names of what is lost."""

import html
import re
import time
import tomllib
import unicodedata
from collections.abc import Mapping
from pathlib import Path

import pytest
import typst

from caveat.adapters.documents.accounting import list_losses, list_source
from caveat.adapters.documents.loaded import DocumentFormat, Loaded
from caveat.adapters.documents.loaders import submit_document
from caveat.adapters.documents.passages import split_passages
from caveat.adapters.documents.readers import READERS
from caveat.rules.evidence.claims import describe_place
from caveat.rules.sentences.grounds import split_cells
from tests.fakes.archives import packed
from tests.fakes.claims import a_claim
from tests.fakes.swelling import FONT, write_pdf, write_stream

CASES = tomllib.loads(Path(__file__).with_name("cases.toml").read_text())["cases"]
"""An ending or "page", a source, the text that is read of it; then, where there are some, places of
words and of rows, losses, and facts. Members of an archive stand by their names, with "" for the
one that holds the text, in its frame; a source that is no table is this one alone."""
FRAMES: Mapping[str, Mapping[str, str]] = {
    "docx": {
        "word/document.xml": '<w:document xmlns:w="w" xmlns:v="v" xmlns:mc="mc" xmlns:wp="wp">'
        "<w:body><w:p><w:r><w:t>The granite weir.</w:t></w:r></w:p>%s</w:body></w:document>"
    },
    "odt": {
        "content.xml": '<office:d xmlns:office="o" xmlns:text="t" xmlns:draw="d" xmlns:form="f" '
        'xmlns:style="s" xmlns:table="a"><office:body><office:text>'
        "<text:p>The granite weir.</text:p>%s</office:text></office:body></office:d>"
    },
    "pptx": {
        "ppt/slides/slide1.xml": '<p:sld xmlns:p="p" xmlns:a="a">%s</p:sld>',
        "ppt/presentation.xml": '<p:p xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId r:id="r1"/>'
        "</p:sldIdLst></p:p>",
        "ppt/_rels/presentation.xml.rels": '<Relationships><Relationship Id="r1" Type="x/slide" '
        'Target="slides/slide1.xml"/></Relationships>',
    },
}
_ADDED = re.compile(
    r"\[(?:picture|hidden|struck out): | \(hidden[^)]*\)|^(?:[a-zA-Z]|§? ?[\d.]+|\([a-z]\))\.? |"
    r"^Attached: |^\d+\b[.:]|^(?:No subject|Message \d+|Note|From: .*|Date: .*)$",
    re.MULTILINE,
)
"""What is no word of a document: what says of one what it is, numbers of items, heads of mails."""
NEW_LINE = r"\n"  # within JSON
_ESCAPED = {"typ", "rtf"}  # sources that are written otherwise than what they show


def make(ending: str, source: str | Mapping[str, str]) -> bytes:
    if ending == "typ":
        return typst.compile(str(source).encode())
    if isinstance(source, str) and ending not in FRAMES:
        return source.encode()
    members = {"": source} if isinstance(source, str) else dict(source)
    if "" in members:
        (name, frame), *others = FRAMES[ending].items()
        members = {name: frame % members.pop(""), **dict(others), **members}
    return packed(members)


def load(ending: str, data: bytes) -> Loaded:
    if ending == "page":
        return READERS.submit(DocumentFormat.PAGE, data).result()
    return submit_document("a.pdf" if ending == "typ" else f"a.{ending}", data).result()


@pytest.mark.parametrize("number", range(len(CASES)))
def test_a_document_is_read(number: int) -> None:
    ending, source, text, *more = CASES[number]
    places, losses, facts = more + [{}, [], {}][len(more) :]
    loaded = load(ending, make(ending, source))
    assert loaded.snapshot.text == text
    assert [*loaded.losses] == losses
    found = {}
    for words in places:
        start, snapshot = text.index(words), loaded.snapshot
        is_row = "\t" in words
        place = describe_place(snapshot, start, start + len(words)) if is_row else None
        found[words] = place or snapshot.find_location(start) or ""
    assert found == places
    stated = {name: getattr(loaded.metadata, name) for name in facts}
    assert {k: [*v] if isinstance(v, tuple) else str(v) for k, v in stated.items()} == facts


@pytest.mark.parametrize("number", range(len(CASES)))
def test_no_word_is_read_that_a_document_does_not_hold(number: int) -> None:
    ending, source, text, *_ = CASES[number]
    raw = source if isinstance(source, str) else f"The granite weir. {' '.join(source.values())}"
    raw = f"{raw} {html.unescape(raw.replace(NEW_LINE, ' '))}"
    joined = re.sub(r"<[^<>]*>|[^\w<>]+|_", "", raw)  # runs and tags divide words
    whole = unicodedata.normalize("NFKC", f"{raw} {joined} The granite weir. μm")
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", _ADDED.sub("", text)))
    assert ending in _ESCAPED or [word for word in words if word not in whole] == []


COUNTED = {
    "odt": DocumentFormat.OPEN_DOCUMENT, "rtf": DocumentFormat.RICH_TEXT,
    "pptx": DocumentFormat.SLIDES, "html": DocumentFormat.HTML, "md": DocumentFormat.MARKDOWN,
    "txt": DocumentFormat.PLAIN, "eml": DocumentFormat.MESSAGE, "mbox": DocumentFormat.BOX,
    "epub": DocumentFormat.EPUB, "csv": DocumentFormat.TABLE, "json": DocumentFormat.DATA,
    "ipynb": DocumentFormat.NOTEBOOK,
}  # fmt: skip
"""Formats whose words are counted beside their readers."""


@pytest.mark.parametrize(
    "number", [n for n, case in enumerate(CASES) if "Tarnbeck" in case[2] and case[0] in COUNTED]
)
def test_a_word_that_a_reader_drops_is_counted(number: int) -> None:
    ending, source, text, *_ = CASES[number]
    data = make(ending, source)
    words = list_source(COUNTED[ending], data, "" if data.startswith(b"PK") else data.decode())
    (loss,) = list_losses(words, text.replace("arnbeck", ""))
    assert loss.endswith("a word not read, such as “tarnbeck”")


FIGURES = "Income,2018,2017,COSTS,2018,2017\nDues,61,58,Rent,40,39\nTOTAL,684,,TOTAL,690,801\n"


@pytest.mark.parametrize(
    ("row", "place", "cells"),
    [
        (
            "TOTAL\t684\t\tTOTAL\t690\t801",
            "Income, 2018, 2017, COSTS, 2018, 2017",
            [("2018", "684"), ("COSTS", "TOTAL"), ("2018", "690"), ("2017", "801")],
        ),
        ("TOTAL\t690", "D3 › TOTAL, COSTS › COSTS, 2018", [("2018", "690")]),
    ],
)
def test_each_cell_of_a_row_has_its_head(
    row: str, place: str, cells: list[tuple[str, str]]
) -> None:
    snapshot = load("csv", FIGURES.encode()).snapshot
    start = snapshot.text.index(row)
    assert describe_place(snapshot, start, start + len(row)) == place
    assert split_cells(a_claim("c1", row, location=place))[1:] == cells


def test_an_empty_cell_may_have_no_head_in_an_older_report() -> None:
    cells = split_cells(a_claim("c1", "TOTAL\t684\t\t801", location="2018, Rent"))
    assert cells == [("", "TOTAL"), ("2018", "684"), ("Rent", "801")]


def test_definitions_are_passages_of_their_own_and_rows_stay_together() -> None:
    source = next(case[1] for case in CASES if "-b</p></dt>" in str(case[1]))
    spans = [
        (span.heading, span.text) for span in split_passages(load("html", source.encode()).snapshot)
    ]
    assert ("Options › -b", "Default: 2.") in spans
    table = "Setting\tValue\n\nports\tDefault: 3.\n\n5\tFive.\n\nBehind the table."
    assert spans[-1][0] == "Options"
    assert spans[-1][1].startswith(f"Behind the list.\n\n{table}")


@pytest.mark.parametrize(
    ("drawn", "text", "loss"),
    [
        (
            b"/F1 12 Tf 9 99 Td (The total of all of the rates is) Tj /F2 12 Tf (X) Tj",
            "The total of all of the rates is\ufffd",
            "signs that their fonts map to no text, shown as \ufffd",
        ),
        (
            b"/F2 2 Tf 9 99 Td (XXXXXXXXXXXXXXXXXXXXXXXXXXXXXX) Tj",
            "X" * 30,
            "a few words whose fonts do not say what their signs mean, so that they may be others",
        ),
    ],
)
def test_signs_that_their_font_does_not_name_are_named(drawn: bytes, text: str, loss: str) -> None:
    nameless = (
        b"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] "
        b"/CharProcs << /g1 7 0 R >> /Encoding << /Differences [88 /g1] >> "
        b"/FirstChar 88 /LastChar 88 /Widths [1] >>"
    )
    shape = write_stream(b"1 0 0 0 1 1 d1 0 0 1 1 re f")
    objects = [FONT % b"", nameless, write_stream(b"BT %s ET" % drawn), shape]
    loaded = load("pdf", write_pdf(objects))
    assert loaded.snapshot.text == text
    assert loaded.losses == (f"page 1: {loss}",)


def test_many_places_are_counted_together() -> None:
    losses = list(list_losses([(f"page {n}", f"lost{n}x words{n}x") for n in range(9)], "Other."))
    assert losses[0] == "page 0: 2 words not read, such as “words0x”"
    assert losses[5:] == ["words of 4 more places not read"]


def test_a_document_in_one_line_is_counted_as_soon_as_one_of_many() -> None:
    words = " ".join(f"tarn{number}weir" for number in range(100_000))
    begun = time.process_time()
    assert not list(list_losses([("", f"{words} end")], f"An end.\n\n{words}"))
    assert time.process_time() - begun < 5

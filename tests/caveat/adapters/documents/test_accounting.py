"""Every word of a source is in the text, or a limitation names how many are not, and where."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import docx
import openpyxl
import pytest
import typst

from caveat.adapters.documents.accounting import list_losses, list_source
from caveat.adapters.documents.formats import DocumentFormat, read
from caveat.adapters.documents.loaded import Unreadable
from tests.fakes.archives import pack_slide, packed, repacked, saved

ODT = """<office:document-content xmlns:office="o" xmlns:text="t"><office:body><office:text>
<text:h text:outline-level="1">Weirs</text:h><text:p>The <text:span>granite</text:span> weir
<text:s/>
holds.<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Tarnbeck note.
</text:p></text:note-body></text:note></text:p></office:text></office:body>
</office:document-content>"""
SLIDE = """<p:sld xmlns:p="p" xmlns:a="a"><p:sp><p:txBody><a:p><a:r><a:t>The granite weir at
Tarnbeck</a:t></a:r></a:p></p:txBody></p:sp></p:sld>"""


def word(_: Path) -> bytes:
    document = docx.Document()
    document.add_heading("Weirs", 1)
    paragraph = document.add_paragraph("The gra")
    paragraph.add_run("nite weir").bold = True
    table = document.add_table(1, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "Tarnbeck", "12 m"
    document.sections[0].footer.paragraphs[0].text = "Board of weirs"
    return saved(document)


def workbook(_: Path) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["granite weir", "depth"])
    sheet.append(["Tarnbeck", 12])
    return saved(book)


def typeset(folder: Path) -> bytes:
    (folder / "a.typ").write_text(
        "#set page(footer: context counter(page).display())\n= Weirs\nThe granite weir.\n"
        "#table(columns: 2, [Place], [Depth], [Tarnbeck], [12])\n#footnote[A note of 3 words.]"
    )
    return typst.compile(str(folder / "a.typ"))


NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": "# Weirs\n\nA [granite](https://a.example/x) weir."},
        {"cell_type": "code", "source": "tarnbeck = 12", "outputs": [{"text": ["granite"]}]},
    ]
}
MAIL = (
    b"Subject: Weirs\nFrom: Ann <ann@a.example>\nMIME-Version: 1.0\nContent-Type: "
    b"multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\nThe weir at Tarn"
    b"beck.\n--b\n"
    b"Content-Type: text/html\n\n<p>The gran<i>ite</i> weir at Tarnbeck.\n--b--\n"
)
MADE: dict[DocumentFormat, Callable[[Path], bytes]] = {
    DocumentFormat.WORD: word,
    DocumentFormat.SHEETS: workbook,
    DocumentFormat.PDF: typeset,
    DocumentFormat.OPEN_DOCUMENT: lambda _: packed(content_xml=ODT),
    DocumentFormat.SLIDES: lambda _: pack_slide(SLIDE),
    DocumentFormat.HTML: lambda _: (
        b"<nav>Elsewhere</nav><h1>Weirs</h1><p>The gran<b>ite</b> weir.<ul><li>Tarnbeck</ul>"
        b"<script>let hidden</script><table><tr><td>12<sup>3</sup><td>m</table>"
    ),
    DocumentFormat.MARKDOWN: lambda _: (
        b"---\ntitle: Weirs\nowner: Ann\n---\n# Weirs\n\n```sh\nopen\n```\n<!-- no -->\n\n"
        b"[l]:\n  https://a.example/lock\n\nThe **granite** weir &amp; [lock][l] at Tarnbeck.\n"
    ),
    DocumentFormat.PLAIN: lambda _: b"The granite\nweir.\n\n- Tarnbeck\n\n1. First\n2. Next\n",
    DocumentFormat.RESTRUCTURED: lambda _: (
        b"Weirs\n=====\n\nThe *granite* weir at :place:`Tarnbeck <tarn>` [#]_.\n\n"
        b".. toctree::\n\n   a/b\n\n.. A comment.\n\n.. [#] See `lists <https://a.example/list>`__.\n"
        b"\n__ https://a.example\n\n.. note:: `Locks <https://a.example>`__\n"
    ),
    DocumentFormat.MESSAGE: lambda _: MAIL,
    DocumentFormat.BOX: lambda _: b"From a Mon\n%b\nFrom b Tue\nSubject: Lock\n\nOpen.\n" % MAIL,
    DocumentFormat.EPUB: lambda _: packed(
        **{"META-INF__container_xml": '<c><rootfile full-path="book.opf"/></c>'},
        book_opf='<p><item id="a" href="a.xhtml"/><itemref idref="a"/></p>',
        a_xhtml="<html><body><h1>Weirs</h1><p>The gran<b>ite</b> weir at Tarnbeck.</body></html>",
    ),
    DocumentFormat.RICH_TEXT: lambda _: (
        rb"{\rtf1\ansi{\fonttbl{\f0 Times;}}{\*\generator Word;}\pard The gra{\b nite} weir \'e4t "
        rb"Tarnbeck\par{\footnote A note.}\trowd Depth\cell 12\cell\row}"
    ),
    DocumentFormat.TABLE: lambda _: b"place;stone;depth\nTarnbeck;granite;12\n",
    DocumentFormat.DATA: lambda _: b'{"weir": [{"stone": "granite", "at": "Tarnbeck"}], "m": 12}',
    DocumentFormat.NOTEBOOK: lambda _: json.dumps(NOTEBOOK).encode(),
}


OWN = {DocumentFormat.PDF, DocumentFormat.RESTRUCTURED}
"""Formats whose readers count by themselves what they parsed."""


@pytest.mark.parametrize("written_in", MADE)
def test_what_is_read_whole_has_no_loss(written_in: DocumentFormat, tmp_path: Path) -> None:
    loaded = read(written_in, MADE[written_in](tmp_path))
    assert loaded.losses == ()
    assert "granite" in loaded.snapshot.text


@pytest.mark.parametrize("written_in", [each for each in MADE if each not in OWN])
def test_what_a_reader_drops_is_counted(written_in: DocumentFormat, tmp_path: Path) -> None:
    data = MADE[written_in](tmp_path)
    text = read(written_in, data).snapshot.text.replace("arnbeck", "")
    is_archive = data.startswith(b"PK")
    source = list_source(written_in, data, "" if is_archive else data.decode())
    (loss,) = list_losses(source, text)
    assert loss.endswith("a word not read, such as “tarnbeck”")


def test_a_value_that_another_cell_covers_is_counted() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["depth", 12, 13.5])
    merged = b'</sheetData><mergeCells count="1"><mergeCell ref="B1:C1"/></mergeCells>'
    data = repacked(saved(book), lambda _, part: part.replace(b"</sheetData>", merged))
    loaded = read(DocumentFormat.SHEETS, data)
    assert loaded.losses == ("1 cell, such as those that merged ones cover",)


def test_many_places_are_counted_together() -> None:
    losses = list(list_losses([(f"page {n}", f"lost{n}x words{n}x") for n in range(9)], "Other."))
    assert losses[0] == "page 0: 2 words not read, such as “words0x”"
    assert losses[5:] == ["words of 4 more places not read"]


def test_what_stands_beside_the_main_text_of_a_page_is_named() -> None:
    story = "<p>" + "The granite weir at Tarnbeck holds back the water of three valleys. " * 4
    links = "".join(f"<li><a href='/{n}'>Elsewhere number {n} of the news</a>" for n in range(9))
    beside = f"<footer class='footer'><p>{'Zinnias flower late this year. ' * 6}</footer>"
    page = f"<ul>{links}</ul><article><h1>Weirs</h1>{story * 3}</article>{beside}<p>Share this"
    loaded = read(DocumentFormat.PAGE, page.encode())
    assert "granite" in loaded.snapshot.text
    assert "Zinnias" not in loaded.snapshot.text
    assert loaded.losses == ("beside its main text: 4 words not read, such as \u201czinnias\u201d",)


def test_what_stands_beside_the_main_part_of_a_page_has_its_place() -> None:
    leads = b"<a href='#weirs'>Skip this</a><ul role=menu aria-label=Themes><li>Navy</ul>"
    page = leads + b"<div>Open from nine</div><main><h1>Weirs</h1><p>The granite weir.</main>"
    (loss,) = read(DocumentFormat.HTML, page).losses
    assert loss == "beside its main part: 3 words not read, such as \u201cfrom\u201d"


def test_an_open_document_that_is_locked_says_so() -> None:
    manifest = "<m><e><encryption-data/></e></m>"
    data = packed(content_xml="\x01\x02", **{"META-INF__manifest_xml": manifest})
    with pytest.raises(Unreadable, match="password"):
        read(DocumentFormat.OPEN_DOCUMENT, data)


@pytest.mark.parametrize(
    ("written_in", "data"),
    [
        (
            DocumentFormat.HTML,
            (
                b"<p aria-label=Gates title='A weir'>A <a title=Lock>weir</a> <nav title=All></nav>"
                b"<button aria-label=Close><b title=Shut></b></button>"
                b"<i title='ctx=Z39&rft=book%20of'>Book</i> <b title='2016-12-06T12:06:00'>Now</b>"
            ),
        ),
        (DocumentFormat.DATA, b'{"weir": 1, "lock": null, "gates": {"upper": []}}'),
        (
            DocumentFormat.MARKDOWN,
            b"A [weir](/w_(granite)).\n\n<script>let x = 1</script>\n\n> ```sh\n> open\n> ```\n",
        ),
        (
            DocumentFormat.RICH_TEXT,
            rb"{\rtf1{\*\mF34{\m0}}{\field{\*\fldinst {A}}{\fldrslt granite}}w{\annotation A}eir}",
        ),
        (
            DocumentFormat.OPEN_DOCUMENT,
            packed(content_xml=ODT.replace("Tarnbeck note", "<text:tab/>Tarn<text:tab/>beck")),
        ),
    ],
)
def test_what_says_nothing_is_not_counted(written_in: DocumentFormat, data: bytes) -> None:
    assert read(written_in, data).losses == ()


def test_a_document_in_one_line_is_counted_as_soon_as_one_of_many() -> None:
    words = " ".join(f"tarn{number}weir" for number in range(100_000))
    begun = time.process_time()
    assert not list(list_losses([("", f"{words} end")], f"An end.\n\n{words}"))
    assert time.process_time() - begun < 5

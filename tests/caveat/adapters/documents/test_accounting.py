"""Every word of a source is in the text, or a limitation names how many are not, and where."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import docx
import openpyxl
import pytest
import typst

from caveat.adapters.documents.accounting import list_losses, list_source
from caveat.adapters.documents.formats import DocumentFormat, read
from tests.fakes.archives import packed

ODT = """<office:document-content xmlns:office="o" xmlns:text="t"><office:body><office:text>
<text:h text:outline-level="1">Weirs</text:h><text:p>The <text:span>granite</text:span> weir
<text:s/>
holds.<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Tarnbeck note.
</text:p></text:note-body></text:note></text:p></office:text></office:body>
</office:document-content>"""
SLIDE = """<p:sld xmlns:p="p" xmlns:a="a"><p:sp><p:txBody><a:p><a:r><a:t>The granite weir at
Tarnbeck</a:t></a:r></a:p></p:txBody></p:sp></p:sld>"""
RELATIONS = '<Relationships><Relationship Id="r1" Type="x/slide" Target="slides/slide1.xml"/></Relationships>'  # noqa: E501  # as it stands in files
ORDER = """<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId r:id="r1"/></p:sldIdLst>
</p:presentation>"""


def word(_: Path) -> bytes:
    document = docx.Document()
    document.add_heading("Weirs", 1)
    paragraph = document.add_paragraph("The gra")
    paragraph.add_run("nite weir").bold = True
    table = document.add_table(1, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "Tarnbeck", "12 m"
    document.sections[0].footer.paragraphs[0].text = "Board of weirs"
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def workbook(_: Path) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["granite weir", "depth"])
    sheet.append(["Tarnbeck", 12])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


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
MADE: dict[DocumentFormat, Callable[[Path], bytes]] = {
    DocumentFormat.WORD: word,
    DocumentFormat.SHEETS: workbook,
    DocumentFormat.PDF: typeset,
    DocumentFormat.OPEN_DOCUMENT: lambda _: packed(content_xml=ODT),
    DocumentFormat.SLIDES: lambda _: packed(
        ppt__presentation_xml=ORDER,
        **{"ppt___rels__presentation.xml_rels": RELATIONS},
        ppt__slides__slide1_xml=SLIDE,
    ),
    DocumentFormat.HTML: lambda _: (
        b"<nav>Elsewhere</nav><h1>Weirs</h1><p>The gran<b>ite</b> weir.<ul><li>Tarnbeck</ul>"
        b"<script>let hidden</script><table><tr><td>12<sup>3</sup><td>m</table>"
    ),
    DocumentFormat.MARKDOWN: lambda _: (
        b"---\ntitle: Weirs\nowner: Ann\n---\n# Weirs\n\nThe **granite** weir &amp; [lock][l] at "
        b"Tarnbeck.\n\n```sh\nopen\n```\n<!-- no -->\n\n[l]: https://a.example/lock\n"
    ),
    DocumentFormat.PLAIN: lambda _: b"The granite\nweir.\n\n- Tarnbeck\n\n1. First\n2. Next\n",
    DocumentFormat.TABLE: lambda _: b"place;stone;depth\nTarnbeck;granite;12\n",
    DocumentFormat.DATA: lambda _: b'{"weir": [{"stone": "granite", "at": "Tarnbeck"}], "m": 12}',
    DocumentFormat.NOTEBOOK: lambda _: json.dumps(NOTEBOOK).encode(),
}


@pytest.mark.parametrize("written_in", MADE)
def test_what_is_read_whole_has_no_loss(written_in: DocumentFormat, tmp_path: Path) -> None:
    loaded = read(written_in, MADE[written_in](tmp_path))
    assert loaded.losses == ()
    assert "granite" in loaded.snapshot.text


@pytest.mark.parametrize("written_in", [each for each in MADE if each is not DocumentFormat.PDF])
def test_what_a_reader_drops_is_counted(written_in: DocumentFormat, tmp_path: Path) -> None:
    data = MADE[written_in](tmp_path)
    text = read(written_in, data).snapshot.text.replace("arnbeck", "")
    is_archive = data.startswith(b"PK")
    source = list_source(written_in, data, "" if is_archive else data.decode())
    (loss,) = list_losses(source, text)
    assert loss.endswith("a word not read, such as “tarnbeck”")


def test_many_places_are_counted_together() -> None:
    losses = list(list_losses([(f"page {n}", f"lost{n}x words{n}x") for n in range(9)], "Other."))
    assert losses[0] == "page 0: 2 words not read, such as “words0x”"
    assert losses[5:] == ["words of 4 more places not read"]

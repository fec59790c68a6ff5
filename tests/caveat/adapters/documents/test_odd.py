"""What stands in odd places of a document is read, or named as lost."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
import typst
from openpyxl import Workbook
from openpyxl.comments import Comment
from openpyxl.worksheet.datavalidation import DataValidation

from caveat.adapters.documents.accounting import list_source
from caveat.adapters.documents.formats import DocumentFormat, read
from tests.fakes.archives import pack_slide, packed, saved

_HTML, _MARKDOWN = DocumentFormat.HTML, DocumentFormat.MARKDOWN
_WORD, _SLIDES = DocumentFormat.WORD, DocumentFormat.SLIDES
_MAIL = "Subject: Weirs\nMIME-Version: 1.0\nContent-Type: "


def page(inner: str) -> bytes:
    return f"<h1>Weirs</h1><p>The weir stands.</p>{inner}".encode()


def word(inner: str = "", **parts: str) -> bytes:
    body = f"<w:p><w:r><w:t>The weir.</w:t></w:r></w:p>{inner}"
    names = 'xmlns:w="w" xmlns:v="v" xmlns:mc="mc" xmlns:wp="wp"'
    return packed(word__document_xml=f"<w:d {names}><w:body>{body}</w:body></w:d>", **parts)


def notebook(*outputs: Mapping[str, object]) -> bytes:
    code = {"cell_type": "code", "source": "show()", "outputs": [{"data": o} for o in outputs]}
    return json.dumps({"cells": [code], "metadata": {"authors": [{"name": "Ann"}]}}).encode()


def restructured(inner: str) -> bytes:
    return f"Weirs\n=====\n\nThe weir.\n\n.. note:: Old\n\n{inner}\n".encode()


def opened(inner: str, **parts: str) -> bytes:
    spaces = {"office": "o", "text": "t", "draw": "d", "form": "f", "style": "s", "table": "a"}
    names = " ".join(f'xmlns:{name}="{space}"' for name, space in spaces.items())
    text = f"<office:text><text:p>The weir.</text:p>{inner}</office:text>"
    content = f"<office:d {names}><office:body>{text}</office:body></office:d>"
    return packed(content_xml=content, **parts)


def alternative(*parts: str) -> bytes:
    joined = "".join(f"--b\nContent-Type: {part}\n" for part in parts)
    return f"{_MAIL}multipart/alternative; boundary=b\n\n{joined}--b--\n".encode()


_BOX = "<w:txbxContent><w:p><w:r><w:t>zander</w:t></w:r></w:p></w:txbxContent>"
_CHART = (
    '<c:c xmlns:c="c" xmlns:a="a"><a:p><a:r><a:t>Depths</a:t></a:r></a:p><c:ser><c:val><c:pt '
    'idx="0"><c:v>12.5</c:v></c:pt></c:val></c:ser></c:c>'
)


_SHAPE = (
    '<p:s xmlns:p="p" xmlns:a="a"><p:sp><p:nvSpPr><p:nvPr>%s</p:nvPr></p:nvSpPr>'
    "<p:txBody><a:p><a:r><a:t>%s</a:t></a:r></a:p></p:txBody></p:sp></p:s>"
)
_LAYER = '<Relationships><Relationship Id="r1" Type="x/%s" Target="../%ss/a.xml"/></Relationships>'
_LAYERS = {
    "ppt__slides___rels__slide1.xml_rels": _LAYER % ("slideLayout", "slideLayout"),
    "ppt__slideLayouts__a_xml": _SHAPE % ("<p:ph/>", "Click here"),
    "ppt__slideLayouts___rels__a.xml_rels": _LAYER % ("slideMaster", "slideMaster"),
    "ppt__slideMasters__a_xml": _SHAPE % ("", "zander"),
}
_HIDES = '<style:style style:name="H"><style:text-properties text:display="none"/></style:style>'


@pytest.mark.parametrize(
    ("written_in", "data", "shown"),
    [
        (_SLIDES, pack_slide(_SHAPE % ("", "Weir"), **_LAYERS), "Weir\n\nzander"),
        (
            DocumentFormat.RICH_TEXT,
            rb"{\rtf1 Weir{\deleted\revdttm0 s}s {\v\fs20 zander} end\par}",
            "Weirs [hidden: zander] end",
        ),
        (
            DocumentFormat.RICH_TEXT,
            rb"{\rtf1 Weir\par{\sp{\sn wzDescription}{\sv zander}}}",
            "Weir\n\nzander",
        ),
        (
            DocumentFormat.OPEN_DOCUMENT,
            opened(f'{_HIDES}<text:p><text:span text:style-name="H">zander</text:span></text:p>'),
            "[hidden: zander]",
        ),
        (
            DocumentFormat.OPEN_DOCUMENT,
            opened(
                '<table:table><table:table-row table:visibility="collapse"><table:table-cell>'
                "<text:p>zander</text:p></table:table-cell></table:table-row></table:table>"
            ),
            "zander (hidden row)",
        ),
        (
            DocumentFormat.OPEN_DOCUMENT,
            opened(
                "<table:table><table:title>zander</table:title><table:table-row><table:table-cell>"
                "<text:p>12</text:p></table:table-cell></table:table-row></table:table>"
            ),
            "zander\n\n12",
        ),
        (
            DocumentFormat.OPEN_DOCUMENT,
            opened(
                "",
                styles_xml='<d xmlns:s="s" xmlns:t="t"><s:master-page><s:header-left><t:p>zander'
                "</t:p></s:header-left></s:master-page></d>",
            ),
            "zander",
        ),
        (_HTML, page("<svg><text>zander</text><text>x</text></svg>"), "\n\nzander x"),
        (_HTML, page("<p>See <svg><title>zander</title></svg> below"), "See zander below"),
        (_HTML, page("<noscript>Depth zander</noscript>"), "Depth zander"),
        (_HTML, page("<a-b><template shadowrootmode=open><p>zander</template></a-b>"), "zander"),
        (_HTML, page("<object data=a>Depth zander</object>"), "Depth zander"),
        (
            _HTML,
            page("Depot <select><optgroup label=North><option>A<option>B</select>"),
            "\n\nNorth: A; B;",
        ),
        (_HTML, page("<datalist><option value=zander></datalist>"), "zander;"),
        (_HTML, page("<abbr title='Water Board'>WB</abbr>"), "WB (Water Board)"),
        (_HTML, page("<dl><dt title=zander>Weir<dd>12</dl>"), "Weir (zander)"),
        (
            _HTML,
            page("<table summary=zander><td title=Depth>12<td>1</table>"),
            "zander\n\n12 (Depth)",
        ),
        (_HTML, page("<p>Gate <i aria-label=zander></i> is"), "Gate (zander) is"),
        (_HTML, page("<p>Gate <svg aria-label=zander></svg> is"), "Gate zander is"),
        (_HTML, page("<img src=a.png alt=Weir title=zander>"), "Weir zander"),
        (_HTML, page("<h2><a class=toc-backref role=doc-backlink>Locks</a></h2>"), "Locks"),
        (_HTML, page("<button aria-expanded=false>Hours</button><p>Nine."), "Hours"),
        (_MARKDOWN, b'![Weir](a.png "in spate")', "Weir in spate"),
        (DocumentFormat.NOTEBOOK, notebook({"text/latex": "$zander$"}), "$zander$"),
        (
            DocumentFormat.NOTEBOOK,
            notebook({"text/plain": "<Table>", "text/html": "<b>zander</b>"}),
            "zander",
        ),
        (
            DocumentFormat.NOTEBOOK,
            b'{"worksheets": [{"cells": [{"cell_type": "code", "input": "zander()"}]}]}',
            "zander()",
        ),
        (DocumentFormat.MESSAGE, f"{_MAIL}multipart/mixed\n\nzander".encode(), "zander"),
        (
            DocumentFormat.MESSAGE,
            alternative("text/plain\n\nWeir.", "text/calendar\n\nSUMMARY:zander"),
            "SUMMARY:zander",
        ),
        (
            DocumentFormat.MESSAGE,
            f'{_MAIL}application/octet-stream; name="A.TXT"\n\nzander'.encode(),
            "zander",
        ),
        (
            DocumentFormat.RESTRUCTURED,
            restructured(".. code-block:: py\n   :caption: zander\n\n   x = 1"),
            "zander\n\nx = 1",
        ),
        (DocumentFormat.RESTRUCTURED, restructured("=====\nzander"), "zander"),
        (_WORD, word('<w:p><v:textpath string="zander"/></w:p>'), "zander"),
        (_WORD, word('<w:p><v:shape alt="zander"/></w:p>'), "[picture: zander]"),
        (_WORD, word('<w:p><wp:docPr title="Weir" descr="zander"/></w:p>'), "Weir zander"),
        (_WORD, word('<w:tbl><w:tblPr><w:tblCaption w:val="zander"/></w:tblPr></w:tbl>'), "zander"),
        (_WORD, word(word__charts__chart1_xml=_CHART), "Depths\n\n"),
        (
            _SLIDES,
            pack_slide(
                '<p:s xmlns:p="p" xmlns:a="a"><p:sp><p:nvSpPr><p:cNvPr descr="zander"/></p:nvSpPr>'
                "<p:txBody><a:p><a:r><a:t>Weir</a:t></a:r></a:p></p:txBody></p:sp></p:s>"
            ),
            "[picture: zander]\n\nWeir",
        ),
    ],
)
def test_it_is_read(written_in: DocumentFormat, data: bytes, shown: str) -> None:
    loaded = read(written_in, data)
    assert shown in loaded.snapshot.text
    assert loaded.losses == ()


@pytest.mark.parametrize(
    ("written_in", "data", "loss"),
    [
        (_HTML, page("<p hidden>zander"), "what it hides: a word not read, such as “zander”"),
        (
            _HTML,
            page("<table><tr title=zander><td>1</table>"),
            "its labels and tooltips: a word not",
        ),
        (_HTML, page("<iframe srcdoc='<p>zander</p>'>"), "a frame: a word not read, such as"),
        (_MARKDOWN, b'The [weir](a "zander").', "a word not read, such as “zander”"),
        (_MARKDOWN, b'The weir.\n\n[a]: http://a.example "zander"', "a word not read, such as"),
        (
            DocumentFormat.NOTEBOOK,
            notebook({"text/plain": "Table", "text/html": "<b>zander</b>"}),
            "cell 1: a word not read, such as “zander”",
        ),
        (
            DocumentFormat.MESSAGE,
            alternative("text/plain\n\nzander", "text/html\n\n<p>Weir"),
            "a word not read, such as “zander”",
        ),
        (
            DocumentFormat.BOX,
            b"zander\n\nFrom a Mon\nSubject: Weir\n\nOne\n\nFrom b Tue\nSubject: Lock\n\nTwo\n",
            "what stands before its first message",
        ),
        (
            DocumentFormat.RESTRUCTURED,
            restructured(".. include:: zander.rst"),
            "the file zander.rst, which it includes",
        ),
        (
            _WORD,
            word(f"<w:p><mc:Fallback>{_BOX}</mc:Fallback></w:p>"),
            "document: a word not read, such as “zander”",
        ),
        (
            _WORD,
            word('<w:sdt><w:sdtPr><w:listItem w:displayText="zander"/></w:sdtPr></w:sdt>'),
            "document: a word not read, such as “zander”",
        ),
        (
            _WORD,
            word('<w:p><w:ffData><w:helpText w:val="zander"/></w:ffData></w:p>'),
            "document: a word not read, such as “zander”",
        ),
        (
            _SLIDES,
            pack_slide(
                _SHAPE % ("", "Weir"),
                ppt__comments__modernComment_xml='<m xmlns:a="a"><a:p><a:t>zander</a:t></a:p></m>',
            ),
            "modernComment: a word not read, such as “zander”",
        ),
        (
            DocumentFormat.OPEN_DOCUMENT,
            opened('<text:p><text:a office:title="zander">Weir</text:a></text:p>'),
            "content: a word not read, such as “zander”",
        ),
        (
            DocumentFormat.OPEN_DOCUMENT,
            opened('<text:p><text:hidden-text text:string-value="zander"/></text:p>'),
            "content: a word not read, such as “zander”",
        ),
        (
            DocumentFormat.OPEN_DOCUMENT,
            opened("<office:forms><form:text/></office:forms>"),
            "the fields of its forms",
        ),
        (DocumentFormat.OPEN_DOCUMENT, opened("<draw:object-ole/>"), "embedded objects"),
        (
            DocumentFormat.OPEN_DOCUMENT,
            opened("", **{"Object 1__content_xml": '<doc xmlns:t="t"><t:p>zander</t:p></doc>'}),
            "Object 1/content: a word not read, such as “zander”",
        ),
    ],
)
def test_it_is_named(written_in: DocumentFormat, data: bytes, loss: str) -> None:
    (named,) = read(written_in, data).losses
    assert named.startswith(loss)


def test_a_notice_on_scripts_is_no_text() -> None:
    notice = page("<noscript>Please enable JavaScript.</noscript>")
    assert "JavaScript" not in read(_HTML, notice).snapshot.text


def test_a_long_text_for_those_without_scripts_is_read() -> None:
    words = "Depth of the weir. " * 20
    shown = read(_HTML, page(f"<noscript>JavaScript is off. {words}</noscript>")).snapshot.text
    assert shown.count("Depth") == 20


def test_a_hidden_section_says_so() -> None:
    loaded = read(
        DocumentFormat.OPEN_DOCUMENT,
        opened('<text:section text:display="none"><text:p>zander</text:p></text:section>'),
    )
    place = loaded.snapshot.find_location(loaded.snapshot.text.index("zander"))
    assert place == "hidden"


def test_what_a_cell_may_hold_and_says_when_it_is_chosen_is_named() -> None:
    book = Workbook()
    rule = DataValidation(type="list", formula1='"Tarn,Lock"', prompt="zander", error="pike")
    assert book.active is not None
    book.active["A1"] = "Weir"
    book.active.add_data_validation(rule)
    rule.add("A2")
    (loss,) = read(DocumentFormat.SHEETS, saved(book)).losses
    assert loss == "sheet1: 4 words not read, such as “zander”"


def test_what_other_pages_of_a_sheet_are_headed_by_and_comments_are_read() -> None:
    book = Workbook()
    assert book.active is not None
    book.active["A1"], book.active["A1"].comment = "Weir", Comment("zander", "Ann")
    book.active.oddHeader.center.text = book.active.evenHeader.center.text = "Depths"
    book.active.firstFooter.center.text = "Page &P"
    loaded = read(DocumentFormat.SHEETS, saved(book))
    assert loaded.snapshot.text.endswith("Weir\n\nzander\n\nDepths\n\nPage")
    assert loaded.losses == ()
    source = list_source("sheets", saved(book), "")
    assert {word for _, words in source for word in words.split()} >= {"zander", "Depths", "Page"}


def test_what_a_picture_of_a_pdf_is_said_to_show_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    (tmp_path / "a.typ").write_text('Weir\n#image("a.svg", alt: "A zander")\n')
    loaded = read(DocumentFormat.PDF, typst.compile(str(tmp_path / "a.typ")))
    assert loaded.snapshot.text == "Weir\n\nA zander"
    assert loaded.snapshot.landmarks[-1].label == "p. 1 › picture"


def test_authors_of_a_notebook() -> None:
    halved = notebook({"x/\ud83d": "a"}).replace(b"Ann", b"Ann\\ud83d")
    loaded = read(DocumentFormat.NOTEBOOK, halved)
    assert loaded.metadata.authors == ("Ann",)
    assert loaded.losses == ("cell 1: an output of the type x/",)


def test_margins_of_rich_text_are_words_of_their_own() -> None:
    data = rb"{\rtf1\ansi {\header Tarn}{\footer Board}The weir.\par}"
    assert read(DocumentFormat.RICH_TEXT, data).losses == ()

"""Nothing of a document is lost in silence: it is read, or what is not read has a name."""

import json
import re

import docx
import pytest
from docx.opc.packuri import PackURI
from docx.oxml import parse_xml
from openpyxl import Workbook
from openpyxl.chart import BarChart
from openpyxl.styles import PatternFill
from openpyxl.xml.constants import SHARED_STRINGS

from caveat.adapters.documents.loaded import Loaded, Unreadable
from caveat.adapters.documents.loaders import submit_document
from tests.fakes.archives import pack_slide, repacked, saved

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
BOX = f"""<w:r xmlns:w="{WORD}"
xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"
xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"
xmlns:v="urn:schemas-microsoft-com:vml"><mc:AlternateContent>
<mc:Choice Requires="wps"><w:drawing><wps:txbx><w:txbxContent>%(text)s</w:txbxContent></wps:txbx>
</w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox><w:txbxContent>%(text)s</w:txbxContent>
</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>"""
LINE = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"


def read(name: str, data: bytes) -> Loaded:
    return submit_document(name, data).result()


def lines(loaded: Loaded) -> list[str]:
    return loaded.snapshot.text.split("\n\n")


def boxed(words: str) -> object:
    return parse_xml(BOX % {"text": LINE.format(words)})


def test_word_on_the_web_names_its_main_part_otherwise() -> None:
    document = docx.Document()
    document.add_paragraph("The granite weir holds.")
    document.part.partname = PackURI("/word/document2.xml")
    assert read("a.docx", saved(document)).snapshot.text == "The granite weir holds."


def test_text_boxes_are_read_once_wherever_they_stand() -> None:
    document = docx.Document()
    document.add_paragraph("Before.")._p.append(boxed("In the body."))
    table = document.add_table(1, 1)
    table.cell(0, 0).paragraphs[0]._p.append(boxed("In a cell."))
    section = document.sections[0]
    section.header.paragraphs[0]._p.append(boxed("In the header."))
    section.footer.paragraphs[0]._p.append(boxed("In the footer."))
    loaded = read("a.docx", saved(document))
    for place in ("body", "cell", "header", "footer"):
        wanted = f"In {'a' if place == 'cell' else 'the'} {place}."
        assert lines(loaded).count(wanted) == 1
    assert loaded.losses == ()


def test_a_document_within_a_word_file_is_named() -> None:
    document = docx.Document()
    document.add_paragraph("Before.")._p.addnext(parse_xml(f'<w:altChunk xmlns:w="{WORD}"/>'))
    assert read("a.docx", saved(document)).losses == ("embedded objects or documents",)


def test_what_a_sheet_is_headed_by_and_a_chart_called_is_read() -> None:
    made = Workbook()
    sheet = made.active
    assert sheet is not None
    sheet["A1"] = "Depth"
    sheet.oddHeader.center.text = "Draft of May, page &P"
    chart = BarChart()
    chart.title = "Depth by month"
    sheet.add_chart(chart, "D4")
    data = repacked(
        saved(made), lambda _, part: part.replace(b'name="Chart 1"', b'name="A" descr="Weir"')
    )
    loaded = read("a.xlsx", data)
    assert lines(loaded)[1:] == ["Depth", "Draft of May, page", "Depth by month", "Weir"]
    assert loaded.losses == ()


def test_what_is_written_for_another_format_is_named() -> None:
    (loss,) = read("a.rst", b"Locks\n=====\n\n.. raw:: html\n\n   <p>Weir</p>\n\nTarn.").losses
    assert loss.startswith("what its raw directives hold")


def test_a_damaged_line_of_records_costs_no_other_one() -> None:
    loaded = read("a.jsonl", b'{"lock": "Tarn"}\n{"lock": "Weir\n{"lock": "Beck"}\n')
    assert lines(loaded) == ["1.lock: Tarn", '2: {"lock": "Weir', "3.lock: Beck"]
    assert loaded.losses == ()
    with pytest.raises(Unreadable):
        read("a.json", b'{"lock": "Tarn",\n"weir": }\n')


def book(damage: bytes = b"") -> bytes:
    """A workbook with two tables side by side, and hidden rows, columns and sheets."""
    made = Workbook()
    sheet = made.active
    assert sheet is not None
    for row in (("Region", "Sales", "Cost"), ("North", 5, 3), ("South", 6, 4)):
        sheet.append(row)
    for place, cells in enumerate((("Product", "Price"), ("Tea", 3.2), ("Salt", 1.1)), start=2):
        for column, value in enumerate(cells, start=5):
            sheet.cell(place, column, value)
    sheet["XFD1048576"].fill = PatternFill("solid", fgColor="FFFF00")
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["C"].hidden = True
    draft = made.create_sheet("Draft")
    draft.append(["Label", None, 2019, 2020])
    draft.append(["Rent", None, 51, 61])
    draft.sheet_state = "hidden"
    data = saved(made)
    if not damage:
        return data
    return repacked(data, lambda name, part: damage if name.endswith("sheet2.xml") else part)


def test_tables_side_by_side_are_tables_of_their_own() -> None:
    snapshot = read("a.xlsx", book()).snapshot
    assert (snapshot.find_location(snapshot.text.index("3.2")) or "").endswith("!F3 › Tea, Price")
    assert "Rent\t51\t61" in snapshot.text  # a column that spaces is none between tables
    assert read("a.xlsx", book().replace(b"xl/work", rb"xl\work")).snapshot == snapshot


def test_what_a_sheet_hides_says_so() -> None:
    said = lines(read("a.xlsx", book()))
    assert "Region\tSales\tCost (hidden)" in said
    assert "North\t5\t3 (hidden)" in said
    assert "South (hidden row)\t6\t4 (hidden)" in said
    assert "Draft (hidden sheet)" in said


def test_a_damaged_sheet_costs_no_other() -> None:
    loaded = read("a.xlsx", book(damage=b"<worksheet><sheetData><row"))
    assert "North\t5\t3 (hidden)" in lines(loaded)
    assert loaded.losses == ("xl/worksheets/sheet2.xml, which is damaged",)


def test_a_workbook_may_name_a_table_of_strings_that_it_does_not_have() -> None:
    cell = '<c r="A1" t="inlineStr"><is><r><t>Sound </t></r><r><t>weir</t></r></is></c>'
    rows = f'<sheetData><row r="1">{cell}</row></sheetData>'
    named = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{SHARED_STRINGS}"/>'

    def change(_: str, part: bytes) -> bytes:
        content = re.sub("<sheetData ?/>|<sheetData></sheetData>", rows, part.decode())
        return content.replace("</Types>", f"{named}</Types>").encode()

    loaded = read("a.xlsx", repacked(saved(Workbook()), change))
    assert loaded.snapshot.text.endswith("Sound weir")
    assert loaded.losses == ()


@pytest.mark.parametrize("name", ["a.xlsx", "a.docx"])
def test_bytes_that_a_disk_spoiled_are_damage(name: str) -> None:
    whole = book() if name == "a.xlsx" else saved(docx.Document())
    said = set()
    entry = whole.index(b"PK\x01\x02")  # of the directory at the end, every field of which counts
    for at in (*range(0, len(whole), len(whole) // 40), *range(entry, entry + 46)):
        spoiled = bytearray(whole)
        spoiled[at : at + 8] = b"\xff" * 8
        try:
            read(name, bytes(spoiled))
        except Unreadable as refusal:
            said.add(str(refusal))
    assert said <= {"is damaged, or not what its ending says", "holds no text"}


MAIL = b"From: a@example.org\nSubject: %s\nContent-Type: text/plain; charset=%s\n\n%s\n\n"


def test_an_odd_message_costs_no_other() -> None:
    box = b"From a\n" + MAIL % (b"One", b"utf-8", b"The key hangs behind the boiler.")
    box += b"From b\n" + MAIL % (b"Odd", b"x-unknown", b"\xff\xfe\x00")
    box += b"From c\n\nNo header lines here.\n\n"
    box += b"From d\n" + MAIL % (b"Two\nDate: 5 May 2025 09:00", b"utf-8", b"See you.")
    loaded = read("a.mbox", box)
    assert {"The key hangs behind the boiler.", "No header lines here.", "See you."} <= set(
        lines(loaded)
    )
    assert [loss.partition(":")[0] for loss in loaded.losses] == ["message 2", "message 3"]
    assert loaded.metadata.published is None


def test_attached_mails_and_texts_are_read() -> None:
    inner = MAIL % (b"Inner", b"utf-8", b"The boiler held 9.6 bar.")
    data = b"From: a@example.org\nContent-Type: multipart/mixed; boundary=b\n\n--b\n"
    data += b"Content-Type: message/rfc822\n\n" + inner + b"--b\n"
    data += b"Content-Type: text/csv\nContent-Disposition: attachment; filename=a.csv\n\n"
    data += b"place,degrees\ninlet,61.3\noutlet,55\n--b--\n"
    loaded = read("a.eml", data)
    assert "The boiler held 9.6 bar." in lines(loaded)
    place = loaded.snapshot.find_location(loaded.snapshot.text.index("61.3")) or ""
    assert place.endswith("Attached: a.csv!B2 › inlet, degrees")
    assert loaded.losses == ()


def test_what_a_mail_quotes_stands_under_its_writer_without_marks() -> None:
    data = MAIL % (b"Pump", b"utf-8", b"It fails.\n\nOn 9 May Ines\nwrote:\n\n> Does it\n> run?\n")
    loaded = read("a.eml", data + b"No.\n> And now?\n>\n>> Older\n>> words.\nNo.")
    places = [
        loaded.snapshot.find_location(at.start())
        for at in re.finditer("Does it run|now|No\\.|Older words", loaded.snapshot.text)
    ]
    quoted = "Pump › On 9 May Ines wrote"
    assert places == [quoted, "Pump", quoted, f"{quoted} › quoted", "Pump"]


def test_what_the_page_of_a_mail_quotes_stands_under_its_writer() -> None:
    page = (
        b"From: a@example.org\nSubject: Pump\nContent-Type: text/html\n\n<p>It fails.</p>"
        b"<div>On 9 May Ines wrote:<br></div><blockquote><p>Does it run?</p><blockquote>"
        b"<div>On 8 May Bo wrote:</div>Older.</blockquote><ol><li>Now?</li></ol></blockquote>"
        b"<p>No.</p>"
    )
    text = read("a.eml", page).snapshot
    places = [
        text.find_location(text.text.index(words)) for words in ("Does", "Older", "1. Now", "No.")
    ]
    quoted = "Pump › On 9 May Ines wrote"
    assert places == [quoted, "Pump › On 8 May Bo wrote", quoted, "Pump"]


@pytest.mark.parametrize(
    "front",
    [
        b"---\ntitle: Boiler\nowner: Mira\ntags: [a, b]\ndate: soon\n---\nText.\n",
        b'+++\ntitle = "Boiler"\nowner = "Mira"\ntags = ["a", "b"]\ndate = "soon"\n+++\nText.\n',
    ],
)
def test_front_matter_that_is_no_metadata_is_text(front: bytes) -> None:
    loaded = read("a.md", front)
    assert lines(loaded) == ["owner: Mira", "tags: a; b", "date: soon", "Text."]
    assert loaded.metadata.title == "Boiler"


def test_questions_in_buttons_are_headings_of_their_answers() -> None:
    page = (
        b"<h1>Shop</h1><button>Add to cart</button><h3><button>How long?</button></h3><p>2 y.</p>"
    )
    loaded = read("a.html", page)
    assert lines(loaded) == ["Shop", "How long?", "2 y."]


def test_outputs_of_notebooks_are_read_or_named() -> None:
    outputs = [
        {"data": {"text/html": ["<p>It was 7.7 t.</p>"]}},
        {"output_type": "error", "ename": "ValueError", "evalue": "too dry"},
        {"data": {"image/png": "iVBO"}},
    ]
    notebook = {"cells": [{"cell_type": "code", "source": "show()", "outputs": outputs}]}
    loaded = read("a.ipynb", json.dumps(notebook).encode())
    assert lines(loaded) == ["show()", "It was 7.7 t.", "ValueError: too dry"]
    assert loaded.losses == ("cell 1: an output of the type image/png",)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ("EncryptedPackage".encode("utf-16-le"), "is locked with a password"),
        (b"", "is in an old format of Office"),
    ],
)
def test_office_files_that_are_no_archive_say_why(data: bytes, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        read("a.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + data)


RTF = rb"""{\rtf1\ansi\ansicpg1252{\info{\title On weirs}}{\header Head\par}
Caf\'e9, \u8364 ? 12.{\footnote A note.}\par
\trowd\intbl Flat\cell Rent\cell\row\trowd\intbl South\cell 980\cell\row
{\pntext 1.}First.\par}"""


def test_rich_text_is_read_with_what_stands_beside_it() -> None:
    loaded = read("a.rtf", RTF)
    assert {"Café, € 12.", "South\t980", "1.First.", "A note.", "Head"} <= set(lines(loaded))
    assert loaded.metadata.title == "On weirs"


PICTURE = f"""<w:r xmlns:w="{WORD}"><w:drawing>
<wp:docPr xmlns:wp="p" name="Picture 1" descr="A weir in flood at Tarnbeck"/>
<pic:cNvPr xmlns:pic="c" descr="A weir in flood at Tarnbeck"/>
<pic:cNvPr xmlns:pic="c" descr="weir.png"/></w:drawing></w:r>"""
SLIDE = """<p:sld xmlns:p="p" xmlns:a="a"><p:sp><p:txBody><a:p><a:r><a:t>Weirs</a:t></a:r></a:p>
</p:txBody></p:sp><p:pic><p:nvPicPr><p:cNvPr descr="A weir in flood at Tarnbeck"/>
<p:cNvPr descr="Lock"/></p:nvPicPr>
</p:pic></p:sld>"""


def test_what_a_picture_is_said_to_show_is_read() -> None:
    document = docx.Document()
    document.add_paragraph("Before.")._p.append(parse_xml(PICTURE))
    for loaded in (read("a.docx", saved(document)), read("a.pptx", pack_slide(SLIDE))):
        assert loaded.snapshot.text.count("[picture: A weir in flood at Tarnbeck]") == 1
        assert "weir.png" not in loaded.snapshot.text
        assert loaded.losses == ()


def test_a_caption_above_a_table_names_its_cells() -> None:
    document = docx.Document()
    document.add_paragraph("Table 1. Errors by arm", style="Caption")
    table = document.add_table(2, 3)
    for row, cells in zip(
        table.rows, (("", "paper", "screen"), ("Rate", "9.4", "4.1")), strict=True
    ):
        for cell, words in zip(row.cells, cells, strict=True):
            cell.text = words
    loaded = read("a.docx", saved(document))
    assert "Table 1. Errors by arm › Rate, screen" in [m.label for m in loaded.snapshot.landmarks]
    assert loaded.snapshot.text.count("Errors by arm") == 1

"""Documents as the libraries of offices write them: read whole, or what is not read is named."""

import io
import re
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

import docx
import openpyxl
import pytest
from docx.opc.packuri import PackURI
from docx.oxml import parse_xml
from docx.shared import Pt
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.chart import BarChart
from openpyxl.comments import Comment
from openpyxl.styles import Alignment, PatternFill
from openpyxl.xml.constants import SHARED_STRINGS

from caveat.adapters.documents.accounting import list_losses, list_source
from caveat.adapters.documents.loaded import DocumentFormat, Unreadable
from caveat.adapters.documents.loaders import submit_document

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
BOX = f"""<w:r xmlns:w="{WORD}"
xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"
xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"
xmlns:v="urn:schemas-microsoft-com:vml"><mc:AlternateContent>
<mc:Choice Requires="wps"><w:drawing><wps:txbx><w:txbxContent>%(text)s</w:txbxContent></wps:txbx>
</w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox><w:txbxContent>%(text)s</w:txbxContent>
</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>"""
PICTURE = f"""<w:r xmlns:w="{WORD}"><w:drawing>
<wp:docPr xmlns:wp="p" name="Picture 1" descr="A weir in flood at Tarnbeck"/>
<pic:cNvPr xmlns:pic="c" descr="A weir in flood at Tarnbeck"/>
<pic:cNvPr xmlns:pic="c" descr="weir.png"/></w:drawing></w:r>"""
SET_IN = (["Item", "2022", "2023"], ["Staff", "70", "80"], ["Teachers", "40", "50"])


def saved(document: Any) -> bytes:
    """Save what a library of an office's format has made."""
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def repacked(archive: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    """Write an archive again, with what becomes of each member by its name and content."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as whole, zipfile.ZipFile(target, "w") as copy:
        for name in whole.namelist():
            copy.writestr(name, change(name, whole.read(name)))
    return target.getvalue()


def boxed(words: str) -> Any:
    return parse_xml(BOX % {"text": f"<w:p><w:r><w:t>{words}</w:t></w:r></w:p>"})


def fill(document: Any, rows: Sequence[Sequence[str]]) -> Any:
    table = document.add_table(len(rows), len(rows[0]))
    for row, cells in zip(table.rows, rows, strict=True):
        for cell, words in zip(row.cells, cells, strict=True):
            cell.text = words
    return table


def written_on_the_web(document: Any) -> None:
    document.add_paragraph("The granite weir holds.")
    document.part.partname = PackURI("/word/document2.xml")


def with_boxes(document: Any) -> None:
    document.add_paragraph("Before.")._p.append(boxed("In the body."))
    fill(document, [[""]]).cell(0, 0).paragraphs[0]._p.append(boxed("In a cell."))
    section = document.sections[0]
    section.header.paragraphs[0]._p.append(boxed("In the header."))
    section.footer.paragraphs[0]._p.append(boxed("In the footer."))


def with_an_object(document: Any) -> None:
    document.add_paragraph("Before.")._p.addnext(parse_xml(f'<w:altChunk xmlns:w="{WORD}"/>'))


def with_a_picture(document: Any) -> None:
    document.add_paragraph("Before.")._p.append(parse_xml(PICTURE))


def with_a_caption(document: Any) -> None:
    document.add_paragraph("Table 1. Errors by arm", style="Caption")
    fill(document, [("", "paper", "screen"), ("Rate", "9.4", "4.1")])


def with_runs(document: Any) -> None:
    document.add_heading("Weirs", 1)
    document.add_paragraph("The gra").add_run("nite weir").bold = True
    fill(document, [("Tarnbeck", "12 m")])
    document.sections[0].footer.paragraphs[0].text = "Board of weirs"


def set_in(document: Any) -> None:
    table = fill(document, SET_IN)
    table.cell(2, 0).paragraphs[0].paragraph_format.left_indent = Pt(12)


@pytest.mark.parametrize(
    ("write", "text", "places", "losses"),
    [
        (written_on_the_web, "The granite weir holds.", {}, ()),
        (
            with_boxes,
            "Before.\n\nIn the body.\n\nIn a cell.\n\nIn the footer.\n\nIn the header.",
            {"In the header.": "page header"},
            (),
        ),
        (with_an_object, "Before.", {}, ("embedded objects or documents",)),
        (with_a_picture, "Before. [picture: A weir in flood at Tarnbeck]", {}, ()),
        (
            with_a_caption,
            "Table 1. Errors by arm\n\n\tpaper\tscreen\n\nRate\t9.4\t4.1",
            {"4.1": "Table 1. Errors by arm › Rate, screen"},
            (),
        ),
        (
            with_runs,
            "Weirs\n\nThe granite weir\n\nTarnbeck\t12 m\n\nBoard of weirs",
            {"The granite": "Weirs", "Board": "Weirs › page footer"},
            (),
        ),
        (
            set_in,
            "Item\t2022\t2023\n\nStaff\t70\t80\n\nTeachers\t40\t50",
            {"80": "Staff, 2023", "50": "Staff, Teachers, 2023"},
            (),
        ),
    ],
)
def test_a_document_of_word_is_read(
    write: Callable[[Any], None], text: str, places: dict[str, str], losses: tuple[str, ...]
) -> None:
    document = docx.Document()
    write(document)
    loaded = submit_document("a.docx", saved(document)).result()
    assert loaded.snapshot.text == text
    assert loaded.losses == losses
    assert {each: loaded.snapshot.find_location(text.index(each)) for each in places} == places


def of_flats(sheet: Any) -> None:
    sheet.title = "Flats"
    power = CellRichText("10", TextBlock(InlineFont(vertAlign="superscript"), "5"))
    sheet.append(["Flat", "Rent", "Share", "Germs"])
    sheet.append(["North", 640, 0.125, power])
    sheet.append(["South", 980.5, 1, "=1+1"])
    sheet["B3"].number_format = '#,##0.00 "crowns"'
    sheet["C2"].number_format = "0%"
    sheet["B2"].comment = Comment("Since May.", "Ann")


def side_by_side(sheet: Any) -> None:
    """Two tables side by side, and hidden rows, columns and sheets."""
    for row in (("Region", "Sales", "Cost"), ("North", 5, 3), ("South", 6, 4)):
        sheet.append(row)
    for place, cells in enumerate((("Product", "Price"), ("Tea", 3.2), ("Salt", 1.1)), start=2):
        for column, value in enumerate(cells, start=5):
            sheet.cell(place, column, value)
    sheet["XFD1048576"].fill = PatternFill("solid", fgColor="FFFF00")
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["C"].hidden = True
    draft = sheet.parent.create_sheet("Draft")
    draft.append(["Label", None, 2019, 2020])
    draft.append(["Rent", None, 51, 61])  # a column that spaces is none between tables
    draft.sheet_state = "hidden"


def with_a_chart(sheet: Any) -> None:
    sheet["A1"], sheet["A1"].comment = "Weir", Comment("zander", "Ann")
    chart = BarChart()
    chart.title = "Depth by month"
    sheet.add_chart(chart, "D4")


def set_in_a_sheet(sheet: Any) -> None:
    for row in SET_IN:
        sheet.append(row)
    sheet["A3"].alignment = Alignment(indent=1)


def of_depths(sheet: Any) -> None:
    sheet.append(["depth", 12, 13.5])


def cover(_: str, part: bytes) -> bytes:
    merged = b'</sheetData><mergeCells count="1"><mergeCell ref="B1:C1"/></mergeCells>'
    return part.replace(b"</sheetData>", merged)


def put_strings_in(_: str, part: bytes) -> bytes:
    """Name a table of strings that is not there."""
    cell = '<c r="A1" t="inlineStr"><is><r><t>Sound </t></r><r><t>weir</t></r></is></c>'
    rows = f'<sheetData><row r="1">{cell}</row></sheetData>'
    named = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{SHARED_STRINGS}"/>'
    content = re.sub("<sheetData ?/>|<sheetData></sheetData>", rows, part.decode())
    return content.replace("</Types>", f"{named}</Types>").encode()


def damage(name: str, part: bytes) -> bytes:
    return b"<worksheet><sheetData><row" if name.endswith("sheet2.xml") else part


def describe(_: str, part: bytes) -> bytes:
    return part.replace(b'name="Chart 1"', b'name="A" descr="Weir in spate"')


FLATS = (
    "Flats\n\nFlat\tRent\tShare\tGerms\n\nNorth\t640\t12.5%\t10^5\n\n"
    "South\t980.5 crowns\t1\n\nSince May."
)
SIDES = (
    "Sheet\n\nRegion\tSales\tCost (hidden)\n\nNorth\t5\t3 (hidden)\n\n"
    "South (hidden row)\t6\t4 (hidden)\n\nProduct\tPrice\n\nTea\t3.2\n\nSalt\t1.1\n\n"
    "Draft (hidden sheet)"
)


@pytest.mark.parametrize(
    ("write", "change", "text", "places", "losses"),
    [
        (
            of_flats,
            None,
            FLATS,
            {"980.5": "Flats!B3 › South, Rent", "Since": "Flats › B2, comment by Ann"},
            ("1 formula without a value that was stored",),
        ),
        (
            side_by_side,
            None,
            f"{SIDES}\n\nLabel\t2019\t2020\n\nRent\t51\t61",
            {"3.2": "Sheet!F3 › Tea, Price", "61": "Draft (hidden sheet)!D2 › Rent, 2020"},
            (),
        ),
        (side_by_side, damage, SIDES, {}, ("xl/worksheets/sheet2.xml, which is damaged",)),
        (
            with_a_chart,
            describe,
            "Sheet\n\nWeir\n\nzander\n\nDepth by month\n\nWeir in spate",
            {"Depth by": "Sheet › chart"},
            (),
        ),
        (
            set_in_a_sheet,
            None,
            "Sheet\n\nItem\t2022\t2023\n\nStaff\t70\t80\n\nTeachers\t40\t50",
            {"80": "Sheet!C2 › Staff, 2023", "50": "Sheet!C3 › Staff, Teachers, 2023"},
            (),
        ),
        (
            of_depths,
            cover,
            "Sheet\n\ndepth\t12",
            {},
            ("1 cell, such as those that merged ones cover",),
        ),
        (None, put_strings_in, "Sheet\n\nSound weir", {}, ()),
    ],
)
def test_a_workbook_is_read(
    write: Callable[[Any], None] | None,
    change: Callable[[str, bytes], bytes] | None,
    text: str,
    places: dict[str, str],
    losses: tuple[str, ...],
) -> None:
    data = make_workbook(write)
    loaded = submit_document("a.xlsx", repacked(data, change) if change else data).result()
    assert loaded.snapshot.text == text
    assert loaded.losses == losses
    assert {each: loaded.snapshot.find_location(text.index(each)) for each in places} == places


def make_workbook(write: Callable[[Any], None] | None) -> bytes:
    book = openpyxl.Workbook()
    if write is not None:
        write(book.active)
    return saved(book)


def test_a_word_that_the_reader_of_a_workbook_drops_is_counted() -> None:
    (loss,) = list_losses(list_source(DocumentFormat.SHEETS, make_workbook(of_depths), ""), "")
    assert loss == "sheet1: a word not read, such as “depth”"


def test_a_workbook_may_name_its_members_as_windows_does() -> None:
    data = make_workbook(side_by_side).replace(b"xl/work", rb"xl\work")
    assert submit_document("a.xlsx", data).result().snapshot.text.startswith(SIDES)


@pytest.mark.parametrize("name", ["a.xlsx", "a.docx"])
def test_bytes_that_a_disk_spoiled_are_damage(name: str) -> None:
    whole = make_workbook(side_by_side) if name == "a.xlsx" else saved(docx.Document())
    said = set()
    entry = whole.index(b"PK\x01\x02")  # of the directory at the end, every field of which counts
    for at in (*range(0, len(whole), len(whole) // 40), *range(entry, entry + 46)):
        spoiled = bytearray(whole)
        spoiled[at : at + 8] = b"\xff" * 8
        try:
            submit_document(name, bytes(spoiled)).result()
        except Unreadable as refusal:
            said.add(str(refusal))
    assert said <= {"is damaged, or not what its ending says", "holds no text"}

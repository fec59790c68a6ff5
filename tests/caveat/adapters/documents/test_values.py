"""No value changes on its way into the text: powers, numbers of clauses, cells, fields."""

import re
from pathlib import Path

import docx
import openpyxl
import pytest
import typst
from docx.shared import Pt
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.comments import Comment
from openpyxl.styles import Alignment

from caveat.adapters.documents.formats import DocumentFormat, read
from caveat.adapters.documents.loaded import Loaded, Unreadable
from caveat.rules.evidence import describe_place
from caveat.rules.sentences import split_cells
from tests.fakes.archives import packed, saved
from tests.fakes.claims import a_claim

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def word(body: str, **parts: str) -> Loaded:
    document = f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>'
    return read(DocumentFormat.WORD, packed(word__document_xml=document, **parts))


def run(text: str, facts: str = "") -> str:
    return f'<w:r><w:rPr>{facts}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def html(markup: str) -> str:
    return read(DocumentFormat.HTML, markup.encode()).snapshot.text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("10<sup>5</sup> a litre", "10^5 a litre"),
        ("10<sup>−3</sup> m", "10^−3 m"),
        ("H<sub>2</sub>O and T<sub>max</sub>", "H₂O and T_max"),
        ("2<sup>1</sup>/<sub>2</sub> cups", "2 1/2 cups"),
        ("the 1<sup>st</sup> of May", "the 1st of May"),
        ("of <sup>14</sup>C", "of ^14C"),
        ("Ca<sup>2+</sup>", "Ca^(2+)"),
        ("<math><msup><mn>10</mn><mn>5</mn></msup></math>", "10^5"),
        ("<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>", "1/2"),
        ("length <input value='11.6'><input type=hidden value=x>", "length 11.6"),
    ],
)
def test_what_is_raised_or_lowered_in_html_joins_no_figure(markup: str, text: str) -> None:
    assert html(f"<p>{markup}</p>") == text


def test_a_head_that_begins_with_a_hash_is_one() -> None:
    table = b"## made by hand\n#,Name,Count\n1,Hard,42\n2,Blue,11\n"
    read_table = read(DocumentFormat.TABLE, table).snapshot
    assert read_table.text.startswith("made by hand\n\n#\tName\tCount")
    assert "C3 › made by hand › # 1, Count" in {mark.label for mark in read_table.landmarks}


CAPTIONED = """<h2>Fares</h2><table><caption>Single fares from 1 April</caption>
<tr><th>Ticket</th><th>Price (£)</th></tr><tr><td>Adult</td><td>8.90</td></tr></table><p>End.</p>"""


def test_a_caption_names_the_rows_of_its_table_and_nothing_behind_it() -> None:
    snapshot = read(DocumentFormat.HTML, CAPTIONED.encode()).snapshot
    start = snapshot.text.index("Adult")
    place = describe_place(snapshot, start, start + len("Adult\t8.90"))
    assert place == "Single fares from 1 April › Ticket, Price (£)"
    assert snapshot.place(snapshot.text.index("End.")) is None


HEADED = """Battery
It holds 2.6 MWh. It weighs 29 tonnes.

Best regards
Ann Example

All of the
Board was there, and the chair spoke.
the rest left."""


def test_a_short_line_right_above_prose_is_its_heading() -> None:
    snapshot = read(DocumentFormat.PLAIN, HEADED.encode()).snapshot
    assert snapshot.find_location(snapshot.text.index("It holds")) == "Battery"
    assert "Best regards Ann Example\n\nAll of the Board was there" in snapshot.text


def test_a_remark_above_a_table_is_none_of_its_rows() -> None:
    table = b"# weight in tonnes; at the end of the year\nCheese,2022,2023\nHard,31,42\nBlue,9,11\n"
    read_table = read(DocumentFormat.TABLE, table).snapshot
    assert read_table.text.startswith("weight in tonnes; at the end of the year\n\nCheese\t2022")
    above = "weight in tonnes; at the end of the year"
    assert f"C3 › {above} › Hard, 2023" in {mark.label for mark in read_table.landmarks}


STOPS = """Line 7: passengers at chosen stops
Passengers a day in hundreds; times of day
Stop;2022;2025;First tram
North;21,5;30,0;4:47
Fish market;34,0;41,5;4:55
"""


def test_lines_above_a_table_do_not_say_what_parts_its_cells() -> None:
    snapshot = read(DocumentFormat.TABLE, STOPS.encode()).snapshot
    row = "North\t21,5\t30,0\t4:47"
    start = snapshot.text.index(row)
    assert "\n\nPassengers a day in hundreds; times of day\n\n" in snapshot.text
    place = describe_place(snapshot, start, start + len(row))
    above = "Line 7: passengers at chosen stops › Passengers a day in hundreds; times of day"
    assert place == f"{above} › Stop, 2022, 2025, First tram"


ACCOUNTS = "Income,2018,2017,COSTS,2018,2017\nDues,61,58,Rent,40,39\nTOTAL,684,,TOTAL,690,801\n"


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
    snapshot = read(DocumentFormat.TABLE, ACCOUNTS.encode()).snapshot
    start = snapshot.text.index(row)
    assert describe_place(snapshot, start, start + len(row)) == place
    assert split_cells(a_claim("c1", row, location=place))[1:] == cells


def test_an_empty_cell_may_have_no_head_in_an_older_report() -> None:
    cells = split_cells(a_claim("c1", "TOTAL\t684\t\t801", location="2018, Rent"))
    assert cells == [("", "TOTAL"), ("2018", "684"), ("Rent", "801")]


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (";Visits\n2024;310\n", "\tVisits\n\n2024\t310"),
        ("Title\n;Visits\n2023;4\n2024;5\n", "Title\n\n\tVisits\n\n2023\t4\n\n2024\t5"),
        ("Title;;\nA;B;C\n1;2;3\n", "Title\n\nA\tB\tC\n\n1\t2\t3"),
        ("x,y\na,1,2\nb,3,4\n", "x\ty\n\na\t1\t2\n\nb\t3\t4"),
        ("name\nA\n", "name\n\nA"),
    ],
)
def test_the_first_row_of_a_table_is_no_title(table: str, text: str) -> None:
    assert read(DocumentFormat.TABLE, table.encode()).snapshot.text == text


def test_a_cell_that_is_too_long_is_named_and_no_crash() -> None:
    with pytest.raises(Unreadable):
        read(DocumentFormat.TABLE, b'a,b\n"' + b"x" * 200_000 + b'",1\n')


def test_a_head_stands_over_its_column_where_the_corner_is_empty() -> None:
    table = "<table><tr><th></th><th>2022</th><th>2025</th></tr><tr><td>Every</td><td>12</td>"
    assert "\t2022\t2025\n\nEvery\t12\t7" in html(f"<main>{table}<td>7</td></tr></table></main>")


STRUCK = "It costs [struck out: £7.20] £7.80."


def test_what_is_struck_out_is_shown_so() -> None:
    for tag in ("del", "s", "strike"):
        assert html(f"<p>It costs <{tag}>£7.20</{tag}> <ins>£7.80</ins>.</p>") == STRUCK
    markdown = read(DocumentFormat.MARKDOWN, "It costs ~~£7.20~~ £7.80.".encode())
    assert markdown.snapshot.text == STRUCK
    runs = f"{run('It costs ')}{run('£7.20', '<w:strike/>')}{run(' £7.80.')}"
    assert word(f"<w:p>{runs}</w:p>").snapshot.text == STRUCK


ODF = "urn:oasis:names:tc:opendocument:xmlns"


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        ('s:text-position="super 58%"', "It holds 10^5 cells."),
        ('s:text-position="-33% 58%"', "It holds 10₅ cells."),
        ('s:text-position="0% 100%"', "It holds 105 cells."),
        ('s:text-line-through-style="solid"', "It holds 10[struck out: 5] cells."),
        ('s:text-line-through-style="none"', "It holds 105 cells."),
    ],
)
def test_what_the_style_of_a_text_in_an_open_document_says_of_it(facts: str, text: str) -> None:
    content = (
        f'<o:document-content xmlns:o="{ODF}:office:1.0" xmlns:s="{ODF}:style:1.0" '
        f'xmlns:t="{ODF}:text:1.0"><o:automatic-styles><s:style s:name="T1">'
        f"<s:text-properties {facts}/></s:style></o:automatic-styles><o:body><o:text>"
        '<t:p>It holds 10<t:span t:style-name="T1">5</t:span> cells.</t:p>'
        "</o:text></o:body></o:document-content>"
    )
    loaded = read(DocumentFormat.OPEN_DOCUMENT, packed(content_xml=content))
    assert loaded.snapshot.text == text


def test_what_is_raised_or_lowered_in_word_joins_no_figure() -> None:
    raised = run("7", '<w:vertAlign w:val="superscript"/>')
    lowered = run("2", '<w:vertAlign w:val="subscript"/>')
    text = word(f"<w:p>{run('3 × 10')}{raised}{run(' of CO')}{lowered}</w:p>").snapshot.text
    assert text == "3 × 10^7 of CO₂"
    assert (
        word(f"<w:p>{run('5 ')}<w:r><w:sym w:char='F06D'/></w:r>{run('m')}</w:p>").snapshot.text
        == "5 μm"
    )


def test_what_is_raised_or_lowered_in_a_pdf_joins_no_figure(tmp_path: Path) -> None:
    (tmp_path / "a.typ").write_text(
        "It held 3 × $10^5$ tonnes, CO#sub[2] in 20 km#super[2], and 1987 books."
    )
    data = typst.compile(str(tmp_path / "a.typ"))
    text = read(DocumentFormat.PDF, data).snapshot.text
    assert text == "It held 3 × 10^5 tonnes, CO₂ in 20 km^2, and 1987 books."


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("Attach Form W-2#h(4em)#super(typographic: false)[8]", "Attach Form W-2 8"),
        ("age 70#super(typographic: false)[1]/#text(0.6em)[12]", "age 70 1/12"),
    ],
)
def test_a_box_beside_a_line_and_a_fraction_are_no_powers(
    markup: str, text: str, tmp_path: Path
) -> None:
    (tmp_path / "a.typ").write_text(markup)
    data = typst.compile(str(tmp_path / "a.typ"))
    assert read(DocumentFormat.PDF, data).snapshot.text == text


THE_SIGN = "signs that their fonts map to no text, shown as \ufffd"
FEW = "a few words whose fonts do not say what their signs mean, so that they may be others"


@pytest.mark.parametrize(
    ("drawn", "text", "loss"),
    [
        (
            b"/F1 12 Tf 9 99 Td (The total of all of the rates is) Tj /F2 12 Tf (X) Tj",
            "The total of all of the rates is\ufffd",
            THE_SIGN,
        ),
        (b"/F2 2 Tf 9 99 Td (XXXXXXXXXXXXXXXXXXXXXXXXXXXXXX) Tj", "X" * 30, FEW),
    ],
)
def test_signs_that_their_font_does_not_name_are_named(drawn: bytes, text: str, loss: str) -> None:
    drawn = b"BT %s ET" % drawn
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 6 0 R /Resources "
            b"<< /Font << /F1 4 0 R /F2 5 0 R >> >> >>"
        ),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        (
            b"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] "
            b"/CharProcs << /g1 7 0 R >> /Encoding << /Differences [88 /g1] >> "
            b"/FirstChar 88 /LastChar 88 /Widths [1] >>"
        ),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn),
        b"<< /Length 27 >>\nstream\n1 0 0 0 1 1 d1 0 0 1 1 re f\nendstream",
    ]
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % each for each in enumerate(objects, start=1))
    loaded = read(
        DocumentFormat.PDF, b"%PDF-1.4\n" + body + b"trailer\n<< /Size 8 /Root 1 0 R >>\n%%EOF"
    )
    assert loaded.snapshot.text == text
    assert loaded.losses == (f"page 1: {loss}",)


def test_three_columns_drawn_line_by_line_are_put_in_order(tmp_path: Path) -> None:
    line = "".join(f"[The tax of {farm} is due by May,], " for farm in ("ash", "beech", "cedar"))
    (tmp_path / "a.typ").write_text(
        f"#set text(7pt)\n#grid(columns: 3, column-gutter: 2em, row-gutter: 3pt, {line * 9})"
    )
    loaded = read(DocumentFormat.PDF, typst.compile(str(tmp_path / "a.typ")))
    assert re.findall("ash|beech|cedar", loaded.snapshot.text) == [
        farm for farm in ("ash", "beech", "cedar") for _ in range(9)
    ]
    assert loaded.losses == ()


def test_a_form_whose_lines_were_drawn_out_of_order_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.typ").write_text(
        "#for n in range(20) { place(dy: calc.rem(n * 13, 20) * 20pt)[Line #n: total tax of #n] }"
    )
    (loss,) = read(DocumentFormat.PDF, typst.compile(str(tmp_path / "a.typ"))).losses
    assert loss.startswith("page 1: lines in the order in which a form was drawn")


def test_items_keep_their_numbers() -> None:
    assert html("<ol start=3><li>Sheds.<li value=7><p>Bees.</ol><ol type=a><li>Cats.</ol>").split(
        "\n\n"
    ) == ["3. Sheds.", "7. Bees.", "a. Cats."]
    markdown = read(DocumentFormat.MARKDOWN, b"1. Fires.\n2. Dogs.\n").snapshot.text
    assert markdown == "1. Fires.\n\n2. Dogs."
    law = b"1. It holds until July\n2012.\n\n2. It is new.\n"
    wrapped = read(DocumentFormat.MARKDOWN, law).snapshot.text
    assert wrapped == "1. It holds until July 2012.\n\n2. It is new."


def test_clauses_of_word_are_numbered_as_they_are_shown() -> None:
    levels = "".join(
        f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="{written}"/>'
        f'<w:lvlText w:val="{shown}"/></w:lvl>'
        for level, (written, shown) in enumerate(
            [("decimal", "§ %1"), ("decimal", "%1.%2"), ("lowerLetter", "(%3)")]
        )
    )
    numbering = (
        f'<w:numbering xmlns:w="{W}"><w:abstractNum w:abstractNumId="0">{levels}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
    )

    def clause(level: int, text: str) -> str:
        facts = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="1"/></w:numPr>'
        return f"<w:p><w:pPr>{facts}</w:pPr>{run(text)}</w:p>"

    body = "".join(
        clause(level, text)
        for level, text in [
            (0, "Rent."),
            (1, "Due."),
            (2, "Cash."),
            (2, "Card."),
            (1, "Late."),
            (0, "Keys."),
        ]
    )
    text = word(body, word__numbering_xml=numbering).snapshot.text
    assert text.split("\n\n") == [
        "§ 1 Rent.", "1.1 Due.", "(a) Cash.", "(b) Card.", "1.2 Late.", "§ 2 Keys.",
    ]  # fmt: skip


def test_what_stands_beside_the_text_of_word_is_read() -> None:
    said = f'<w:comment w:id="0" w:author="Ann"><w:p>{run("Not so.")}</w:p></w:comment>'
    note = f'<w:comments xmlns:w="{W}">{said}</w:comments>'
    loaded = word(
        f'<w:p>{run("It is dry.")}<w:r><w:commentReference w:id="0"/></w:r></w:p>',
        word__comments_xml=note,
        word__header1_xml=f'<w:hdr xmlns:w="{W}"><w:p>{run("Draft 3")}</w:p></w:hdr>',
    )
    text = loaded.snapshot.text
    assert text == "It is dry.\n\nNot so.\n\nDraft 3"
    assert loaded.snapshot.find_location(text.index("Not so")) == "comment by Ann"
    assert loaded.snapshot.find_location(text.index("Draft")) == "page header"


ROW = "<tr><td>Rye</td><td>2.10</td><td>3.80</td></tr>"


@pytest.mark.parametrize(
    ("head", "large"),
    [
        ("<tr><td>Loaf</td><td>small</td><td>large</td></tr>", "Rye, large"),
        ("<tr><td>Loaf<td>2023 (£ thousand)<td>2024 (£ thousand)", "Rye, 2024 (£ thousand)"),
        (
            "<tr><th rowspan=2>Loaf<th colspan=2>Price</tr><tr><th>small<th>large</tr>",
            "Rye, Price, large",
        ),
    ],
)
def test_cells_are_named_by_their_row_and_column(head: str, large: str) -> None:
    snapshot = read(DocumentFormat.HTML, f"<table>{head}{ROW}</table>".encode()).snapshot
    assert snapshot.find_location(snapshot.text.index("3.80")) == large
    other = read(DocumentFormat.HTML, b"<table><tr><td>Pets<td>no</table>").snapshot
    assert other.find_location(other.text.index("no")) == "Pets"


def test_cells_of_a_sheet_keep_sign_place_and_value() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Flats"
    power = CellRichText("10", TextBlock(InlineFont(vertAlign="superscript"), "5"))
    for row in (
        ["Flat", "Rent", "Share", "Germs"],
        ["North", 640, 0.125, power],
        ["South", 980.5, 1, "=1+1"],
    ):
        sheet.append(row)
    sheet["B3"].number_format = '#,##0.00 "crowns"'
    sheet["C2"].number_format = "0%"
    sheet["B2"].comment = Comment("Since May.", "Ann")
    loaded = read(DocumentFormat.SHEETS, saved(book))
    text = loaded.snapshot.text
    assert text.split("\n\n")[2:4] == ["North\t640\t12.5%\t10^5", "South\t980.5 crowns\t1"]
    assert loaded.snapshot.find_location(text.index("980.5")) == "Flats!B3 › South, Rent"
    assert loaded.snapshot.find_location(text.index("Since")) == "Flats › B2, comment by Ann"
    assert loaded.losses == ("1 formula without a value that was stored",)


SET_IN = (["Item", "2022", "2023"], ["Staff", "70", "80"], ["Teachers", "40", "50"])


def set_in_word() -> bytes:
    document = docx.Document()
    table = document.add_table(3, 3)
    for row, cells in zip(table.rows, SET_IN, strict=True):
        for cell, words in zip(row.cells, cells, strict=True):
            cell.text = words
    table.cell(2, 0).paragraphs[0].paragraph_format.left_indent = Pt(12)
    return saved(document)


def set_in_a_sheet() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in SET_IN:
        sheet.append(row)
    sheet["A3"].alignment = Alignment(indent=1)
    return saved(book)


SET_IN_TYPST = b"""#table(columns: 3, [Item], [2022], [2023], [Staff], [70], [80],
[#h(1em)Teachers], [40], [50])"""
SET_IN_MARKUP = """<table><tr><td>Item<td>2022<td>2023</tr><tr><td>Staff<td>70<td>80</tr>
<tr><td%s>%sTeachers<td>40<td>50</tr></table>"""


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (DocumentFormat.WORD, set_in_word()),
        (DocumentFormat.SHEETS, set_in_a_sheet()),
        (DocumentFormat.PDF, typst.compile(SET_IN_TYPST)),
        (DocumentFormat.HTML, (SET_IN_MARKUP % (" style='padding-left: 9999px'", "")).encode()),
        (DocumentFormat.HTML, (SET_IN_MARKUP % ("", "\n &nbsp; ")).encode()),
        (DocumentFormat.TABLE, b"Item,2022,2023\nStaff,70,80\n  Teachers,40,50\n"),
    ],
    ids=["word", "sheets", "pdf", "style", "blanks", "table"],  # an archive's size is of its time
)
def test_a_row_that_is_set_in_is_a_part_of_the_one_above(kind: DocumentFormat, data: bytes) -> None:
    snapshot = read(kind, data).snapshot
    assert "Staff, Teachers, 2023" in str(snapshot.find_location(snapshot.text.index("50")))
    assert "Staff, 2023" in str(snapshot.find_location(snapshot.text.index("80")))

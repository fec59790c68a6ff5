"""Tables, columns, headings and signs of PDFs: cells keep their rows, and signs their place."""

from pathlib import Path

import pytest
import typst

from caveat.adapters.documents.loaded import Loaded
from caveat.adapters.documents.pdf import load_pdf

PAGE = "#set page(width: 420pt, height: 500pt)\n#set text(10pt)\n"


def typeset(folder: Path, source: str) -> Loaded:
    (folder / "a.typ").write_text(PAGE + source)
    return load_pdf(typst.compile(str(folder / "a.typ")))


def lines(loaded: Loaded) -> list[str]:
    return loaded.snapshot.text.split("\n\n")


def test_a_number_centred_over_two_lines_stays_with_its_row(tmp_path: Path) -> None:
    text = "Inspection of a culvert by a diver with travel inside the district, part "
    cells = "".join(f"[43{n:02}], [{text} {n}], [{n}8.20], " for n in range(4))
    loaded = typeset(
        tmp_path,
        f"#table(columns: (60pt, 150pt, 60pt), align: horizon, [Item], [Work], [Fee], {cells})",
    )
    assert f"4302\t{text}2\t28.20" in lines(loaded)
    place = loaded.snapshot.find_location(loaded.snapshot.text.index("28.20"))
    assert place == "p. 1 › Item 4302, Fee"


def test_cells_that_span_rows_name_each_of_them(tmp_path: Path) -> None:
    groups = "".join(
        f"table.cell(rowspan: 2)[{group}], [under 5], [{days}], [over 5], [{days + 2}], "
        for group, days in (("Drivers", 24), ("Fitters", 27))
    )
    loaded = typeset(tmp_path, f"#table(columns: 3, [Group], [Years], [Days], {groups})")
    place = loaded.snapshot.find_location(loaded.snapshot.text.index("29"))
    assert place == "p. 1 › Fitters, over 5, Days"


def test_rows_that_no_line_parts_are_told_where_their_cells_stand_level(tmp_path: Path) -> None:
    frame = "(x, y) => (left: 1pt, right: 1pt, top: if y < 2 {1pt}, bottom: if y == 3 {1pt})"
    rows = "[Item], [2023], [Tea], [70], [Milk], [40], [Oil], [7]"
    loaded = typeset(tmp_path, f"#table(columns: 2, stroke: {frame}, {rows})")
    assert lines(loaded) == ["Item\t2023", "Tea\t70", "Milk\t40", "Oil\t7"]


def test_a_table_without_lines_is_told_by_what_stands_aligned(tmp_path: Path) -> None:
    rows = "".join(f"[{town}], [{n}1], [{n}2], " for n, town in enumerate("ABCD", start=1))
    table = f"#grid(columns: 3, gutter: 14pt, [Town], [Oct], [Nov], {rows})"
    loaded = typeset(tmp_path, f"The rain of two months is below.\n\n{table}\n\nIt was wet.")
    assert "C\t31\t32" in lines(loaded)
    assert {"The rain of two months is below.", "It was wet."} <= set(lines(loaded))
    place = loaded.snapshot.find_location(loaded.snapshot.text.index("32"))
    assert place == "p. 1 › C, Nov"


def test_a_table_whose_rows_cannot_be_told_is_named(tmp_path: Path) -> None:
    rows = "".join(f"[{n}1], [a job\\ of two lines], [{n}2], " for n in range(1, 6))
    loaded = typeset(tmp_path, f"#grid(columns: 3, column-gutter: 30pt, row-gutter: 6pt, {rows})")
    assert loaded.losses == (
        "page 1: a table whose rows cannot be told, so that its cells stand line by line",
    )


def test_contents_are_no_table(tmp_path: Path) -> None:
    entries = "".join(f"[Chapter on {n}], [{n}], " for n in range(1, 7))
    loaded = typeset(tmp_path, f"#grid(columns: (1fr, auto), gutter: 8pt, {entries})")
    assert "\t" not in loaded.snapshot.text


@pytest.mark.parametrize("size", [10, 14])
def test_headings_that_end_in_a_number_are_kept(tmp_path: Path, size: int) -> None:
    rooms = "\n#pagebreak()\n".join(
        f"#text({size}pt)[Room {n}]\n\nThe bed is {n} cm wide.\n\nKeys are at the desk."
        for n in range(101, 106)
    )
    assert [f"Room {n}" in lines(typeset(tmp_path, rooms)) for n in range(101, 106)] == [True] * 5


def test_running_titles_and_numbers_of_pages_are_said_once(tmp_path: Path) -> None:
    text = "\n\n".join(
        f"Paragraph {n} says something about the weir of the town." for n in range(60)
    )
    head = "[Annual report #h(1fr) #context counter(page).display()]"
    loaded = typeset(tmp_path, f"#set page(header: {head}, footer: align(center)[Town])\n{text}")
    assert loaded.snapshot.text.count("Annual report") == 1
    assert loaded.snapshot.text.count("Town") == 1


def drawn(content: bytes, to_unicode: bytes = b"") -> bytes:
    """A PDF of one page whose font maps its signs as it says."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Contents 5 0 R /Resources 7 0 R >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica"
        + (b" /ToUnicode 6 0 R" if to_unicode else b"")
        + b" >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(to_unicode), to_unicode),
        b"<< /Font << /F1 4 0 R >> >>",
    ]
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % each for each in enumerate(objects, start=1))
    return b"%PDF-1.4\n" + body + b"trailer\n<< /Size 8 /Root 1 0 R >>\n%%EOF"


MAP = b"""/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /A def
1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <2D> <0003> endbfchar
1 beginbfrange <20> <2C> <0020> endbfrange 1 beginbfrange <2E> <7E> <002E> endbfrange
endcmap end end"""


def test_a_sign_that_is_mapped_to_no_text_is_shown_and_named() -> None:
    loaded = load_pdf(drawn(b"BT /F1 12 Tf 9 99 Td (The change was -8.7 million.) Tj ET", MAP))
    assert loaded.snapshot.text == "The change was \ufffd8.7 million."
    assert loaded.losses == ("page 1: signs that their fonts map to no text, shown as \ufffd",)


def test_letters_that_are_drawn_one_by_one_stand_in_their_cells() -> None:
    rows = [("Lost", "less than 1"), ("Works", "Costs, mio"), ("Mast", "10.4")]
    words = [(30, 250, "All costs are eligible.")]
    words += [
        each
        for y, row in zip((230, 210, 190), rows, strict=True)
        for each in ((30, y, row[0]), (64, y, row[1]))
    ]
    letters = "".join(
        f"BT /F1 10 Tf {x + 6.2 * place} {y} Td ({sign}) Tj ET\n"
        for x, y, text in words
        for place, sign in enumerate(text)
    )
    grid = "".join(f"28 {y} m 150 {y} l S\n" for y in range(183, 260, 20))
    grid += "".join(f"{x} 183 m {x} 243 l S\n" for x in (28, 62, 150))
    loaded = load_pdf(drawn((letters + grid).encode()).replace(b"Helvetica", b"Courier"))
    assert lines(loaded) == [words[0][2], *map("\t".join, rows)]


def test_a_space_that_is_mapped_to_a_return_is_no_ligature() -> None:
    as_return = MAP.replace(b"<2D> <0003>", b"<2D> <000D>")
    text = b"BT /F1 12 Tf 9 99 Td (The-) Tj 30 0 Td (re-ection of-) Tj 70 0 Td (weirs) Tj ET"
    assert load_pdf(drawn(text, as_return)).snapshot.text == "The reflection of weirs"


@pytest.mark.parametrize(
    ("above", "below", "word"),
    [
        ("Offers are based on price-", "determining factors of the day.", "price-determining"),
        ("The chamber has a constant tempera-", "ture of 18.5 degrees.", "temperature"),
    ],
)
def test_a_hyphen_of_a_word_stays_at_a_line_end(above: str, below: str, word: str) -> None:
    text = f"BT /F1 12 Tf 9 99 Td ({above}) Tj 0 -14 Td ({below}) Tj ET"
    assert word in load_pdf(drawn(text.encode())).snapshot.text


def test_the_ink_of_a_letter_sets_no_row_in(tmp_path: Path) -> None:
    rows = "[Appeal], [4], [Court order], [2], [#h(1.5pt)MLAT], [0], [#h(9pt)of police], [1]"
    loaded = typeset(tmp_path, f"#table(columns: 2, [Type], [Number], {rows})")
    places = {loaded.snapshot.find_location(mark.offset) for mark in loaded.snapshot.landmarks}
    assert {"p. 1 › MLAT, Number", "p. 1 › MLAT, of police, Number"} <= places

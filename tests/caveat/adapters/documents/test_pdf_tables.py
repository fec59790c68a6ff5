"""Tables, columns, headings and signs of PDFs: cells keep their rows, and signs their place."""

from pathlib import Path

import typst

from caveat.adapters.documents.loaded import Loaded
from caveat.adapters.documents.pdf import load_pdf

PAGE = "#set page(width: 420pt, height: 500pt)\n#set text(10pt)\n"


def typeset(folder: Path, source: str) -> Loaded:
    (folder / "a.typ").write_text(PAGE + source)
    return load_pdf(typst.compile(str(folder / "a.typ")))


def lines(loaded: Loaded) -> list[str]:
    return loaded.snapshot.text.split("\n\n")


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

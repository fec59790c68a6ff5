import re
import resource
from functools import partial
from itertools import count
from pathlib import Path

import pytest
import typst
from pypdfium2 import PdfDocument, PdfImage, PdfMatrix

from caveat.adapters.documents import recognition
from caveat.adapters.documents.loaded import DocumentFormat
from caveat.adapters.documents.loaders import load
from caveat.adapters.documents.pdf import is_language
from caveat.adapters.documents.reader import read
from caveat.adapters.documents.recognition import find_tesseract
from caveat.failures import PortFailure
from tests.fakes.swelling import FONT, write_pdf, write_stream

pytestmark = pytest.mark.xdist_group("pdf")  # one process makes its fixtures

load_pdf = partial(read, DocumentFormat.PDF)

LONG = (
    "The international organisation characterised extraordinarily complicated "
    "interdependencies between communities, notwithstanding considerable methodological "
    "uncertainties. "
)
SOURCE = f"""
#set document(title: "A typeset note", date: datetime(year: 2021, month: 3, day: 4))
#set page(width: 9cm, height: 9cm, header: [A running title])
#set page(footer: context counter(page).display())
#set par(justify: true)
#set text(hyphenate: true, lang: "en")
= First heading

{LONG * 3}

The well-known state-of-the-art estimate is 73.04 km/s/Mpc.

{LONG * 8}
"""


@pytest.fixture(scope="module")
def typeset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pdf")
    (folder / "note.pdf").write_bytes(typst.compile(SOURCE.encode()))
    return folder / "note.pdf"


def test_words_sentences_and_pages_are_whole(typeset: Path) -> None:
    loaded = load(typeset)
    assert loaded.metadata.title == "A typeset note"
    assert loaded.metadata.published is None, "the day a file was made is none of publication"
    snapshot = loaded.snapshot
    labels = [mark.label for mark in snapshot.landmarks]
    assert list(dict.fromkeys(label[:4] for label in labels))[:3] == ["p. 1", "p. 2", "p. 3"]
    assert "p. 1 › First heading" in labels, "as the outline names it"
    assert snapshot.text.count(LONG.strip()) == 11
    assert "The well-known state-of-the-art estimate is 73.04 km/s/Mpc." in snapshot.text
    assert snapshot.text.count("running title") == 1
    assert not re.search(r"[\x00-\x09\x0b-\x1f\ufffe]", snapshot.text)
    second = next(mark.offset for mark in snapshot.landmarks if mark.label.startswith("p. 2"))
    assert (snapshot.find_location(second - 1) or "").startswith("p. 1")


def test_a_locked_pdf_says_so(tmp_path: Path) -> None:
    # An encryption dictionary whose key nobody knows: PDFium asks for the password.
    encrypt = b"<< /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <%s> /U <%s> >>" % (
        b"11" * 32,
        b"22" * 32,
    )
    body = write_pdf([FONT % b"", encrypt], b"/Encrypt 5 0 R /ID [<00> <00>]")
    (tmp_path / "locked.pdf").write_bytes(body)
    with pytest.raises(PortFailure, match="locked with a password"):
        load(tmp_path / "locked.pdf")


def test_scanned_pages_say_so(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(typst.compile(b"#rect()"))
    with pytest.raises(PortFailure, match="scan"):
        load(tmp_path / "a.pdf")


def scanned(typeset: Path, folder: Path) -> Path:
    """The typeset note with its second page as a picture, as a scanner leaves it."""
    with PdfDocument(typeset) as note, PdfDocument.new() as scan:
        scan.import_pages(note, [0])
        picture = PdfImage.new(scan)
        picture.set_bitmap(note[1].render(scale=300 / 72, grayscale=True))
        width, height = note[1].get_size()
        picture.set_matrix(PdfMatrix().scale(width, height))
        page = scan.new_page(width, height)
        page.insert_obj(picture)
        page.gen_content()
        scan.save(folder / "scan.pdf")
    return folder / "scan.pdf"


@pytest.mark.skipif(find_tesseract() is None, reason="Tesseract is not installed.")
def test_the_picture_of_a_page_is_recognised_and_marked(typeset: Path, tmp_path: Path) -> None:
    loaded = load(scanned(typeset, tmp_path))
    second = loaded.snapshot.landmarks[1]
    assert second.label == "p. 2, by OCR"
    assert loaded.snapshot.text[second.offset :].count(LONG.strip()) >= 1
    assert loaded.losses == (
        "page 2: a picture, read by OCR, which may mistake letters and figures",
    )


@pytest.mark.parametrize(("name", "has"), [("find_tesseract", lambda: None), ("SECONDS", 0.0)])
def test_without_tesseract_or_time_the_picture_of_a_page_is_named(
    typeset: Path, tmp_path: Path, name: str, has: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recognition, name, has)
    loaded = load_pdf(scanned(typeset, tmp_path).read_bytes())
    assert loaded.losses == ("page 2: a picture, perhaps a scan, whose text is not read",)


def test_recognition_is_bound_by_the_clock_and_not_by_a_readers_processor_time(
    typeset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        recognition, "find_tesseract", lambda: ("/bin/sh", "-c", "echo is `ulimit -t`")
    )
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (100_000, hard))
    try:
        loaded = load_pdf(scanned(typeset, tmp_path).read_bytes())
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))
    bound = "unlimited" if hard == resource.RLIM_INFINITY else str(hard)
    assert f"is {bound}" in loaded.snapshot.text


TWO = """
#set page(numbering: "i")
Foreword. The author thanks the keepers.
#pagebreak()
#counter(page).update(1)
#set page(numbering: "1")
The weir was rebuilt in 1931 with granite.
#pagebreak()
#rect(width: 50%)
= References
[1] P. Moor. The weir was rebuilt in 1922. 2008.
"""


def test_pages_are_cited_as_they_are_printed(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(typst.compile(TWO.encode()))
    loaded = load(tmp_path / "a.pdf")
    snapshot = loaded.snapshot
    assert snapshot.find_location(0) == "p. i (1st of 3)"
    assert snapshot.find_location(snapshot.text.index("1931")) == "p. 1 (2nd of 3)"
    assert snapshot.is_listing(snapshot.text.index("Moor"))
    assert not snapshot.is_listing(snapshot.text.index("1931"))


def test_running_titles_and_numbers_of_pages_are_said_once() -> None:
    text = "\n\n".join(
        f"Paragraph {n} says something about the weir of the town." for n in range(60)
    )
    head = "[Annual report #h(1fr) #context counter(page).display()]"
    source = f"#set page(height: 400pt, header: {head}, footer: align(center)[Town])\n{text}"
    shown = load_pdf(typst.compile(source.encode())).snapshot.text
    assert shown.count("Annual report") == shown.count("Town") == 1


def test_a_word_that_a_page_divides_is_not_lost() -> None:
    page = "width: 93mm, height: 6cm, margin: 1cm, footer-descent: 1pt"
    source = f"#set page({page}, footer: align(right)[#context counter(page).display()])\n"
    source += f'#set par(justify: true)\n#set text(hyphenate: true, lang: "en")\n{LONG * 4}'
    assert read(DocumentFormat.PDF, typst.compile(source.encode())).losses == ()


def test_pages_for_which_there_is_no_time_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = count()
    monkeypatch.setattr("time.process_time", lambda: next(seconds))
    monkeypatch.setattr("resource.getrlimit", lambda _: (5, 5))
    source = "\n#pagebreak()\n".join(f"The {number}th weir of the town." for number in range(6))
    loaded = load_pdf(typst.compile(source.encode()))
    assert "The 3th weir" in loaded.snapshot.text
    assert "The 4th weir" not in loaded.snapshot.text
    assert loaded.losses == ("pages 5–6: not read, for the document takes longer than one may",)


def drawn(content: bytes, to_unicode: bytes = b"") -> bytes:
    """A PDF of one page whose font maps its signs as it says."""
    font = FONT % (b" /ToUnicode 5 0 R" if to_unicode else b"")
    return write_pdf([font, write_stream(to_unicode), write_stream(content)])


MAP = b"""/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /A def
1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <2D> <0003> endbfchar
1 beginbfrange <20> <2C> <0020> endbfrange 1 beginbfrange <2E> <7E> <002E> endbfrange
endcmap end end"""


def test_a_sign_that_is_mapped_to_no_text_is_shown_and_named() -> None:
    loaded = load_pdf(drawn(b"BT /F1 12 Tf 9 99 Td (The change was -8.7 million.) Tj ET", MAP))
    assert loaded.snapshot.text == "The change was \ufffd8.7 million."
    assert loaded.losses == ("page 1: signs that their fonts map to no text, shown as \ufffd",)


ACCENTS = MAP.replace(b"<0003>", b"<00A8>")


def test_accents_that_are_drawn_by_themselves_are_of_the_letters_below() -> None:
    before, behind = b"(G-) 333 (un)", b"(Gu) 445 (-) -112 (n)"
    late = b"(Lof ) 1170 (-) -1000 (of x)"
    content = b"BT /F1 12 Tf 9 99 Td [%s] TJ 60 0 Td [%s] TJ 70 0 Td [%s] TJ ET"
    shown = load_pdf(drawn(content % (before, behind, late), ACCENTS)).snapshot.text
    assert shown == "Gün Gün Löf of x"


NULLS = MAP.replace(b"<0003>", b"<0000>")
ARROWS = MAP.replace(b"<0003>", b"<21B5>")


def test_an_arrow_in_a_word_is_the_ligature_that_makes_a_known_word() -> None:
    content = b"BT /F1 12 Tf 9 99 Td (Di-erent e-orts of the yard, A-B and -ow.) Tj ET"
    shown = load_pdf(drawn(content, ARROWS)).snapshot.text
    assert shown == "Different efforts of the yard, A\u21b5B and \u21b5ow."


def test_a_nameless_sign_is_the_ligature_that_makes_a_known_word_or_is_shown() -> None:
    said = b"(The -nancial o-cers re-ect on - ows, a drop-o- store and the -at rate of the year.)"
    loaded = load_pdf(drawn(b"BT /F1 12 Tf 9 99 Td " + said + b" Tj ET", NULLS))
    assert loaded.snapshot.text == (
        "The financial officers reflect on \ufffd ows, a drop\ufffdo\ufffd store and the flat rate "
        "of the year."
    )
    (loss,) = loaded.losses
    assert loss == (
        "page 1: ligatures that their fonts do not name, read as the words that they make; "
        "signs that their fonts map to no text, shown as \ufffd"
    )


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
    assert loaded.snapshot.text.split("\n\n") == [words[0][2], *map("\t".join, rows)]


def test_a_space_that_is_mapped_to_a_return_is_no_ligature() -> None:
    as_return = MAP.replace(b"<2D> <0003>", b"<2D> <000D>")
    text = b"BT /F1 12 Tf 9 99 Td (The-) Tj 30 0 Td (re-ection of-) Tj 70 0 Td (weirs) Tj ET"
    assert load_pdf(drawn(text, as_return)).snapshot.text == "The reflection of weirs"


SAID = (
    "The keepers of the lock wrote down what they saw in the log, day after day, until the weir "
    "was rebuilt in granite and the old gauges were taken away to the museum of the town."
)


@pytest.mark.parametrize(
    "text",
    [
        SAID,
        " ".join(SAID),
        "Kündigungsfrist: drei Monate zum Quartalsende, schriftlich und eigenhändig. " * 3,
        "青石水库的总库容是三千二百万立方米。" * 5,
        "Contents ........................................ 12",
        "Ab 3.",
    ],
)
def test_text_is_text(text: str) -> None:
    assert is_language(text)


@pytest.mark.parametrize(
    "text",
    [
        "".join(chr(ord(sign) - 29) if sign != " " else " " for sign in SAID),
        "".join(chr(0xE000 + ord(sign)) for sign in SAID),
        "\x01\x02\x03 \x04\x05\x06 \x07\x08\x10\x11 \x12\x13\x14" * 5,
        "! \" # $ %% & ' ( ) * +" * 5,
        " ".join("HIJKLMNOPQRSOTUVWTPQRXWYORZTQRSOATPSUUWPQRSE" * 4),
        "t`#licitGnE^v]|b}j!rci[w]li]k^a`ec7tvjKrbH[*tP~g]?ckrdw`ec5`#g`!b]c7[*]?jKlim`erd~w " * 4,
    ],
)
def test_signs_of_a_font_that_does_not_say_what_they_mean_are_none(text: str) -> None:
    assert not is_language(text)

import re
import resource
from pathlib import Path

import pytest
import typst
from pypdfium2 import PdfDocument, PdfImage, PdfMatrix

from caveat.adapters.documents import recognition
from caveat.adapters.documents.loaders import load
from caveat.adapters.documents.pdf import load_pdf
from caveat.adapters.documents.recognition import find_tesseract
from caveat.failures import PortFailure

pytestmark = pytest.mark.xdist_group("pdf")  # one process makes its fixtures

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
    pages = b"<< /Type /Pages /Kids [] /Count 0 >>"
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", pages, encrypt]
    body, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = b"<< /Size 4 /Root 1 0 R /Encrypt 3 0 R /ID [<00> <00>] >>"
    body += b"xref\n0 4\n0000000000 65535 f \n%strailer\n%s\nstartxref\n%d\n%%%%EOF" % (
        table,
        trailer,
        len(body),
    )
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

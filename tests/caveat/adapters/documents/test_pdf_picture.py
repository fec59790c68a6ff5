import struct
import zlib

import pytest
import typst

from caveat.adapters.documents.loaded import DocumentFormat, Unreadable
from caveat.adapters.documents.reader import read
from caveat.adapters.documents.readers import READERS

pytestmark = pytest.mark.xdist_group("pdf")  # one process makes its fixtures

QUOTE = "The extraordinarily complicated measurement gives 73.04 km/s/Mpc, or about 10² of them."
SOURCE = f"""
#set page(width: 9cm, height: 7cm, numbering: "i")
#set par(justify: true)
#set text(hyphenate: true, lang: "en")
#lorem(60)
#pagebreak()
First words of another page. {QUOTE} #lorem(20)
#pagebreak()
#page(flipped: true)[A page that lies on its side. {QUOTE}]
"""


@pytest.fixture(scope="module")
def note(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    file = tmp_path_factory.mktemp("pdf") / "note.typ"
    file.write_text(SOURCE)
    return typst.compile(str(file))


def list_marked_rows(png: bytes) -> list[int]:
    """Return the rows of a picture, of 100, in which something is yellow."""
    width, height = struct.unpack(">II", png[16:24])
    size = struct.unpack(">I", png[33:37])[0]
    dots = zlib.decompress(png[41 : 41 + size])
    stride = 1 + 3 * width
    assert len(dots) == stride * height
    marked = []
    for row in range(height):
        line = dots[row * stride + 1 : (row + 1) * stride]
        if any(red > 250 and blue < 110 for red, blue in zip(line[::3], line[2::3], strict=True)):
            marked.append(100 * row // height)
    return marked


def test_a_quote_is_marked_on_the_page_that_it_is_cited_by(note: bytes) -> None:
    """It goes over lines, whose ends divide words, and its figures may be raised."""
    text = read(DocumentFormat.PDF, note).snapshot
    place = text.text.index("The extraordinarily")
    label = text.find_location(place) or ""
    assert label == "p. ii (2nd of 3)"
    rows = list_marked_rows(READERS.draw(note, label, QUOTE).result())
    assert 10 < rows[0] < 30, rows
    assert 30 < rows[-1] < 60, rows
    assert list_marked_rows(READERS.draw(note, "p. iii (3rd of 3)", QUOTE).result())
    assert not list_marked_rows(READERS.draw(note, "p. i (1st of 3)", QUOTE).result())


@pytest.mark.parametrize("data", [b"%PDF-1.7 and nothing more", b""])
def test_what_cannot_be_drawn_is_refused(note: bytes, data: bytes) -> None:
    with pytest.raises(Unreadable, match="damaged"):
        READERS.draw(data, "p. 1", QUOTE).result()
    with pytest.raises(Unreadable, match=r"has no p\. 17"):
        READERS.draw(note, "p. 17", QUOTE).result()

"""Formats that people have: each is read with what its parts are called."""

import pytest

from caveat.adapters.documents.formats import DocumentFormat, read
from caveat.adapters.documents.loaded import Unreadable
from caveat.adapters.documents.loaders import submit_document
from tests.fakes.archives import packed

MESSAGE = b"""From: Ann <a@example.org>
To: b@example.org
Date: Tue, 02 Jan 2024 10:00:00 +0100
Subject: The pump
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=X

--X
Content-Type: text/plain; charset=utf-8

It delivers 57 litres a minute.
--X
Content-Type: application/pdf; name=plan.pdf
Content-Disposition: attachment; filename=plan.pdf

x
--X--
"""
DATA = b'{"station": "Renn", "flats": [{"name": "South", "rent": 980.50}], "deep": {"open": true}}'


@pytest.mark.parametrize(
    ("written_in", "data", "says"),
    [
        (DocumentFormat.DATA, DATA, ["station: Renn", "South\t980.50", "deep.open: true"]),
        (DocumentFormat.DATA, b'{"a": 1.10}\n{"a": 2}', ["1.10"]),
        (
            DocumentFormat.MESSAGE,
            MESSAGE,
            ["From: Ann <a@example.org>", "57 litres", "Attached: plan.pdf"],
        ),
        (DocumentFormat.BOX, b"From x\n" + MESSAGE + b"\n\nFrom y\n" + MESSAGE, ["57 litres"]),
    ],
)
def test_each_is_read_in_its_own_words(
    written_in: DocumentFormat, data: bytes, says: list[str]
) -> None:
    text = read(written_in, data).snapshot.text
    assert [words for words in says if words not in text] == []


def test_cells_are_places() -> None:
    snapshot = read(DocumentFormat.DATA, DATA).snapshot
    place = snapshot.find_location(snapshot.text.index("980")) or ""
    assert place.lower().endswith("south, rent")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tex", "\\newcommand{\\price}{42 euros}\nThe ticket costs \\price."),
        ("a.bib", "@book{m, title = {Loss}, year = 2008}"),
        ("a.srt", "1\n00:00:01,000 --> 00:00:02,000\nIt is 40 metres long."),
    ],
)
def test_rare_markup_is_read_as_it_stands(name: str, text: str) -> None:
    loaded = submit_document(name, text.encode()).result()
    assert loaded.snapshot.text.split() == text.split()


def test_texts_behind_the_first_one_of_a_message_are_read() -> None:
    part = b"--b\nContent-Type: text/plain\n\n%s\n"
    data = b"From: a@example.org\nContent-Type: multipart/mixed; boundary=b\n\n"
    data += part % b"It costs 5 euros." + part % b"Until May it costs 4." + b"--b--\n"
    loaded = read(DocumentFormat.MESSAGE, data)
    assert "5 euros.\n\nUntil May it costs 4." in loaded.snapshot.text
    assert loaded.losses == ()


def test_mail_names_its_day_and_what_is_not_read() -> None:
    loaded = read(DocumentFormat.MESSAGE, MESSAGE)
    assert str(loaded.metadata.published) == "2024-01-02"
    assert loaded.metadata.title == "The pump"
    assert loaded.losses == ("the attachment plan.pdf",)


def test_mail_without_headers_is_a_text() -> None:
    loaded = read(DocumentFormat.MESSAGE, b"no message at all")
    assert loaded.snapshot.text == "no message at all"
    assert loaded.losses == ("no header lines, and so neither sender nor date",)
    with pytest.raises(Unreadable):
        read(DocumentFormat.MESSAGE, b"\0\1no message")


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_headers_of_raw_bytes_are_decoded(encoding: str) -> None:
    message = "Subject: Maße für\n Pumpen\nFrom: Jörg Groß <a@b.example>\n\nText.\n"
    loaded = read(DocumentFormat.MESSAGE, message.encode(encoding))
    assert loaded.metadata.title == "Maße für Pumpen"
    assert loaded.metadata.authors == ("Jörg Groß",)


def test_headers_that_nobody_can_decode_cost_no_message() -> None:
    message = b"Subject: Pumps \xe2\x80\x8f\x9d\nFrom: Ann\xff\x9d <a@b.example>\n\nText.\n"
    loaded = read(DocumentFormat.MESSAGE, message)
    assert loaded.snapshot.text.endswith("Text.")
    assert loaded.metadata.authors == ("Ann\ufffd\ufffd",)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_mail_of_windows_is_read(encoding: str) -> None:
    loaded = read(DocumentFormat.MESSAGE, "Subject: Pumps\n\nGröße 12.\n".encode(encoding))
    assert loaded.metadata.title == "Pumps"
    assert "Größe 12." in loaded.snapshot.text


P = 'xmlns:p="p" xmlns:a="a" xmlns:r="r"'
SHAPE = "<p:sp><p:nvSpPr><p:nvPr>{}</p:nvPr></p:nvSpPr><p:txBody>{}</p:txBody></p:sp>"


def test_slides_are_read_in_their_order_with_their_notes() -> None:
    raised = '<a:r><a:rPr baseline="30000"/><a:t>5</a:t></a:r>'
    line = f"<a:p><a:r><a:t>Flow of 10</a:t></a:r>{raised}</a:p>"
    title = "<a:p><a:r><a:t>Pumps</a:t></a:r></a:p>"
    slide = SHAPE.format('<p:ph type="title"/>', title) + SHAPE.format("", line)
    notes = SHAPE.format("", title.replace("Pumps", "Say why."))
    order = '<p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst>'
    rel = '<Relationships><Relationship Id="{}" Type="x/{}" Target="{}"/></Relationships>'
    loaded = read(
        DocumentFormat.SLIDES,
        packed(
            ppt__presentation_xml=f"<p:presentation {P}>{order}</p:presentation>",
            **{"ppt___rels__presentation.xml_rels": rel.format("r1", "slide", "slides/slide7.xml")},
            ppt__slides__slide7_xml=f"<p:sld {P}>{slide}</p:sld>",
            **{"ppt__slides___rels__slide7.xml_rels": rel.format("r1", "notesSlide", "../n.xml")},
            ppt__n_xml=f"<p:notes {P}>{notes}</p:notes>",
        ),
    )
    text = loaded.snapshot.text
    assert text == "Pumps\n\nFlow of 10^5\n\nSay why."
    assert loaded.snapshot.find_location(text.index("Flow")) == "slide 1 › Pumps"
    assert loaded.snapshot.find_location(text.index("Say")) == "slide 1 › Pumps › notes"

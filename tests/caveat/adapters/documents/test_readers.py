"""Documents are read by processes that may be lost, and that the kernel bounds."""

import os
import signal
import sys
import zlib
from concurrent.futures import wait
from pathlib import Path

import pytest

from caveat.adapters.documents.formats import DocumentFormat
from caveat.adapters.documents.loaded import Unreadable, Why
from caveat.adapters.documents.readers import READERS, Readers
from tests.fakes.patience import PATIENCE_S

ANOTHER = b"# A title\n\nAnother document is read."


def pdf(content: bytes, pages: int = 1) -> bytes:
    """Write a PDF of a few hundred bytes, whatever its pages unfold to."""
    packed = zlib.compress(b"BT /F1 12 Tf 72 200 Td " + content + b" ET", 9)
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 5 0 R "
    page += b"/Resources << /Font << /F1 4 0 R >> >> >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [" + b"3 0 R " * pages + b"] /Count %d >>" % pages,
        page,
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (len(packed), packed),
    ]
    body, offsets = b"%PDF-1.4\n", []
    for number, content_of in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content_of)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return (
        body
        + b"xref\n0 6\n0000000000 65535 f \n%strailer\n<< /Size 6 /Root 1 0 R >>\n" % (table)
        + b"startxref\n%d\n%%%%EOF" % len(body)
    )


def test_what_swells_or_hangs_costs_itself_and_nothing_else() -> None:
    shown = b"(%s) Tj " % (b"a" * 38)
    hostile = [
        (DocumentFormat.PDF, pdf(shown * 1_000_000)),
        (DocumentFormat.PDF, pdf(shown * 20_000, pages=2_000)),
    ]
    before = [READERS.submit(written_in, data) for written_in, data in hostile]
    after = [READERS.submit(DocumentFormat.MARKDOWN, ANOTHER) for _ in range(4)]
    wait([*before, *after])
    for each in before:
        with pytest.raises(
            Unreadable, match=r"takes longer|takes more memory|stops its reader|in time"
        ):
            each.result()
    for each in after:
        assert each.result().snapshot.text.endswith("Another document is read.")


def test_a_reader_that_is_killed_is_replaced() -> None:
    readers = Readers(count=1)
    try:
        assert readers.submit(DocumentFormat.MARKDOWN, ANOTHER).result().metadata.title is None
        (reader,) = readers._all
        assert reader._process is not None
        os.kill(reader._process.pid, signal.SIGKILL)
        reader._process.wait()
        with pytest.raises(Unreadable, match="stops its reader"):
            readers.submit(DocumentFormat.MARKDOWN, ANOTHER).result()
        assert readers.submit(DocumentFormat.MARKDOWN, ANOTHER).result().snapshot.text
    finally:
        readers.close()


def test_a_reader_that_left_for_want_of_work_costs_nothing() -> None:
    readers = Readers(count=1)
    try:
        readers.submit(DocumentFormat.MARKDOWN, ANOTHER).result()
        (reader,) = readers._all
        assert reader._process is not None
        assert reader._process.stdin is not None
        with Path(os.devnull).open("rb") as nothing:  # as it sees it, nobody asks any more
            os.dup2(nothing.fileno(), reader._process.stdin.fileno())
        assert reader._process.wait(PATIENCE_S) == 0
        assert readers.submit(DocumentFormat.MARKDOWN, ANOTHER).result().snapshot.text
    finally:
        readers.close()


def test_a_reader_stays_however_large_the_process_is_that_started_it() -> None:
    large = b"x" * (400 * 1024 * 1024)
    readers = Readers(count=1)
    try:
        pids = set()
        for _ in range(3):
            assert readers.submit(DocumentFormat.MARKDOWN, ANOTHER).result().snapshot.text
            (reader,) = readers._all
            assert reader._process is not None
            pids.add(reader._process.pid)
        assert len(pids) == 1
    finally:
        readers.close()
    assert large


SHORT = r"printf '\000\000\000\000\000\000\000\002{}'; exit 3"
"""An answer that is none, of the length that it says."""


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("kill -SEGV $$", Why.DAMAGED),
        ("exit 4", Why.DAMAGED),
        ("exit 1", Why.TOO_LARGE),
        ("kill -ABRT $$", Why.TOO_LARGE),
        ("exec sleep 9", Why.LATE),
        ("env", Why.DAMAGED),
        (SHORT, Why.DAMAGED),
    ],
)
def test_whatever_a_reader_does_has_a_name(
    script: str, why: Why, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr("caveat.adapters.documents.readers._PATIENCE", 0.2)
    readers = Readers(count=1)
    try:
        with pytest.raises(Unreadable) as refused:
            readers.submit(DocumentFormat.PLAIN, b"words").result()
    finally:
        readers.close()
    assert refused.value.why is why


def test_who_reads_holds_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "planted-key")
    program, seen = tmp_path / "python", tmp_path / "seen"
    program.write_text(f"#!/bin/sh\nenv > {seen}\nexit 4\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    readers = Readers(count=1)
    try:
        with pytest.raises(Unreadable):
            readers.submit(DocumentFormat.PLAIN, b"words").result()
    finally:
        readers.close()
    assert "planted" not in seen.read_text()


@pytest.mark.parametrize("label", ["punycode", "utf-7", "unicode_escape", "hex", "idna", "zlib"])
def test_what_no_browser_knows_is_no_encoding(label: str) -> None:
    with pytest.raises(Unreadable, match="encoding"):
        READERS.submit(
            DocumentFormat.PAGE, b"a" * 500_000 + b"\xff\xfe\xfd\x81\x90", label
        ).result()


@pytest.mark.parametrize(
    ("written_in", "data", "said"),
    [
        (DocumentFormat.HTML, b"<b>" * 6_000_000, "nests more than 1,000 elements"),
        (DocumentFormat.MARKDOWN, b"[" * 19_000_000, "more brackets than are read"),
        (DocumentFormat.MARKDOWN, b"*a **b " * 2_700_000, "more memory|longer to read"),
    ],
)
def test_a_document_that_is_nothing_but_markup_is_named(
    written_in: DocumentFormat, data: bytes, said: str
) -> None:
    with pytest.raises(Unreadable, match=said) as refusal:
        READERS.submit(written_in, data).result()
    assert refusal.value.why is Why.TOO_LARGE

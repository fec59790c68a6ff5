"""Documents are read by processes that may be lost, and that the kernel bounds."""

import io
import os
import signal
import sys
import zipfile
from collections.abc import Iterator
from concurrent.futures import wait
from pathlib import Path
from typing import Any

import pytest

from caveat.adapters.documents import readers as readers_module
from caveat.adapters.documents.loaded import DocumentFormat, Unreadable, Why
from caveat.adapters.documents.readers import READERS, Readers
from tests.fakes.swelling import pdf

ANOTHER = b"# A title\n\nAnother document is read."


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A third of the processor time that a document may have."""
    monkeypatch.setattr(readers_module, "_SECONDS", 1)


@pytest.mark.usefixtures("hurried")
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


@pytest.fixture
def readers() -> Iterator[Readers]:
    made = Readers(count=1)
    yield made
    made.close()


def words(readers: Readers) -> str:
    return readers.submit(DocumentFormat.MARKDOWN, ANOTHER).result().snapshot.text


def processes() -> set[int]:
    """The readers that this process has started, of whomever."""
    told = {each: each.read_text("ascii", "replace") for each in Path("/proc").glob("[0-9]*/stat")}
    parents = {int(each.parent.name): text.rpartition(")")[2] for each, text in told.items()}
    return {number for number, text in parents.items() if int(text.split()[1]) == os.getpid()}


def test_small_documents_share_a_reader(readers: Readers, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[int] = []
    answer = readers_module._Reader.answer

    def count(reader: Any, jobs: Any) -> None:
        sent.append(len(jobs))
        answer(reader, jobs)

    monkeypatch.setattr(readers_module._Reader, "answer", count)
    waiting = [readers.submit(DocumentFormat.MARKDOWN, b"Number %d" % n) for n in range(60)]
    assert [each.result().snapshot.text for each in waiting] == [f"Number {n}" for n in range(60)]
    assert sum(sent) == 60
    assert len(sent) < 20


@pytest.mark.usefixtures("hurried")
def test_what_ends_a_reader_costs_none_of_those_that_came_with_it(readers: Readers) -> None:
    swelling = pdf((b"(%s) Tj " % (b"a" * 38)) * 1_000_000)
    waiting = [readers.submit(DocumentFormat.MARKDOWN, b"Number %d" % n) for n in range(4)]
    hostile = readers.submit(DocumentFormat.PDF, swelling)
    waiting += [readers.submit(DocumentFormat.MARKDOWN, b"Number %d" % n) for n in range(4, 8)]
    assert [each.result().snapshot.text for each in waiting] == [f"Number {n}" for n in range(8)]
    with pytest.raises(Unreadable):
        hostile.result()


def test_a_reader_that_is_killed_is_replaced(readers: Readers) -> None:
    before = processes()
    assert words(readers)
    (reader,) = processes() - before
    os.kill(reader, signal.SIGKILL)
    while Path(f"/proc/{reader}/stat").read_text("ascii").rpartition(")")[2].split()[0] != "Z":
        pass
    assert words(readers)


@pytest.mark.parametrize("end", ["exit 0", "exit 1", "kill -XCPU $$", "kill -KILL $$"])
def test_a_document_that_loses_its_reader_is_read_by_another(
    end: str, readers: Readers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, program = tmp_path / "left", tmp_path / "python"
    program.write_text(
        f'#!/bin/sh\n[ -e {left} ] && exec {sys.executable} "$@"\ntouch {left}\n{end}\n'
    )
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    assert words(readers)
    assert left.exists()


def test_a_reader_stays_however_large_the_process_is_that_started_it(readers: Readers) -> None:
    large = b"x" * (400 * 1024 * 1024)
    before = processes()
    started = set()
    for _ in range(3):
        assert words(readers)
        started |= processes() - before
    assert len(started) == 1
    assert large


SHORT = r"printf '{}\n'; exit 3"
"""An answer that is none, as a whole line."""


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
    script: str, why: Why, readers: Readers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr("caveat.adapters.documents.readers.PATIENCE", 0.2)
    with pytest.raises(Unreadable) as refused:
        words(readers)
    assert refused.value.why is why


def test_readers_hold_no_key(
    readers: Readers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "planted-key")
    program, seen = tmp_path / "python", tmp_path / "seen"
    program.write_text(f"#!/bin/sh\nenv > {seen}\nexit 4\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    with pytest.raises(Unreadable):
        words(readers)
    assert "planted" not in seen.read_text()


@pytest.mark.parametrize("label", ["punycode", "unicode_escape", "idna"])
def test_what_no_browser_knows_is_no_encoding(label: str) -> None:
    with pytest.raises(Unreadable, match="encoding"):
        READERS.submit(
            DocumentFormat.PAGE, b"a" * 500_000 + b"\xff\xfe\xfd\x81\x90", label
        ).result()


def swell_docx() -> bytes:
    """Make a document of millions of paragraphs, a few bytes each and packed to nothing."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        paragraphs = b"<p/>" * 20_000_000
        archive.writestr("word/document.xml", b"<document><body>%s</body></document>" % paragraphs)
    return file.getvalue()


@pytest.mark.parametrize(
    ("written_in", "data", "said"),
    [
        (DocumentFormat.HTML, b"<b>" * 6_000_000, "takes more memory than one document may"),
        (DocumentFormat.HTML, b"<div>" * 2_000 + b"deep", "is nested deeper than is read"),
        (DocumentFormat.MARKDOWN, b"[" * 19_000_000, "takes more memory than one document may"),
        (DocumentFormat.WORD, swell_docx(), "takes more memory than one document may"),
        (DocumentFormat.PAGE, b"<p>" * 6_000_000, "takes more memory than one document may"),
    ],
)
def test_mere_markup_is_named(written_in: DocumentFormat, data: bytes, said: str) -> None:
    with pytest.raises(Unreadable, match=said) as refusal:
        READERS.submit(written_in, data).result()
    assert refusal.value.why is Why.TOO_LARGE

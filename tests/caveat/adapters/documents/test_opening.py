"""What lies outside a corpus is not read, whoever changes links while a document is opened."""

import errno
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from caveat.adapters.documents.loaded import DocumentFormat
from caveat.adapters.documents.loaders import read_content
from caveat.adapters.documents.readers import Readers
from caveat.failures import PortFailure
from caveat.workers.guard import raise_descriptor_limit

OPEN, READLINK, RESOLVE = os.open, os.readlink, Path.resolve


@dataclass
class Swap:
    """A file or folder of the corpus that becomes a link to one outside, and itself again."""

    link: Path
    target: Path

    def away(self) -> None:
        self.link.rename(self._kept)
        self.link.symlink_to(self.target)

    def back(self) -> None:
        self.link.unlink()
        self._kept.rename(self.link)

    @property
    def _kept(self) -> Path:
        return self.target.parent / "kept"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    for folder, text in ((tmp_path / "outside", "secret"), (tmp_path / "corpus/sub", "honest")):
        folder.mkdir(parents=True)
        (folder / "a.md").write_text(text)
    return tmp_path / "corpus"


@pytest.fixture(params=[True, False], ids=["linux", "elsewhere"])
def _systems(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """On Linux, and as on systems that do not say where an open file lies."""

    def said_nowhere(path: str) -> str:
        if path.startswith("/proc/"):
            raise FileNotFoundError(path)
        return READLINK(path)

    if not request.param:
        monkeypatch.setattr(os, "readlink", said_nowhere)


@pytest.mark.usefixtures("_systems")
@pytest.mark.parametrize("swapped", ["sub/a.md", "sub"])
def test_a_link_that_is_there_while_a_document_is_opened(
    swapped: str, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    swap = Swap(corpus / swapped, corpus.parent / swapped.replace("sub", "outside"))

    def opening(path: Path, flags: int) -> int:
        swap.away()
        try:
            return OPEN(path, flags)
        finally:
            swap.back()

    monkeypatch.setattr(os, "open", opening)
    with pytest.raises(PortFailure, match="not a document of its corpus"):
        read_content(corpus / "sub/a.md", within=corpus)


@pytest.mark.usefixtures("_systems")
def test_a_link_that_is_there_again_when_what_was_opened_is_looked_at(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = corpus / "sub/a.md"
    swap = Swap(wanted, corpus.parent / "outside/a.md")

    def opening(path: Path, flags: int) -> int:
        swap.away()
        number = OPEN(path, flags)
        swap.back()
        monkeypatch.setattr(os, "open", OPEN)
        return number

    def resolving(path: Path, *, strict: bool = False) -> Path:
        found = RESOLVE(path, strict=strict)
        if path == wanted:
            swap.away()
        return found

    monkeypatch.setattr(os, "open", opening)
    monkeypatch.setattr(Path, "resolve", resolving)
    with pytest.raises(PortFailure, match="not a document of its corpus"):
        read_content(wanted, within=corpus)


@pytest.mark.usefixtures("_systems")
def test_a_document_that_nobody_changes_is_read(corpus: Path) -> None:
    (corpus / "alias.md").symlink_to("sub/a.md")
    assert read_content(corpus / "alias.md", within=corpus) == b"honest"


def test_what_cannot_be_opened_for_want_of_descriptors_is_not_the_documents_fault(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_many(*_: object) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(os, "open", too_many)
    with pytest.raises(OSError, match="Too many open files"):
        read_content(corpus / "sub/a.md", within=corpus)


def test_readers_do_not_mind_a_thousand_open_files() -> None:
    assert raise_descriptor_limit() > 1_100
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1_050)]
    readers = Readers(count=1)
    try:
        text = readers.submit(DocumentFormat.MARKDOWN, b"# A\n\nIt is read.").result(60)
    finally:
        readers.close()
        for number in held:
            os.close(number)
    assert "It is read." in text.snapshot.text

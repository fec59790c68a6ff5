"""Passages that share no word with a question are found by what they mean, and read but once."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from caveat.adapters.corpus import searching
from caveat.adapters.corpus.index import CorpusIndex

NOTES = {
    "walls.md": "# Walls\n\nBricks are laid in courses and bound by mortar.",
    "roofs.md": "# Roofs\n\nSlates keep the rain out for a hundred winters.",
    "cost.md": "# Cost\n\nA house of bricks is dear.",
}

QUESTION = "How do I stop water from above?"


class Meaning:
    """A model for which whatever speaks of rain is near; it counts what it is given to read."""

    name = "by rain"

    def __init__(self) -> None:
        self.read: set[str] = set()
        self.known: set[str] = set()

    def measure_nearness(self, question: str, passages: Sequence[str]) -> tuple[float, ...]:
        return tuple(0.8 if "rain" in passage else 0.1 for passage in passages)

    def keep(self, passages: Sequence[str], file: Path) -> None:
        assert self.known.isdisjoint(passages), "read twice"
        self.known |= set(passages)
        file.touch()

    def compare_cached(
        self, question: str, passages: Sequence[str], file: Path
    ) -> tuple[float, ...]:
        assert file.is_file()
        return self.measure_nearness(question, passages)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for name, text in NOTES.items():
        (corpus / name).write_text(text)
    return corpus


async def found(index: CorpusIndex, folder: Path, question: str) -> list[str]:
    await index.update(folder)
    return [hit.source.title for hit in await index.search((str(folder),), question, 5)]


async def test_meaning_finds_what_words_miss(tmp_path: Path, folder: Path) -> None:
    assert await found(CorpusIndex(tmp_path / "words"), folder, QUESTION) == []
    by_meaning = CorpusIndex(tmp_path / "meaning", Meaning())
    assert await found(by_meaning, folder, QUESTION) == ["Roofs"]
    (passage,) = await by_meaning.find_passages((str(folder),), QUESTION, 5)
    assert passage.similarity == 0.8


async def test_what_has_the_words_is_found_as_well(tmp_path: Path, folder: Path) -> None:
    index = CorpusIndex(tmp_path / "meaning", Meaning())
    assert set(await found(index, folder, "bricks mortar courses rain")) == {"Roofs", "Walls"}


async def test_every_passage_is_read_when_a_folder_is_indexed(tmp_path: Path, folder: Path) -> None:
    model = Meaning()
    index = CorpusIndex(tmp_path / "meaning", model)
    await index.update(folder)
    assert len(model.known) == 3


async def test_a_large_folder_is_searched_by_words_alone(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "MOST_COMPARED", 2)
    model = Meaning()
    assert await found(CorpusIndex(tmp_path / "meaning", model), folder, QUESTION) == []
    assert not model.known

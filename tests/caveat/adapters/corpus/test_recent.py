"""What an index answered is remembered until it is written to, and no longer."""

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from caveat.adapters.corpus import searching
from caveat.adapters.corpus.index import CorpusIndex, Recent


def test_those_who_ask_at_once_look_once() -> None:
    recent, begun, asked = Recent(most=2), threading.Barrier(4), []

    def ask() -> object:
        begun.wait(10)
        return recent.answer("q", lambda: 1, lambda: asked.append(1))

    with ThreadPoolExecutor(4) as pool:
        for each in [pool.submit(ask) for _ in range(4)]:
            each.result(10)
    assert asked == [1]


async def test_searches_see_others_updates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "moons.md").write_text("# Moons\n\nThe moon Amalthea orbits Jupiter.")
    index, other = CorpusIndex(tmp_path / "cache"), CorpusIndex(tmp_path / "cache")
    looked: list[str] = []
    real = searching.matches

    def matches(connection: sqlite3.Connection, text: str, limit: int) -> list[searching.Match]:
        looked.append(text)
        return real(connection, text, limit)

    monkeypatch.setattr(searching, "matches", matches)
    corpus = (str(folder),)
    for _ in range(3):
        assert len(await index.search(corpus, "Amalthea", 5)) == 1
    before = len(looked)
    assert before < 3
    assert await index.count_documents(corpus) == 1

    (folder / "more.md").write_text("# More\n\nAmalthea is red.")
    # Somebody reads meanwhile, so that what is stored stays in the journal.
    (file,) = (tmp_path / "cache").glob("*.sqlite")
    with closing(sqlite3.connect(file)) as reading:
        reading.execute("BEGIN").execute("SELECT * FROM documents").fetchall()
        await other.update(folder)
        assert len(await index.search(corpus, "Amalthea", 5)) == 2
        assert await index.count_documents(corpus) == 2
    (folder / "moons.md").unlink()
    await other.update(folder)
    assert [hit.source.title for hit in await index.search(corpus, "Amalthea", 5)] == ["More"]

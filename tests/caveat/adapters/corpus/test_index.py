import asyncio
import os
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from caveat.adapters.corpus import database, searching, updating
from caveat.adapters.corpus.index import CorpusIndex
from caveat.adapters.corpus.searching import count_passages
from caveat.contracts.source import UnreadSort
from tests.fakes.patience import PATIENCE_S

NOTES = {
    "planck.md": "# Planck\n\nThe Hubble constant from the cosmic microwave background is 67.4.",
    "shoes.md": "# SH0ES\n\nCepheid stars and supernovae give a Hubble constant of 73.0.",
    "trgb.md": "# TRGB\n\nThe tip of the red giant branch gives a Hubble constant of 69.8.",
    "masers.md": "# Masers\n\nWater masers measure distances to galaxies by geometry alone.",
    "sirens.md": "# Sirens\n\nGravitational waves of merging neutron stars are standard sirens.",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for name, text in NOTES.items():
        (corpus / name).write_text(text)
    return corpus


@pytest.fixture
def index(tmp_path: Path) -> CorpusIndex:
    return CorpusIndex(tmp_path / "cache")


def touch(path: Path, text: str) -> None:
    path.write_text(text)
    os.utime(path, ns=(1, path.stat().st_mtime_ns + 1_000_000))


def filler(number: int) -> str:
    """Make a passage long enough to compare, in another order each, so that none is a copy."""
    words = [f"word{each}" for each in range(12)] * 3
    random.Random(number).shuffle(words)
    return " ".join(words) + "."


async def titles(index: CorpusIndex, folder: Path, query: str) -> list[str]:
    return [hit.source.title for hit in await index.search((str(folder),), query, 10)]


async def test_only_changes_are_read_again(index: CorpusIndex, folder: Path) -> None:
    first = await index.update(folder)
    assert (first.documents, first.updated) == (5, 5)
    touch(folder / "planck.md", "# Planck\n\nSatellites observe quasars.")
    (folder / "shoes.md").unlink()
    (folder / "new.txt").write_text("Quasars are bright.")
    second = await index.update(folder)
    assert (second.documents, second.updated) == (5, 2)
    assert await titles(index, folder, "quasars") == ["new.txt", "Planck"]
    assert await titles(index, folder, "Cepheid supernovae") == []
    assert (await index.update(folder)).updated == 0


async def test_broken_files_are_reported_each_time_but_read_once(
    index: CorpusIndex, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "bad.pdf").write_bytes(b"no pdf")
    stock = await index.update(folder)
    assert (stock.documents, [b.path for b in stock.broken]) == (5, ["bad.pdf"])
    monkeypatch.setattr(updating, "read_content", lambda *_, **__: pytest.fail("read again"))
    assert await index.update(folder) == replace(stock, updated=0)


async def test_an_interrupted_update_goes_on(
    index: CorpusIndex, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(195):
        (folder / f"{number}.txt").write_text(f"Note {number} about quasars.")
    collect, seen = updating.collect_entries, 0

    def stop(within: Path, begun: list[updating.Begun]) -> list[updating.Entry]:
        nonlocal seen
        if seen >= 100:
            raise RuntimeError
        entries = collect(within, begun)
        seen += len(entries)
        return entries

    with monkeypatch.context() as stopping:
        stopping.setattr(updating, "collect_entries", stop)
        with pytest.raises(RuntimeError):
            await index.update(folder)
    stock = await index.update(folder)
    assert (stock.documents, stock.updated) == (200, 200 - seen)
    assert 100 <= seen < 200


async def test_a_damaged_index_is_built_again(index: CorpusIndex, folder: Path) -> None:
    await index.update(folder)
    (file,) = index.cache_dir.glob("*.sqlite")
    file.write_bytes(b"this is no database" * 1000)
    assert await titles(index, folder, "water masers") == ["Masers"]
    file.write_bytes(b"SQLite format 3\x00" + b"\xff" * 9000)
    assert (await index.update(folder)).updated == 5


async def test_another_version_is_built_again(
    index: CorpusIndex, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await index.update(folder)
    after = database.compute_version() + 1
    monkeypatch.setattr(database, "compute_version", lambda: after)
    assert (await index.update(folder)).updated == 5
    assert (await index.update(folder)).updated == 0


UPDATE = """
import asyncio, sys
from pathlib import Path
from caveat.adapters.corpus.index import CorpusIndex
from caveat.adapters.corpus.walk import survey
stock = asyncio.run(CorpusIndex(Path(sys.argv[1])).update(Path(sys.argv[2])))
print(stock.documents)
"""


def test_three_processes_at_the_same_time(index: CorpusIndex, folder: Path) -> None:
    for number in range(200):
        (folder / f"{number}.txt").write_text(f"Note {number} about quasars.")
    command = [sys.executable, "-c", UPDATE, str(index.cache_dir), str(folder)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    outputs = [process.communicate(timeout=PATIENCE_S)[0].strip() for process in running]
    assert outputs == ["205"] * 3
    assert asyncio.run(index.count_documents((str(folder),))) == 205


async def test_headings_and_phrases_count_more(index: CorpusIndex, folder: Path) -> None:
    (folder / "apart.md").write_text(f"Neutrino. {filler(0)} Oscillation.")
    (folder / "near.md").write_text(f"{filler(1)} Neutrino oscillation.")
    (folder / "heading.md").write_text(f"# Neutrino oscillation\n\n{filler(2)}")
    assert await titles(index, folder, "neutrino oscillation") == [
        "Neutrino oscillation",
        "near.md",
        "apart.md",
    ]


async def test_one_word_of_three_finds_where_alone(index: CorpusIndex, folder: Path) -> None:
    (folder / "lease.md").write_text("# Lease\n\n3. The deposit is three monthly rents.")
    (hit,) = await index.search((str(folder),), "Which clause deals with the deposit?", 5)
    assert hit.source.path == "lease.md"


async def test_a_stop_word_that_is_all_of_a_question_is_found(
    index: CorpusIndex, folder: Path
) -> None:
    touch(folder / "farm.md", "# Farm\n\nThe well has a depth of 34 metres.")
    assert await titles(index, folder, "How deep is the well?") == ["Farm"]


async def test_a_hit_lies_in_its_folder(index: CorpusIndex, folder: Path) -> None:
    (folder / "long.md").write_text("# Top\n\n## Stones\n\nStones roll.\n\n## Cats\n\nCats purr.")
    (hit,) = await index.search((str(folder),), "purring cats", 5)
    assert hit.source.corpus == str(folder)
    assert hit.source.path == "long.md"


@pytest.mark.parametrize(
    "query",
    [
        "zorblatt quuxification of flumph",
        "penguin migration patterns in Antarctica",
        "the constant price of butter in medieval France",
        "what is it about",
        "🙂",
        '"',
    ],
)
async def test_nothing_matches_off_subject(index: CorpusIndex, folder: Path, query: str) -> None:
    assert await index.search((str(folder),), query, 10) == []
    assert await index.find_passages((str(folder),), query, 10) == []


async def test_folders_are_merged_by_rank(index: CorpusIndex, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.md").write_text("---\nurl: https://example.org/a\n---\nWater masers again.")
    (folder / "copy.md").write_text("---\nurl: http://www.example.org/a/\n---\nWater masers.")
    hits = await index.search((str(folder), str(other)), "water masers", 10)
    assert [hit.source.title for hit in hits] == ["copy.md", "a.md", "Masers"]
    passages = await index.find_passages((str(folder), str(other)), "water masers", 10)
    assert len(passages) == 3
    assert {passage.text for passage in passages} >= {"Water masers again."}


async def test_where_many_passages_hold_every_word_no_others_are_weighed(
    index: CorpusIndex, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(300):
        said = "Geckos climb." if number % 2 else "Geckos climb walls."
        (folder / f"{number}.md").write_text(f"# Note {number}\n\n{said} {filler(number)}")
    await index.update(folder)
    monkeypatch.setattr(searching, "_CANDIDATES", 20)
    asked: list[str] = []

    def trace(connection: sqlite3.Connection, text: str) -> list[int]:
        connection.set_trace_callback(asked.append)
        return [match.row for match in searching.matches(connection, text, 20)]

    def list_searches(statements: list[str]) -> set[str]:
        return {each for each in statements if "bm25(" in each}

    file = next(index.cache_dir.glob("*.sqlite"))
    with closing(sqlite3.connect(file)) as connection:
        assert len(trace(connection, "Which geckos climb walls?")) == 20
        assert len(list_searches(asked)) == 1
        asked.clear()
        assert trace(connection, "Which geckos climb glaciers on walls of quasars?")
        assert len(list_searches(asked)) > 1


async def test_what_a_document_lacks_is_counted_each_time(index: CorpusIndex, folder: Path) -> None:
    (folder / "~$lock.docx").write_bytes(b"an owner")
    (folder / "mail.eml").write_bytes(MAIL)
    for _ in range(2):  # the second time nothing is read again
        stock = await index.update(folder)
        kept = {each.sort: each for each in stock.unread}
        part = kept[UnreadSort.PART]
        assert (part.count, part.examples) == (1, ("mail.eml (the attachment plan.pdf)",))
        assert kept[UnreadSort.HIDDEN_FILE].examples == ("~$lock.docx",)
        assert stock.broken == ()


async def test_words_around_all_pages_are_named_once(index: CorpusIndex, folder: Path) -> None:
    around = "<p>Press the arrow keys to navigate</p><p>Copyright{}</p>"
    for name, more in (("a", ""), ("b", " Zinnia"), ("c", "")):
        page = f"<main><h1>{name}</h1><p>The arrow{more} holds.</p></main>{around.format(more)}"
        (folder / f"{name}.html").write_text(page)
    (folder / "mail.eml").write_bytes(MAIL)
    stock = await index.update(folder)
    (part,) = (each for each in stock.unread if each.sort is UnreadSort.PART)
    assert part.count == 4
    assert part.examples == (
        "a.html (beside its main part: 5 words not read, such as “copyright”)",
        "mail.eml (the attachment plan.pdf)",
    )


MAIL = b"""From: a@example.org
Subject: The plan
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=X

--X
Content-Type: text/plain

It is attached.
--X
Content-Disposition: attachment; filename=plan.pdf

x
--X--
"""


async def test_a_large_corpus_must_hold_more_of_a_query(
    index: CorpusIndex, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if 300 notes were 30,000, which take minutes to write.
    monkeypatch.setattr(searching, "count_passages", lambda c: 100 * count_passages(c))
    query = "gravitational sirens of ambulances in Bombay traffic"
    assert await titles(index, folder, query) == ["Sirens"]
    for number in range(300):
        (folder / f"{number}.txt").write_text(f"Note {number} about quasars.")
    await index.update(folder)
    assert await titles(index, folder, query) == []

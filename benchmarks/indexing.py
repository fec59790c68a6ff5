"""Index small files and large ones, and ask: processor time and memory, beside plain FTS5.

    python -m benchmarks.indexing [--json] [--small 5000] [--large 300]

Small files have 4 kB of Markdown each, large ones 1 MB of plain text, made of the sentences of this
project's documentation with names of their own. Each measurement has a process of its own.
"""

import asyncio
import json
import multiprocessing
import random
import re
import resource
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from multiprocessing import connection
from pathlib import Path

from benchmarks.common import ROOT, command_line, load, machine, say
from caveat.adapters.corpus.index import CorpusIndex
from caveat.adapters.documents.readers import READERS

_QUERIES = (
    "How long does a worker wait for a person?",
    "What does a query cost in processor time?",
    "Which figures contradict each other in two documents?",
    "Where does the index of a folder lie?",
    "How many sources does a run read at most?",
)
_NAMES = 40_000  # invented words, which the vocabulary of many documents is made of


def main() -> None:
    asked = command_line(__doc__)
    asked.add_argument("--small", type=int, default=5_000, help="files of 4 kB")
    asked.add_argument("--large", type=int, default=300, help="files of 1 MB")
    options = asked.parse_args()
    rows: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for name, count, size, ending in (
            ("small", options.small, 4_000, ".md"),
            ("large", options.large, 1_000_000, ".txt"),
        ):
            if not count:
                continue
            say(f"{name}: {count:,} files")
            _write_files(place / name, count, size, ending)
            for way, work in (("Caveat", _index), ("plain FTS5", _fill_fts5)):
                rows[f"{name}, {way}"] = _measure(work, place / name, place / "cache")
    print(f"{machine()}. {load()}")
    for row, figures in rows.items():
        print(row, *(f"{key} {value:,.3g}" for key, value in figures.items()), sep=" · ")
    if options.json:
        print(json.dumps(rows))


def _write_files(folder: Path, count: int, size: int, ending: str) -> None:
    chance = random.Random(11)
    texts = [path.read_text() for path in sorted((ROOT / "docs").rglob("*.md"))]
    sentences = [
        each.strip()
        for text in texts
        for each in re.split(r"(?<=[.!?])\s+|\n+", text)
        if len(each.split()) > 5 and "|" not in each
    ]
    syllables = ("ba", "ko", "mi", "ren", "tal", "us", "ve", "dor", "fi", "gan", "hel", "sy")
    names = ["".join(chance.choices(syllables, k=4)).title() for _ in range(_NAMES)]
    folder.mkdir()
    for number in range(count):
        lines = [f"# Report {number} on {chance.choice(names)}"]
        length = 0
        while length < size:
            words = chance.choice(sentences).split()
            words[chance.randrange(len(words))] = chance.choice(names)
            words.insert(chance.randrange(len(words)), str(chance.randrange(100_000)))
            paragraph = " ".join([*words, *chance.choice(sentences).split()])
            lines.append(paragraph)
            length += len(paragraph)
        (folder / f"{number:05}{ending}").write_text("\n\n".join(lines))


_Ask = Callable[[str], object]


def _measure(build: Callable[[Path, Path], _Ask], folder: Path, cache: Path) -> dict[str, float]:
    """Index a folder and ask, in a process of its own."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_report, args=(build, folder, cache, there))
    process.start()
    figures: dict[str, float] = here.recv()
    process.join()
    return figures


def _report(
    build: Callable[[Path, Path], _Ask], folder: Path, cache: Path, to: connection.Connection
) -> None:
    cache.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    ask = build(folder, cache)
    wall = time.monotonic() - begun
    READERS.close()  # what they used is known when they have ended
    own, readers = (
        resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    asked = []
    for query in _QUERIES:
        before = time.process_time()
        ask(query)
        asked.append(time.process_time() - before)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    to.send({
        "wall s": wall,
        "worker s": own.ru_utime + own.ru_stime,
        "readers s": readers.ru_utime + readers.ru_stime,
        "first query ms": asked[0] * 1_000,
        "median query ms": statistics.median(asked) * 1_000,
        "slowest ms": max(asked) * 1_000,
        "peak MB": peak,
    })  # fmt: skip


def _index(folder: Path, cache: Path) -> _Ask:
    index = CorpusIndex(cache)
    asyncio.run(index.update(folder))
    loop = asyncio.new_event_loop()  # one, as a worker has, since `asyncio.run` costs 10 ms itself
    return lambda query: loop.run_until_complete(index.search((str(folder),), query, 20))


def _fill_fts5(folder: Path, cache: Path) -> _Ask:
    database = sqlite3.connect(cache / "plain.sqlite")
    database.execute("DROP TABLE IF EXISTS passages")
    database.execute("CREATE VIRTUAL TABLE passages USING fts5(text, tokenize='porter unicode61')")
    texts = (path.read_text() for path in sorted(folder.iterdir()))
    pieces = ((piece,) for text in texts for piece in text.split("\n\n"))
    database.executemany("INSERT INTO passages VALUES (?)", pieces)
    database.commit()

    def ask(query: str) -> object:
        words = " OR ".join(re.findall(r"\w{4,}", query))
        found = "SELECT text FROM passages WHERE passages MATCH ? ORDER BY rank LIMIT 20"
        return database.execute(found, (words,)).fetchall()

    return ask


if __name__ == "__main__":
    main()

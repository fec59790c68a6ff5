"""What Caveat is held against: BM25 sentences, and windows of its own index's best passages."""

import math
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from snowballstemmer import stemmer

from benchmarks.answers.texts import lines, sentences
from caveat.adapters.corpus.index import CorpusIndex

SHOWN = 7  # sentences or passages that a baseline shows

BM25 = f"{SHOWN} plain BM25 sentences"
ONE_NEIGHBOUR = f"{SHOWN} best passages, sentence and 1 neighbour"
WHOLE = f"{SHOWN} best passages, whole"
THREE = "3 best passages, whole"
CUT = "3 best passages, 60 words of each"
NAMES = (BM25, ONE_NEIGHBOUR, WHOLE, THREE, CUT)

_STOP_WORDS = frozenset(
    """a about after all also am an and any are as at be been before being but by can could did do
    does for from had has have he her his how i if in into is it its just may me might much my no
    not of on one only or our she should so than that the their them then there these they this
    those to too up us was we were what when where which who whom whose why will with would you
    your""".split()  # noqa: SIM905  # a word list reads better without quotes
)

_stem = stemmer("porter").stemWord


@dataclass
class Plain:
    """The sentences of a corpus in SQLite FTS5."""

    folder: Path  # the corpus
    _database: sqlite3.Connection = field(
        default_factory=lambda: sqlite3.connect(":memory:"), init=False
    )

    def __post_init__(self) -> None:
        """Index every sentence of every document."""
        self._database.execute(
            "CREATE VIRTUAL TABLE said USING fts5("
            "text, file UNINDEXED, tokenize='porter unicode61')"
        )
        self._database.execute("CREATE VIRTUAL TABLE words USING fts5vocab(said, row)")
        files = sorted(file for file in self.folder.rglob("*") if file.is_file())
        self._database.executemany(
            "INSERT INTO said VALUES (?, ?)",
            ((each, str(file)) for file in files for each in sentences(lines(file))),
        )

    def close(self) -> None:
        self._database.close()

    def best(self, question: str) -> list[str]:
        """Return the best sentences by BM25."""
        return [text for text, _ in islice(self._ranked(question), SHOWN)]

    def nearest(self, question: str) -> list[Path]:
        """Return the documents that share a word with a question, by their best sentence."""
        return list(dict.fromkeys(Path(file) for _, file in self._ranked(question)))

    def _ranked(self, question: str) -> Iterator[tuple[str, str]]:
        query = " OR ".join(f'"{word}"' for word in words(question))
        if query:
            yield from self._database.execute(
                "SELECT text, file FROM said WHERE said MATCH ? ORDER BY bm25(said), rowid",
                (query,),
            )

    def weights(self, question: str) -> dict[str, float]:
        """Say how rare each stem of a question is among the sentences."""
        (total,) = self._database.execute("SELECT count(*) FROM said").fetchone()
        weights = {}
        for stem in map(_stem, words(question)):
            row = self._database.execute("SELECT doc FROM words WHERE term = ?", (stem,)).fetchone()
            weights[stem] = math.log((total + 1) / ((row[0] if row else 0) + 1))
        return weights


async def shown(questions: Iterable[str], folder: Path, index: CorpusIndex) -> list[dict[str, str]]:
    """Answer questions in every plain way.

    Args:
        questions: what is asked.
        folder: the corpus.
        index: Caveat's own.

    Returns:
        For each question the text that each baseline shows, by its name.
    """
    with closing(Plain(folder)) as plain:
        return [await _shown(question, plain, folder, index) for question in questions]


async def _shown(question: str, plain: Plain, folder: Path, index: CorpusIndex) -> dict[str, str]:
    passages = await index.find_passages((str(folder),), question, SHOWN)
    weights = plain.weights(question)
    windows: dict[int | None, list[str]] = {1: [], None: []}
    for passage in passages:
        said = sentences(passage.text)
        for neighbours, collected in windows.items():
            # A report names the heading beside a quote, so that it counts here as well.
            collected.append(f"{passage.heading}: {' '.join(window(said, weights, neighbours))}")
    return {
        BM25: "\n\n".join(plain.best(question)),
        ONE_NEIGHBOUR: "\n\n".join(windows[1]),
        WHOLE: "\n\n".join(windows[None]),
        THREE: "\n\n".join(windows[None][:3]),
        CUT: "\n\n".join(" ".join(each.split()[:60]) for each in windows[None][:3]),
    }


def window(said: Sequence[str], weights: dict[str, float], neighbours: int | None) -> Sequence[str]:
    """Cut the sentence that shares most with a question out of a passage, and its neighbours.

    Args:
        said: the sentences of the passage.
        weights: what sharing each stem is worth.
        neighbours: how many on each side; None for all of them.
    """
    if neighbours is None or not said:
        return said
    shares = [
        sum(weights.get(stem, 0.0) for stem in {_stem(word) for word in words(each)})
        for each in said
    ]
    best = shares.index(max(shares))
    return said[max(0, best - neighbours) : best + neighbours + 1]


def words(text: str) -> list[str]:
    """Return the words of a text, once each and in order, without stop words."""
    found = re.findall(r"[^\W_]+", text.lower())
    return list(dict.fromkeys(word for word in found if word not in _STOP_WORDS))

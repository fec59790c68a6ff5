"""Finds passages by what they mean, beside those that have the words."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from caveat.adapters.corpus.searching import Match, matches, passage_count
from caveat.adapters.text.similarity import Similarity
from caveat.rules.sources import reciprocal_rank_fusion

MOST = 3_000
"""Passages up to which all of a folder are compared: each takes 30 to 60 ms when it is new, so that
the first look takes three minutes at most. In a larger folder words alone find, and meanings order
what they found."""

_AT_ONCE = 50
"""Passages from one sign of life to the next."""

_NEAREST = 100
"""Passages that meanings bring in: of 45 questions of the tuning half of benchmarks/answers 38 have
their answer in the first 20, 33 in those that words find, and 41 in the first 30 of both."""

_NEAR = 0.30
"""Similarity below which a passage is about something else; see `rules.report.answering.NEAR`."""


@dataclass(frozen=True)
class Meanings:
    """Compares the passages of one folder with questions.

    Attributes:
        similarity: the model.
        file: where it keeps what it knows of them.
    """

    similarity: Similarity
    file: Path

    def learn(self, connection: sqlite3.Connection, on_progress: Callable[[], None]) -> None:
        """Read every passage once, unless there are too many."""
        texts = list(_texts(connection).values())
        for start in range(0, len(texts), _AT_ONCE):
            self.similarity.keep(texts[start : start + _AT_ONCE], self.file)
            on_progress()

    def found(self, connection: sqlite3.Connection, query: str, limit: int) -> list[Match]:
        """Return the passages that match a query by words or by meaning, best first."""
        by_words = matches(connection, query, limit)
        texts = _texts(connection)
        if not texts:
            return by_words
        near = dict(
            zip(texts, self.similarity.kept(query, list(texts.values()), self.file), strict=True)
        )
        nearest = sorted(near, key=lambda row: (-near[row], row))[:_NEAREST]
        known = {match.row: match for match in by_words}
        for row in nearest:
            if near[row] >= _NEAR:
                known.setdefault(row, Match(row=row, score=near[row]))
        order = reciprocal_rank_fusion(
            [[row for row in nearest if row in known], [match.row for match in by_words]]
        )
        return [replace(known[row], similarity=near.get(row)) for row, _ in order[:limit]]


def _texts(connection: sqlite3.Connection) -> dict[int, str]:
    """Read every passage under its heading; nothing of a folder that has too many."""
    if passage_count(connection) > MOST:
        return {}
    rows = connection.execute("SELECT rowid, heading, text FROM passages ORDER BY rowid")
    return {row: f"{heading}: {text}" if heading else text for row, heading, text in rows}

"""Finds passages in one folder's index, and tells matches from coincidences."""

import math
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from caveat.adapters.corpus.query import any_expression, term_expression, terms_of
from caveat.adapters.corpus.updating import PASSAGE_BITS
from caveat.contracts.source import Hit, SourceRef

_RANK = "bm25(passages, 2.0, 3.0, 1.0)"
"""Weights of title, heading and text: a heading says what its passage is about, a title what the
whole document is about, which is less."""

SHARE = 0.35
"""Part of a query's weight that every passage must hold. Below it only its commonest words are
shared."""

_GATE = (0.30, 0.05, 0.50)
"""Part of a query's weight that the best passage must hold for the corpus to know the subject at
all: 0.30, and 0.05 more for each tenfold number of passages, at most 0.50. In a large corpus any
two words meet somewhere; in a small one questions use words that it does not. Tried on 34 queries
on the subject of their corpus and 43 off it. Best passages of 20 and 20 held at least 0.67 and at
most 0.50 with 53,593 passages of manuals, those of 14 and 23 at least 0.42 and, but for one with
0.41, at most 0.38 with 57 passages of notes."""

_WEIGHTED_TERMS = 10
"""Heaviest terms that the weight of a query is made of: one passage cannot answer all of a topic
that is a paragraph long."""

_LABELS = 3
"""Headings or pages that a hit names."""

_CANDIDATES = 100
"""Passages that are looked at even where fewer are wanted: the best by rank need not be the one
that holds most of the query."""

_PASSAGES_A_DOCUMENT = 8
"""Passages that are looked at for each document wanted; long documents take several places."""


@dataclass(frozen=True)
class Match:
    """A passage's row and its relevance; higher is better."""

    row: int
    score: float

    @property
    def document(self) -> int:
        """The number of the passage's document."""
        return self.row >> PASSAGE_BITS


def matches(connection: sqlite3.Connection, text: str, limit: int) -> list[Match]:
    """Return the passages that match a query, best first; empty when none really does."""
    terms = terms_of(text)
    if not terms:
        return []
    rows = {term: _rows(connection, term) for term in terms}
    total = passage_count(connection)
    weights = {term: term_weight(len(rows[term]), total) for term in terms}
    whole = sum(sorted(weights.values(), reverse=True)[:_WEIGHTED_TERMS])
    ranked = connection.execute(
        f"SELECT rowid, {_RANK} FROM passages WHERE passages MATCH ? ORDER BY 2, 1 LIMIT ?",  # noqa: S608  # a constant
        (any_expression(terms), max(limit, _CANDIDATES)),
    ).fetchall()
    held = {
        row: sum(weights[term] for term in terms if row in rows[term]) / whole for row, _ in ranked
    }
    if max(held.values(), default=0.0) < gate(total):
        return []
    found = [Match(row=row, score=-rank) for row, rank in ranked if held[row] >= SHARE]
    return found[:limit]


def gate(total: int) -> float:
    """Return the share of a query's weight that its best passage must hold.

    Args:
        total: passages in all.
    """
    base, step, most = _GATE
    return min(most, base + step * math.log10(max(total, 1)))


def term_weight(frequency: int, total: int) -> float:
    """Say how much a word tells about a query's subject.

    Args:
        frequency: passages that hold it.
        total: passages in all.
    """
    return math.sqrt(1 + math.log((total + 1) / (frequency + 1)))


def hits(connection: sqlite3.Connection, text: str, limit: int) -> list[Hit]:
    """Return documents by their best passage (MaxP), each with the places to look at.

    The same source under several paths (copies, translations) is one hit, at its best path.
    """
    found: dict[str, Hit] = {}
    by_document: dict[int, list[Match]] = {}
    for match in matches(connection, text, limit * _PASSAGES_A_DOCUMENT):
        by_document.setdefault(match.document, []).append(match)
    for document, passages in by_document.items():
        source = _source(connection, document)
        if source is not None and source.id not in found and len(found) < limit:
            labels = _labels(connection, passages)
            found[source.id] = Hit(source=source, score=passages[0].score, passages=labels)
    return list(found.values())


def passage_count(connection: sqlite3.Connection) -> int:
    """Return the number of passages in the index."""
    (total,) = connection.execute("SELECT coalesce(sum(passages), 0) FROM documents").fetchone()
    return int(total)


def frequencies(connection: sqlite3.Connection, stems: Sequence[str]) -> dict[str, int]:
    """Count the passages whose text holds each stem; stems that occur nowhere are left out."""
    return {
        stem: count
        for stem in stems
        for (count,) in connection.execute(
            "SELECT doc FROM vocabulary WHERE term = ? AND col = 'text'", (stem,)
        )
    }


def _rows(connection: sqlite3.Connection, term: str) -> frozenset[int]:
    found = connection.execute(
        "SELECT rowid FROM passages WHERE passages MATCH ?", (term_expression(term),)
    )
    return frozenset(row for (row,) in found)


def _source(connection: sqlite3.Connection, document: int) -> SourceRef | None:
    """Return a document's source; None when another process has just removed it."""
    row = connection.execute("SELECT source FROM documents WHERE id = ?", (document,)).fetchone()
    return None if row is None or row[0] is None else SourceRef.model_validate_json(row[0])


def _labels(connection: sqlite3.Connection, passages: Sequence[Match]) -> tuple[str, ...]:
    headings = (
        connection.execute("SELECT heading FROM passages WHERE rowid = ?", (match.row,)).fetchone()
        for match in passages
    )
    labels = dict.fromkeys(row[0] for row in headings if row is not None and row[0])
    return tuple(labels)[:_LABELS]

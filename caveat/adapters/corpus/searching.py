"""Finds passages in one folder's index, and tells matches from coincidences."""

import math
import sqlite3
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from caveat.adapters.corpus.updating import PASSAGE_BITS
from caveat.adapters.text.query import any_expression, term_expression, terms_of
from caveat.adapters.text.question import Question, asked_stems, question
from caveat.adapters.text.words import WORD, stem
from caveat.contracts.source import Hit, SourceRef

_RANK = "bm25(passages, 2.0, 3.0, 1.0)"
"""Weights of title, heading and text: a heading says what its passage is about, a title what the
whole document is about, which is less."""

SHARE = 0.35
"""Part of a query's weight that every passage must hold. Below it only its commonest words are
shared."""

_GATE = (0.20, 0.05, 0.50)
"""Part of a query's weight that the best passage must hold for the corpus to know the subject at
all: 0.20, and 0.05 more for each tenfold number of passages, at most 0.50. In a large corpus any
two words meet somewhere; in a small one questions use words that it does not. A question in other
words than its document's is let through where what stands in for them is there. With 0.30 one more
of 67 questions of the tuning half of benchmarks/answers finds nothing; whether what is found says
more than words of the question is decided where it is read."""

_WEIGHTED_TERMS = 10
"""Heaviest terms that the weight of a query is made of: one passage cannot answer all of a topic
that is a paragraph long."""

_LABELS = 3
"""Headings or pages that a hit names."""

_CANDIDATES = 300
"""Passages that are looked at even where fewer are wanted: the best by rank need not be the one
that holds most of the query. They take 40 ms."""

_FEW_TERMS = 12
"""Terms up to which what may stand for them is searched for as well: a longer query says in several
words what it is about."""

_IN_TITLE, _IN_HEADING = 0.4, 1.0
"""What a word counts in the title of a document and in the heading of a passage."""

_BM25 = 0.005
"""What a point of BM25, which is negative, adds: it orders what holds the same words."""

_PASSAGES_A_DOCUMENT = 8
"""Passages that are looked at for each document wanted; long documents take several places."""


@dataclass(frozen=True)
class Match:
    """A passage's row and its relevance; higher is better.

    Attributes:
        row: of the passage.
        score: how much of the query it holds, or how near its meaning is.
        similarity: cosine of its meaning with the query's; None where nobody compared them.
    """

    row: int
    score: float
    similarity: float | None = None

    @property
    def document(self) -> int:
        """The number of the passage's document."""
        return self.row >> PASSAGE_BITS


def matches(connection: sqlite3.Connection, text: str, limit: int) -> list[Match]:
    """Return the passages that match a query, best first; empty when none really does."""
    terms = terms_of(text)
    if not terms:
        return []
    total = passage_count(connection)
    asked = _asked(connection, terms, total)
    ranked = _candidates(connection, terms, asked, limit)
    rows = {row for row, *_ in ranked}
    held = _held(connection, terms, asked, rows, total)
    if max(held.values(), default=0.0) < gate(total):
        return []
    found = [
        Match(row=row, score=score(asked, title, heading, words) - _BM25 * rank)
        for row, rank, title, heading, words in ranked
        if held[row] >= SHARE
    ]
    return sorted(found, key=lambda match: (-match.score, match.row))[:limit]


Find = Callable[[sqlite3.Connection, str, int], list[Match]]
"""How passages are found: `matches`, or with meanings beside it."""


def score(asked: Question, title: str, heading: str, text: str) -> float:
    """Say how much of a question a passage holds with its heading and title, 0 to 1."""
    places = ((title, _IN_TITLE), (heading, _IN_HEADING), (text, 1.0))
    stems: dict[str, float] = {}
    for words, worth in places:  # the text comes last, and counts most
        stems.update(dict.fromkeys(map(stem, set(WORD.findall(words))), worth))
    found = sum(
        term.weight
        * max((worth * stems.get(form, 0.0) for form, worth in term.forms.items()), default=0.0)
        for term in asked.terms
    )
    return found / asked.whole


def _asked(connection: sqlite3.Connection, terms: Sequence[str], total: int) -> Question:
    """Read a query as a question; a text of many words is its own synonyms."""
    query = " ".join(terms)
    return question(query, frequencies(connection, asked_stems(query)), total)


def _candidates(
    connection: sqlite3.Connection, terms: Sequence[str], asked: Question, limit: int
) -> list[tuple[int, float, str, str, str]]:
    """Find passages by BM25: of the query's own words, and beside them of those that stand in."""
    wanted = max(limit, _CANDIDATES)
    own = any_expression(terms)
    others = [form for term in asked.terms for form, worth in term.forms.items() if worth < 1]
    sought = [own]
    if others and len(terms) <= _FEW_TERMS:
        sought.append(" OR ".join([own, *map(term_expression, dict.fromkeys(others))]))
    ranks: dict[int, float] = {}
    for expression in sought:
        # Without their texts: to sort the matches, SQLite would read all of them and keep a few.
        for row, rank in connection.execute(
            f"SELECT rowid, {_RANK} FROM passages "  # noqa: S608  # a constant
            "WHERE passages MATCH ? ORDER BY 2, 1 LIMIT ?",
            (expression, wanted),
        ):
            ranks.setdefault(row, rank)
    texts = (
        connection.execute(
            "SELECT rowid, title, heading, text FROM passages WHERE rowid = ?", (row,)
        ).fetchone()
        for row in ranks
    )
    return [(found[0], ranks[found[0]], *found[1:]) for found in texts if found is not None]


def _held(
    connection: sqlite3.Connection,
    terms: Sequence[str],
    asked: Question,
    rows: Collection[int],
    total: int,
) -> dict[int, float]:
    """Say which share of a query's weight each passage holds."""
    forms = {term.stem: term.forms for term in asked.terms}
    held = {row: dict.fromkeys(terms, 0.0) for row in rows}
    weights: dict[str, float] = {}
    for term in terms:
        known = 0
        for form, worth in {term: 1.0, **forms.get(stem(term), {})}.items():
            found = _rows(connection, form)
            known = max(known, len(found))
            for row in held.keys() & found:
                held[row][term] = max(held[row][term], worth)
        weights[term] = term_weight(known, total) if known else 0.0
    mean = sum(weights.values()) / max(1, sum(map(bool, weights.values())))
    # What no passage holds weighs as much as the others do, and not most for being rarest.
    lacking = mean if asked.terms else term_weight(0, total)
    weights = {term: weight or lacking for term, weight in weights.items()}
    whole = sum(sorted(weights.values(), reverse=True)[:_WEIGHTED_TERMS]) or 1.0
    return {
        row: sum(weights[term] * worth for term, worth in found.items()) / whole
        for row, found in held.items()
    }


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


def hits(connection: sqlite3.Connection, text: str, limit: int, find: Find = matches) -> list[Hit]:
    """Return documents by their best passage (MaxP), each with the places to look at.

    The same source under several paths (copies, translations) is one hit, at its best path.
    """
    found: dict[str, Hit] = {}
    by_document: dict[int, list[Match]] = {}
    for match in find(connection, text, limit * _PASSAGES_A_DOCUMENT):
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


def _rows(connection: sqlite3.Connection, term: str) -> set[int]:
    """Return every passage that holds a word; of a common one nearly all of the index."""
    found = connection.execute(
        "SELECT rowid FROM passages WHERE passages MATCH ?", (term_expression(term),)
    )
    return {row for (row,) in found}


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

"""Finds passages of one folder, by words and by meaning, and tells matches from coincidences."""

import math
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import zip_longest
from pathlib import Path

from caveat.adapters.corpus.updating import PASSAGE_BITS
from caveat.adapters.text.question import (
    UNKNOWN,
    Question,
    build_near_expression,
    build_or_expression,
    find_unmet_stems,
    list_terms,
    list_wanted_stems,
    parse_question,
)
from caveat.adapters.text.vocabulary import Similarity
from caveat.contracts.source import Hit, SourceRef
from caveat.rules.sources.rankings import fuse_rankings
from caveat.rules.text.words import detect_language, find_stems, split_words, stem

_RANK = "bm25(passages, 2.0, 3.0, 1.0, 1.0)"
"""Weights of title, heading, text and roots: a heading says what its passage is about, a title what
the whole document is about, which is less."""

_FOREIGN = 0.5
"""What a passage counts in another language than the question: its translation comes first."""

SHARE = 0.25  # of a query's weight that every passage holds: one of four words that are as rare

_GATE = (0.20, 0.05, 0.50)
"""Part of a query's weight that the best passage must hold for the corpus to know the subject at
all: 0.20, and 0.05 more for each tenfold number of passages, at most 0.50. In a large corpus any
two words meet somewhere; in a small one questions use words that it does not. A question in other
words than its document's is let through where what stands in for them is there."""

_WEIGHTED_TERMS = 10
"""Heaviest terms that the weight of a query is made of: one passage cannot answer all of a topic
that is a paragraph long."""


_CANDIDATES = 100
"""Passages that are read even where fewer are wanted: where a word stands, in a heading or far from
the others, is seen in the text alone. One takes 40 µs."""

_IN_TITLE, _IN_HEADING = 0.4, 1.0
"""What a word counts in the title of a document and in the heading of a passage."""

_BM25 = 0.005  # what a point of BM25, which is negative, adds: it orders what holds the same words

_PASSAGES_A_DOCUMENT = 8
"""Passages that are looked at for each document wanted; long documents take several places."""

MOST_COMPARED = 3_000
"""Passages up to which all of a folder are compared: each takes 30 to 60 ms when it is new, so that
the first look takes three minutes at most. In a larger folder words alone find, and meanings order
what they found."""

_AT_ONCE = 50  # passages from one sign of life to the next
_NEAREST = 100  # passages that meanings bring in
_NEAR = 0.30  # similarity below which a passage is about something else


@dataclass(frozen=True)
class Match:
    """A passage's row and its relevance; higher is better."""

    row: int
    score: float  # how much of the query it holds, or how near its meaning is
    # cosine of its meaning with the query's; None where nobody compared them
    similarity: float | None = None

    @property
    def document(self) -> int:
        return self.row >> PASSAGE_BITS


def matches(connection: sqlite3.Connection, text: str, limit: int) -> list[Match]:
    """Return the passages that match a query, best first; empty when none really does."""
    language = detect_language(text)
    terms = [  # as the index holds them: "c++" as letters
        term if term[-1].isalnum() else split_words(term)[0].root
        for term in list_terms(text, language)
    ]
    if not terms:
        return []
    total = count_passages(connection)
    # A word alone may be one that carries a meaning only where it stands: "the well".
    query = " ".join(terms) if len(terms) > 1 else text
    asked, whole = _parse_question(connection, query, total, language)
    forms = {form for term in asked.terms for form in term.forms}
    find_forms = partial(find_stems, wanted=forms, language=asked.language)
    find = lru_cache(1_000)(find_forms)  # titles and headings return
    most, hits = 0.0, []
    ranked = _rank_passages(connection, terms, asked, max(limit, _CANDIDATES))
    for row, rank, spoken, *texts in ranked:
        held = score(asked, *map(find, texts))
        share = held * asked.whole / whole
        most = max(most, share)
        if share >= SHARE:
            # BM25 is negative.
            worth = (held - _BM25 * rank) * (1.0 if spoken in (None, language) else _FOREIGN)
            hits.append(Match(row, worth))
    if most < gate(total):
        return []
    return sorted(hits, key=lambda match: (-match.score, match.row))[:limit]


Find = Callable[[sqlite3.Connection, str, int], list[Match]]
"""How passages are found: `matches`, or with meanings beside it."""


def score(asked: Question, title: Set[str], heading: Set[str], text: Set[str]) -> float:
    """Say how much of a question a passage holds by its stems, title and heading's too, 0 to 1."""
    # The text comes last, and counts most.
    worths = dict.fromkeys(title, _IN_TITLE)
    worths |= dict.fromkeys(heading, _IN_HEADING)
    worths |= dict.fromkeys(text, 1.0)
    held = 0.0
    for term in asked.terms:
        here = worths.keys() & term.forms.keys()
        held += term.weight * max((term.forms[form] * worths[form] for form in here), default=0.0)
    return held / asked.whole


def _parse_question(
    connection: sqlite3.Connection, query: str, total: int, language: str
) -> tuple[Question, float]:
    """Read a query as a question, and weigh what a corpus on its subject has words for."""
    known = count_frequencies(connection, list_wanted_stems(query, language))
    asked = parse_question(query, known, total, language)
    # A word that no passage holds counts here as much as the others do.
    unknown = find_unmet_stems(query, known, language)
    weights = [term.weight / (UNKNOWN if term.stem in unknown else 1.0) for term in asked.terms]
    return asked, sum(sorted(weights, reverse=True)[:_WEIGHTED_TERMS]) or 1.0


def _rank_passages(
    connection: sqlite3.Connection, terms: Sequence[str], asked: Question, wanted: int
) -> list[tuple[int, float, str | None, str, str, str]]:
    """Rank passages by BM25: those that hold every word of a question, and others if few do.

    Each has its row, rank, language, title, heading and text.
    """
    rows: list[tuple[int, float, str | None, str, str, str]] = []
    for expression in _list_expressions(terms, asked):
        rows = connection.execute(
            "SELECT p.rowid, found.rank, language, title, heading, text "  # noqa: S608  # constants
            f"FROM (SELECT rowid, {_RANK} AS rank FROM passages WHERE passages MATCH ? "
            "ORDER BY rank LIMIT ?) AS found JOIN passages AS p ON p.rowid = found.rowid "
            f"JOIN documents AS d ON d.id = p.rowid >> {PASSAGE_BITS}",
            (expression, wanted),
        ).fetchall()
        if len(rows) == wanted:
            break
    return rows


def _list_expressions(terms: Sequence[str], asked: Question) -> Iterator[str]:
    """Yield what passages are to hold: every word, then fewer, then any.

    A form of a word and what stands in for it will do. BM25 weighs whatever matches, which takes
    nine tenths of a search for common words. So fewer words are asked for only as long as no
    passage without them can hold more of the question's weight than those that have them.
    """
    written: dict[str, list[str]] = defaultdict(list)
    near: dict[str, str] = {}
    for term, following in zip_longest(terms, terms[1:]):
        for word in split_words(term, asked.language):
            # The index cuts a stem once more: "disagree" and "disagreement" come together.
            written[word.stem] += [word.text, word.stem, word.root]
            if following:
                near.setdefault(word.stem, f" OR {build_near_expression(term, following)}")
    ordered = sorted(asked.terms, key=lambda term: -term.weight)
    words = []
    for term in ordered:
        # A form that is cut to the same stem as another one would count once more.
        forms = {stem(form): form for form in (*term.forms, *written[term.stem])}
        words.append(build_or_expression(forms.values()) + near.get(term.stem, ""))
    weights = [term.weight for term in ordered]
    for needed in range(len(words) - 1, -1, -1):
        if not needed or weights[needed - 1] >= sum(weights[needed:-1]):
            yield " AND ".join(
                f"({word})" for word in (*words[:needed], " OR ".join(words[needed:]))
            )


def gate(total: int) -> float:
    """Return the share of a query's weight that its best passage must hold."""
    base, step, most = _GATE
    return min(most, base + step * math.log10(max(total, 1)))


def find_hits(
    connection: sqlite3.Connection, text: str, limit: int, find: Find = matches
) -> list[Hit]:
    """Return documents by their best passage (MaxP)."""
    # The same source under several paths (translations) is one hit, at its best path.
    best = find(connection, text, limit * _PASSAGES_A_DOCUMENT)
    hits: dict[str, Hit] = {}
    for document in dict.fromkeys(match.document for match in best):
        query = "SELECT source FROM documents WHERE id = ? AND source IS NOT NULL"
        row = connection.execute(query, (document,)).fetchone()
        if row is None:  # another process has just removed it
            continue
        source = SourceRef.model_validate_json(row[0])
        if source.id not in hits:
            hits[source.id] = Hit(source=source)
        if len(hits) == limit:
            break
    return list(hits.values())


def count_passages(connection: sqlite3.Connection) -> int:
    (total,) = connection.execute("SELECT coalesce(sum(passages), 0) FROM documents").fetchone()
    return int(total)


def count_frequencies(connection: sqlite3.Connection, stems: Sequence[str]) -> dict[str, int]:
    """Count the passages whose text holds each stem; stems that occur nowhere are left out."""
    # Of a stem that stands in headings or titles alone ("LT-4410 datasheet") those are counted.
    return {
        stem: count
        for stem in stems
        for (count,) in connection.execute(
            "SELECT doc FROM vocabulary WHERE term = ? "
            "ORDER BY col NOT IN ('text', 'held'), doc DESC LIMIT 1",
            (stem,),
        )
    }


def list_sources(connection: sqlite3.Connection, limit: int) -> list[SourceRef]:
    """Return the sources of the first so many documents by path."""
    rows = connection.execute(
        "SELECT source FROM documents WHERE source IS NOT NULL ORDER BY path LIMIT ?", (limit,)
    )
    return [SourceRef.model_validate_json(source) for (source,) in rows]


def list_languages(connection: sqlite3.Connection) -> set[str]:
    rows = connection.execute("SELECT DISTINCT language FROM documents WHERE source IS NOT NULL")
    return {language for (language,) in rows if language is not None}


@dataclass(frozen=True)
class Meanings:
    """Compares the passages of one folder with questions."""

    similarity: Similarity
    file: Path  # where it keeps what it knows of them

    def learn(self, connection: sqlite3.Connection) -> None:
        """Read every passage once, unless there are too many."""
        texts = list(_read_texts(connection).values())
        for start in range(0, len(texts), _AT_ONCE):
            self.similarity.keep(texts[start : start + _AT_ONCE], self.file)

    def find_matches(self, connection: sqlite3.Connection, query: str, limit: int) -> list[Match]:
        """Return the passages that match a query by words or by meaning, best first."""
        by_words = matches(connection, query, limit)
        texts = _read_texts(connection)
        if not texts:
            return by_words
        near = dict(
            zip(
                texts,
                self.similarity.compare_cached(query, list(texts.values()), self.file),
                strict=True,
            )
        )
        nearest = sorted(near, key=lambda row: (-near[row], row))[:_NEAREST]
        known = {match.row: match for match in by_words}
        for row in nearest:
            if near[row] >= _NEAR:
                known.setdefault(row, Match(row=row, score=near[row]))
        order = fuse_rankings(
            [[row for row in nearest if row in known], [match.row for match in by_words]]
        )
        return [replace(known[row], similarity=near.get(row)) for row in order[:limit]]


def _read_texts(connection: sqlite3.Connection) -> dict[int, str]:
    """Read every passage under its heading; nothing of a folder that has too many."""
    if count_passages(connection) > MOST_COMPARED:
        return {}
    rows = connection.execute("SELECT rowid, heading, text FROM passages ORDER BY rowid")
    return {row: f"{heading}: {text}" if heading else text for row, heading, text in rows}

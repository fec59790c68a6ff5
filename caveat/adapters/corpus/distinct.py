"""Tells the documents that a search found with one text from those that only resemble each other.

What is one text is read once: with a model, each further reading costs a call that brings nothing.
"""

import json
import sqlite3
from collections import deque
from functools import lru_cache, partial
from itertools import groupby
from operator import itemgetter

from caveat.adapters.corpus.updating import PASSAGE_BITS
from caveat.adapters.documents.composer import PATH_SEPARATOR
from caveat.rules.evidence import Relation, Sketch, compare_sketches, sketch
from caveat.rules.lines import cut_words

_NEIGHBOURS = 32
"""Documents before one, by rank, that it is held against: copies hold the same words, and stand
side by side but for their titles."""

_COMPARED = 200
"""Documents of a search that are compared, the best: a large run reads thousands, and where all of
them fill in one form, each takes 2 ms. Copies among the others are recognised when they were
read."""

_SHARED = 0.5
"""Share of the words of the shorter best passage that stands in the other's, below which two
documents are no copies: of one text they are the same words, or overlap where formats are cut into
passages in other places. Other texts on one subject share a third, the commonest words."""


class DistinctTexts:
    """The texts of the documents of one search, in the order of their ranks."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._near: deque[tuple[int, frozenset[str]]] = deque(maxlen=_NEIGHBOURS)
        self._sketch = lru_cache(2 * _NEIGHBOURS)(partial(_read_sketch, connection))
        self._compared = 0

    def find_first(self, document: int, row: int) -> int:
        """Name the document that was the first with this one's text: itself, where that is new."""
        self._compared += 1
        if self._compared > _COMPARED:
            return document
        rows = self._connection.execute("SELECT text FROM passages WHERE rowid = ?", (row,))
        here = frozenset(word for (text,) in rows for word in cut_words(text.casefold()))
        for other, there in self._near:
            if len(here & there) < _SHARED * max(1, min(len(here), len(there))):
                continue
            if compare_sketches(self._sketch(other), self._sketch(document)) is Relation.COPY:
                return other
        self._near.append((document, here))
        return document


def _read_sketch(connection: sqlite3.Connection, document: int) -> Sketch:
    """Return a document's sketch, which the index keeps from the first time that it is drawn."""
    row = connection.execute("SELECT sketch FROM documents WHERE id = ?", (document,)).fetchone()
    if row is not None and row[0] is not None:
        shingles, smallest, figures = json.loads(row[0])
        return Sketch(shingles, tuple(smallest), tuple(map(tuple, figures)))
    # Its text as its passages hold it, each heading before its text.
    first = document << PASSAGE_BITS
    rows = connection.execute(
        "SELECT heading, text FROM passages WHERE rowid BETWEEN ? AND ? ORDER BY rowid",
        (first, first | (1 << PASSAGE_BITS) - 1),
    )
    pieces = (
        piece
        for heading, under in groupby(rows, key=itemgetter(0))
        for piece in (heading.split(PATH_SEPARATOR)[-1], *(text for _, text in under))
    )
    drawn = sketch("\n".join(pieces))
    connection.execute(
        "UPDATE documents SET sketch = ? WHERE id = ?", (json.dumps(drawn), document)
    )
    return drawn

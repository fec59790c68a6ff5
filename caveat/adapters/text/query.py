"""What people type, made into a query that FTS5 understands."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import pairwise

from caveat.rules.text.words import content, language_of, words

TERM_LIMIT = 32
"""Terms of a query that are searched for; a longer query is a text, whose first 32 content words
say what it is about, and time grows with each term."""

_NEAR = 6  # tokens between two words that still belong to one phrase ("constant of Edwin Hubble")

_POSSESSIVE = re.compile(r"(?<=\w)['’](?:s|re|ve|ll|d|m|t)\b", re.IGNORECASE)


def terms_of(text: str, language: str | None = None) -> list[str]:
    """Return the significant words of a query in order, each once, in lower case."""
    # A query of stop words alone keeps them: they are all there is to go by.
    plain = _POSSESSIVE.sub("", unicodedata.normalize("NFKC", text)).casefold()
    spoken = language or language_of(plain)
    said = content(plain, spoken) or words(plain, spoken)
    return list(dict.fromkeys(word.text for word in said))[:TERM_LIMIT]


def term_expression(term: str) -> str:
    """Return the FTS5 expression for one word; quoting leaves it no operators."""
    return '"' + term.replace('"', '""') + '"'


def any_of(forms: Iterable[str]) -> str:
    """Return the FTS5 expression for any of some words, however near."""
    return " OR ".join(map(term_expression, forms))


def any_expression(terms: Sequence[str]) -> str:
    """Return the FTS5 expression for any of the words."""
    # Neighbouring words that stand near each other in a passage count once more (`NEAR`), which
    # lifts passages that hold the query's phrases.
    alone = [term_expression(term) for term in terms]
    near = [f"NEAR({one} {other}, {_NEAR})" for one, other in pairwise(alone)]
    return " OR ".join(alone + near)

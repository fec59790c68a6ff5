"""What people type, made into a query that FTS5 understands."""

import unicodedata
from collections.abc import Iterable

from caveat.rules.text.words import detect_language, list_content_words

TERM_LIMIT = 32
"""Terms of a query that are searched for; a longer query is a text, whose first 32 content words
say what it is about, and time grows with each term."""

_NEAR = 6  # tokens between two words that still belong to one phrase ("constant of Edwin Hubble")


def list_terms(text: str, language: str | None = None) -> list[str]:
    """Return the words of a query that carry meaning, in order, each once, in lower case."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return [word.text for word in list_content_words(plain, language or detect_language(plain))][
        :TERM_LIMIT
    ]


def build_term_expression(term: str) -> str:
    """Return the FTS5 expression for one word; quoting leaves it no operators."""
    return '"' + term.replace('"', '""') + '"'


def build_or_expression(forms: Iterable[str]) -> str:
    """Return the FTS5 expression for any of some words, however near."""
    return " OR ".join(map(build_term_expression, forms))


def build_near_expression(one: str, other: str) -> str:
    """Return the FTS5 expression for two words near each other, as in a phrase of the query."""
    return f"NEAR({build_term_expression(one)} {build_term_expression(other)}, {_NEAR})"

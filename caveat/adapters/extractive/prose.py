"""Which sentences can be quoted: prose that stands on its own."""

import re

from caveat.rules.text.words import STOP_WORDS

_WORD = re.compile(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*")
_STOPPED = re.compile(r"(?<![.…])[.!?][\"'”’»)\]]*\Z")
_OPENING = re.compile(r"[\"'“‘«(\[]*[A-Z0-9À-ÞΑ-Ω]|[\"'“‘«(\[]*[a-z]+[A-Z0-9-]")

SHORTEST, LONGEST = 5, 70
"""Words: fewer are headings and labels, more are lists that lost their layout."""

_NO_PROSE = re.compile(
    r"©|\(c\)\s\d{4}|\b(?i:copyright|all rights reserved|table of contents|click here|see also|read"
    r" more|permission is hereby granted|isbn|issn|changelog)\b"
    r"|https?://\S{1,300}\s{1,20}https?://"  # a list of links
    r"|(?:\s\.){4,}|\.{5,}|_{4,}"  # the leaders of a table of contents
    r"|``|\|[\w-]+\||:\w+:`"  # markup that was left in
    r"|\s\|\s.*\s\|\s|\t|\n"  # a row of a table, columns, code
    r"|[{}]|;\s*\Z|^\s*[$#>]\s|==|&&|\|\||\\n|->|::|<[a-z/]"
)


def is_prose(sentence: str) -> bool:
    """Whether a sentence is prose: no code, table row, list of links, notice or heading."""
    if not _OPENING.match(sentence) or not _STOPPED.search(sentence):
        return False
    count = len(_WORD.findall(sentence))
    if not SHORTEST <= count <= LONGEST or _NO_PROSE.search(sentence):
        return False
    if sentence.count("(") != sentence.count(")"):
        return False  # half of a remark
    letters = sum(char.isalpha() or char.isspace() for char in sentence)
    return letters >= 0.7 * len(sentence)


_CODE = re.compile(
    r"[{}]|;[^\S\n]*+$|==|&&|\|\||->|::|^[^\S\n]*+(?:def|class|return|import|from|var|const|let|function)\b",
    re.MULTILINE,
)


def is_code(sentence: str) -> bool:
    """Whether words are lines of code rather than of text."""
    return "\n" in sentence and _CODE.search(sentence) is not None


def is_english_prose(sentence: str) -> bool:
    """Whether a sentence is prose with the function words that English needs."""
    # A fifth of the words is half of what English prose has; lists of names have fewer.
    found = _WORD.findall(sentence)
    functional = sum(word.lower() in STOP_WORDS for word in found)
    return functional >= 0.2 * len(found) and is_prose(sentence)

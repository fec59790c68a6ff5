"""Which sentences can be quoted: prose that stands on its own."""

import re

from caveat.rules.text.words import STOP_WORDS, listing

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


def independence(sentence: str) -> float:
    """How well a sentence is understood without the one before it, 0 to 1."""
    # A pronoun at the start points outside the quote, a connective continues an argument, a
    # question answers nothing.
    if sentence.rstrip("\"'”’»)]").endswith("?"):
        return 0.3
    length = len(_WORD.findall(sentence))
    # Short sentences leave things out, long ones bury the answer.
    whole = 0.8 if length < 7 or length > 45 else 1.0
    return min(whole, _opening(_reported(sentence)), 0.75 if _ELSEWHERE.search(sentence) else 1.0)


def _reported(sentence: str) -> str:
    """What the authors of the source say that they found: "We" is whoever is cited."""
    return _FINDING.sub("", sentence, count=1)


_FINDING = re.compile(r"\A(?:We|I)(?:\s+[a-z]+){1,3}?\s+that\s+(?=\w)")


def _opening(sentence: str) -> float:
    found = re.findall(r"[^\W\d_]+", sentence[:60].lower())
    first, second = (*found, "", "")[:2]
    if first in _PRONOUNS or (first in _DEMONSTRATIVES and second in _VERBS):
        return 0.5
    if first in _CLAUSES and second in _PRONOUNS | _DEMONSTRATIVES:
        return 0.6
    if first in _DEMONSTRATIVES:
        return 0.7
    return 0.75 if first in _CONNECTIVES or (first, second) in _CONNECTIVE_PAIRS else 1.0


_ELSEWHERE = re.compile(
    r"\b(?i:(?:example|section|described|shown|mentioned|as)\s(?:above|below)|as follows|following"
    r"|(?:see|in)\s(?:section|chapter|appendix|figure|table|fig\.))\b"
)
"""It points to what is not in the quote."""

_PRONOUNS = frozenset(listing("it he she they them him her its his their here there such i we you"))
_DEMONSTRATIVES = frozenset(listing("this that these those both another"))
_VERBS = frozenset(
    listing(
        "is are was were has have had does do did can could will would may might must should",
        "means s makes gives shows allows requires includes also leads happens applies works",
        "helps implies need needs ensures prevents causes lets of",
    )
)
_CLAUSES = frozenset(listing("if when once while since as because after before although unless"))
_CONNECTIVES = frozenset(
    listing(
        "however therefore thus hence moreover furthermore additionally besides consequently",
        "then so but and or yet also instead otherwise nevertheless nonetheless similarly",
        "likewise conversely accordingly indeed meanwhile finally again still alternatively",
        "subsequently afterwards because now note once",
    )
)
_CONNECTIVE_PAIRS = frozenset(
    {
        ("for", "example"), ("for", "instance"), ("in", "addition"), ("as", "such"),
        ("in", "contrast"), ("in", "this"), ("in", "that"), ("in", "these"),
        ("at", "this"), ("for", "this"), ("after", "this"), ("after", "that"),
        ("to", "do"), ("the", "same"), ("the", "following"), ("the", "above"), ("the", "former"),
        ("the", "latter"), ("of", "course"), ("in", "other"), ("as", "mentioned"), ("by", "doing"),
    }
)  # fmt: skip

"""Clauses: the part of a sentence that says what a value is a value of, as comparable words.

A sentence says more than one thing: "By default Palisade encrypts with AES-256, which every
processor can do". What two sentences must share for their values to be held against each other are
the words of the clause around the value; what stands beside it ("which every processor can do")
must not contradict, and may name what the other sentence names in its clause.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from caveat.adapters.text.words import STOP_WORDS, listing, stem
from caveat.quantities.numerals import numerals


@dataclass(frozen=True)
class Clause:
    """The words around a value.

    Attributes:
        start: where the clause begins in its sentence.
        end: just behind it.
        words: that say what the value is of, levelled, numbers among them.
        aside: words of the rest of the sentence.
        loose: those of `words` that hardly ever tell one thing from another: a condition of
            measuring, a way of doing it.
        denies: how many negations it has.
    """

    start: int
    end: int
    words: frozenset[str]
    aside: frozenset[str]
    loose: frozenset[str]
    denies: int


class _Word(NamedTuple):
    text: str
    level: str
    start: int
    end: int


Part = tuple[int, int]
"""Where a part of a sentence begins and ends."""

_BREAK = re.compile(
    r"[;:]\s|\s[–—-]\s|[()]|,\s(?:and|but|yet|so|or|while|whereas|although|because|since)\s"
    r"|\s(?:because|although|whereas|while|but)\s"
)
"""Where another clause begins on either side of a value."""

_TAIL = re.compile(
    r",\s|\s(?:and|or|which|who|whose|that|so|as well as|rather than|according to|thanks to"
    r"|due to)\s"
)
"""Where what says what a value is of ends behind it."""

_ADJUNCT = re.compile(
    r"(?:In|At|On|By|For|From|To|With|Without|During|Before|After|Since|Until|Under|Over|Above"
    r"|Below|Outside|Inside|Within|Among|Between|Through|Throughout|Of|When|Once|If|As|Per|Across"
    r"|Near|Behind|Beyond|Unlike|Today|Now|Currently|Nowadays)\b",
    re.IGNORECASE,
)
"""What opens a part of the clause that stands before its subject."""

_OWN_SUBJECT = re.compile(
    r"(?:the|an?|its|his|her|their|our|it|they|he|she|we|this|that|these|those|there|each|every"
    r"|no|some|all|most)\b|[A-Z]"
)


def clause(sentence: str, start: int, end: int) -> Clause:
    """Find the clause around `sentence[start:end]`, and its words without those of the value."""
    breaks = (m.end() for m in _BREAK.finditer(sentence, 0, start))
    left = max((at for at in breaks if at < start), default=0)  # "Speed limit: 30 km/h" is whole
    right = next((m.start() for m in _BREAK.finditer(sentence, end)), len(sentence))
    tail = _TAIL.search(sentence, end, right)
    right = tail.start() if tail else right
    parts = (*_subject_parts(sentence, left, start), (end, right))
    return _clause(sentence, parts, (left, right), (start, end))


def whole(sentence: str, start: int, end: int) -> Clause:
    """Take `sentence[start:end]` as a clause that is itself what is said."""
    return _clause(sentence, ((start, end),), (start, end), (end, end))


def _clause(sentence: str, parts: Sequence[Part], bounds: Part, value: Part) -> Clause:
    inside: list[_Word] = []
    aside: set[str] = set()
    for word in _words(sentence):
        if any(first <= word.start < last for first, last in parts):
            inside.append(word)
        elif word.level and not value[0] <= word.start < value[1]:
            aside.add(word.level)
    return Clause(
        start=bounds[0],
        end=bounds[1],
        words=frozenset(word.level for word in inside if word.level),
        aside=frozenset(aside),
        loose=frozenset(_loose(sentence, inside, value[1])),
        denies=sum(_denies(word.text) for word in inside),
    )


def _subject_parts(sentence: str, left: int, start: int) -> list[Part]:
    """Leave out what is thrown in between commas before a value: "France, a country, has ..."."""
    commas = [m.start() for m in re.finditer(r",\s", sentence[:start]) if m.start() >= left]
    edges = [left, *(comma + 1 for comma in commas), start]
    parts = [(first, last - (1 if last != start else 0)) for first, last in pairwise(edges)]
    *before, own = parts
    if not before:
        return parts
    has_subject = _OWN_SUBJECT.match(sentence[own[0] : own[1]].lstrip()) is not None
    opens = [_ADJUNCT.match(sentence[first:last].lstrip()) is not None for first, last in before]
    kept = [
        part
        for place, (part, is_adjunct) in enumerate(zip(before, opens, strict=True))
        if is_adjunct
        or (place == 0 and not has_subject)
        or (place == 1 and opens[0] and not has_subject)
    ]
    return [*kept, own]


TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


@lru_cache(maxsize=1 << 12)
def _words(sentence: str) -> tuple[_Word, ...]:
    """Cut a sentence into words; those that carry nothing have no level."""
    found: list[_Word] = []
    end = 0
    for each in (*numerals(sentence), None):
        behind = each.start if each else len(sentence)
        found += [
            _Word(match[0], level_of(match[0]), *match.span())
            for match in TOKEN.finditer(sentence, end, behind)
        ]
        if each is not None:
            written = sentence[each.start : each.end]
            level = "" if _YEAR.fullmatch(written) else f"#{each.number:g}"
            found.append(_Word(written, level, each.start, each.end))
            end = each.end
    return tuple(found)


_YEAR = re.compile(r"1[5-9]\d\d|20\d\d")

_TELLING = frozenset(
    listing(
        "before after above below under over without between during until off out most more",
        "less now made only",
    )
)
"""Stop words of retrieval that tell one thing from another in a clause."""

_LIGHT = frozenset(
    stem(word)
    for word in listing(
        "value figure estimate estimated amount number total overall reported measured find found",
        "measure give given gave put call called get got reckon report state stand stood lie lay",
        "amount come came fact thing approximately roughly nearly almost exactly just officially",
        "actually usually generally normally typically commonly currently yet also even both",
        "same very quite whole entire people person persons individual each clean",
        "contain hold held comprise include consist house possess feature boast some call calls",
        "according estimate official true real certain work works worked time",
    )
) - {stem("work"), stem("number"), stem("time")}
"""Words that come and go without changing what is meant."""

_SAME = {
    stem(word): name
    for name, words in {
        "inhabit": "inhabitants population residents inhabited dwellers",
        "staff": "employ employs employed employees workforce staff personnel",
        "cost": "cost costs price prices fee fees charge charges charged fare",
        "month": "month months monthly",
        "year": "year years yearly annual annually",
        "week": "week weeks weekly",
        "day": "day days daily",
        "hour": "hour hours hourly",
        "need": "need needs needed require requires required requirement requirements",
        "high": "high height tall",
        "long": "long length",
        "deep": "deep depth",
        "wide": "wide width broad breadth",
        "thick": "thick thickness",
        "heavy": "heavy weight weigh weighs weighed mass",
        "old": "old age aged",
        "big": "big large size",
        "fast": "fast speed velocity quick",
        "hot": "hot temperature",
        "melt": "melt melts melting",
        "boil": "boil boils boiling",
        "begin": "begin begins began begun start starts started commence commenced",
        "end": "end ends ended finish finishes finished conclude concluded",
        "die": "die dies died death deaths dead killed fatalities casualties perished fell",
        "born": "born birth",
        "build": "build built construct constructed construction erect erected",
        "found": "found founded founding establish established establishment",
        "write": "write written wrote author authored",
        "invent": "invent invented inventor invention",
        "discover": "discover discovered discoverer discovery",
        "design": "design designed designer architect",
        "lead": "lead leads led headed head leader",
        "turnover": "turnover revenue revenues sales",
        "student": "student students pupil pupils",
        "customer": "customer customers client clients subscriber subscribers",
        "flat": "flat flats apartment apartments",
        "shop": "shop shops store stores",
        "plane": "plane planes aircraft aeroplane airplane",
        "floor": "floor floors storey storeys story",
        "visitor": "visitor visitors guest guests",
        "hurt": "hurt injured wounded",
        "buy": "buy bought purchase purchased acquire acquired acquisition",
        "car": "car cars automobile automobiles",
        "lorry": "lorry lorries truck trucks",
        "film": "film films movie movies",
        "doctor": "doctor doctors physician physicians",
        "maker": "maker manufacturer producer",
        "wage": "wage wages salary salaries pay",
        "ship": "ship ships vessel vessels",
        "max": "maximum max limit ceiling",
        "min": "minimum min",
        "seat": "seat seats seating capacity",
        "allow": "allow allows allowed permit permits permitted",
        "support": "support supports supported handle handles handled",
        "release": "release released publish published publication",
        "last": "last lasts lasted duration take takes took taken",
        "grow": "grow grew grown growth rise rose risen increase increased climb climbed",
        "drop": "drop dropped decline declined decrease decreased shrink shrank shrunk",
        "memory": "memory ram",
        "disk": "disk disc storage",
        "default": "default defaults standard",
        "effect": "effect force",
    }.items()
    for word in words.split()
}  # fmt: skip
"""Words that mean the same beside a value."""

_MODALS = {
    "may": "~may", "can": "~may", "cannot": "~may", "can't": "~may", "must": "~must",
    "shall": "~must",
}  # fmt: skip
NEGATIONS = frozenset(listing("not no never neither nor none nobody nothing cannot"))


def _denies(word: str) -> bool:
    plain = word.casefold().replace("’", "'")
    return plain in NEGATIONS or plain.endswith("n't")


@lru_cache(maxsize=1 << 14)
def level_of(word: str) -> str:
    """Level a word; nothing for one that comes and goes without changing what is meant."""
    plain = word.casefold().replace("’", "'").removesuffix("'s")
    reduced = stem(plain)
    if plain in _MODALS or reduced in _SAME:
        return _MODALS.get(plain) or _SAME[reduced]
    is_symbol = len(word) == 1 and word.islower()  # which another writes otherwise
    is_empty = plain in STOP_WORDS or reduced in _LIGHT or is_symbol or _denies(word)
    return "" if is_empty and plain not in _TELLING else reduced


_CONDITIONS = frozenset(listing("at with by through from via using on"))
"""Prepositions of how and under what something was so, for one who says more than another."""
_RESTRICTIONS = frozenset(
    listing(
        "in for of among within without outside inside under before after since until during to",
        "into between except per over above below across if when once unless as than",
    )
)
_DETERMINERS = frozenset(listing("the a an its his her their our this that these those"))


def _loose(sentence: str, inside: Sequence[_Word], behind: int) -> set[str]:
    """Tell which words only say how: behind "at", "with" or "by", or participles behind a value."""
    loose: set[str] = set()
    tight: set[str] = set()
    preposition = ""
    fresh = False
    for place, word in enumerate(inside):
        plain = word.text.casefold()
        if plain in _CONDITIONS or plain in _RESTRICTIONS:
            preposition, fresh = plain, True
            continue
        if plain in _DETERMINERS:
            preposition = preposition if fresh else ""
            continue
        fresh = False
        if not word.level:
            continue
        following = inside[place + 1] if place + 1 < len(inside) else None
        is_participle = word.start >= behind and plain.endswith(("ed", "ing"))
        glued = following is not None and sentence[word.end : following.start] == "-"
        if (
            (preposition in _CONDITIONS or is_participle)
            and not glued
            and word.level[0] not in "#~"
        ):
            loose.add(word.level)
        else:
            tight.add(word.level)
    return loose - tight

"""Asked: what a question asks for, where it asks for one quantity or one date of a subject.

"How long is the Severn?" asks for a length of what is named Severn, "when was the canal opened?"
for the date of an opening, "how many judges sit on the court?" for a number of judges. What a
question says in another way is not read.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from caveat.adapters.extractive.clauses import TOKEN, level_of
from caveat.adapters.text.words import STOP_WORDS, stem
from caveat.quantities.reading import Quantity
from caveat.quantities.units import SPELLINGS, Kind, comparable

Levels = frozenset[str]
"""Words, levelled as `clauses.level_of` does it."""

LENGTH, MASS, TIME, AREA, VOLUME = "m^1", "kg^1", "s^1", "m^2", "m^3"
MONEY, SHARE, SPEED, WARMTH, STORAGE = "money", "%^1", "m^1·s^-1", "K^1", "B^1"


class Sort(StrEnum):
    """What sort of value answers a question."""

    COUNT = "count"
    AMOUNT = "amount"
    DATE = "date"
    ANY = "any"


@dataclass(frozen=True)
class Asked:
    """A question for one value.

    Attributes:
        text: the question.
        words: all of its words.
        subject: those that an answer, or what stands above it, has to name.
        has_names: whether the subject is told by names, and not by common nouns alone.
        sort: of the value.
        dimensions: that an amount may have.
        named: the noun that is counted, or that names the amount: "half-life".
        event: of a date, the words that tell of it.
        manner: the word that says which amount it is: "long", "cost".
        rest: words that none of these are, such as the verb.
        demands: whether it asks for what is demanded or allowed, so that a bound answers it.
    """

    text: str
    words: Levels
    subject: Levels
    has_names: bool
    sort: Sort
    dimensions: frozenset[str] = frozenset()
    named: Levels = frozenset()
    event: Levels = frozenset()
    manner: str = ""
    rest: Levels = frozenset()
    demands: bool = False


@lru_cache(maxsize=1 << 12)  # each sentence is held against each question
def levels(text: str) -> Levels:
    """The words of a text that carry something, levelled."""
    return frozenset(map(level_of, TOKEN.findall(text))) - {""}


def dimension_of(quantity: Quantity) -> str:
    """The base units of a quantity; one name for money of all currencies, one for all times."""
    if quantity.kind is Kind.MONEY:
        return MONEY
    if quantity.kind in {Kind.DATE, Kind.COUNT}:
        return quantity.kind
    return _base(quantity.unit)


def _base(symbol: str) -> str:
    found = comparable(symbol)
    return {"yr^1": TIME}.get(found[0], found[0]) if found else symbol


def asked(topic: str) -> Iterator[Asked]:
    """Read the questions of a topic; nothing of those that ask for no single value."""
    for text in re.split(r"[?\n]+", topic):
        found = _asked(text.strip())
        if found is not None:
            yield found


_MANNERS = {
    "long": (LENGTH, TIME), "high": (LENGTH,), "tall": (LENGTH,), "deep": (LENGTH,),
    "wide": (LENGTH,), "broad": (LENGTH,), "thick": (LENGTH,), "far": (LENGTH,),
    "heavy": (MASS,), "old": (TIME,), "soon": (TIME,), "often": (TIME,), "fast": (SPEED,),
    "hot": (WARMTH,), "cold": (WARMTH,), "warm": (WARMTH,), "large": (AREA, VOLUME, LENGTH),
    "big": (AREA, VOLUME, LENGTH), "expensive": (MONEY,),
}  # fmt: skip
_MUCH = {
    "weigh": (MASS,), "cost": (MONEY,), "money": (MONEY,), "memory": (STORAGE,),
    "storage": (STORAGE,), "water": (VOLUME,), "fuel": (VOLUME,), "pay": (MONEY,),
}  # fmt: skip
AMOUNTS = {
    noun: frozenset(dimensions)
    for dimensions, nouns in (
        ((LENGTH,), "diameter length height width depth thickness distance altitude elevation"),
        ((LENGTH,), "radius circumference wavelength wingspan"),
        ((MASS,), "weight mass payload load"),
        ((TIME,), "half-life duration age lifetime lifespan interval gestation pregnancy notice"),
        ((AREA,), "area"),
        ((VOLUME,), "volume"),
        ((MONEY,), "price cost fee budget income profit revenue salary turnover wage rent fare"),
        ((MONEY,), "fine deposit grant subscription"),
        ((SHARE,), "turnout"),
        (("V^1",), "voltage"),
        ((WARMTH,), "temperature"),
        ((SPEED,), "speed velocity"),
    )
    for noun in nouns.split()
}
"""What nouns are amounts of."""


@lru_cache
def nouns_of(dimension: str) -> Levels:
    """The nouns that are amounts of a dimension, levelled."""
    return levels(" ".join(noun for noun, known in AMOUNTS.items() if dimension in known))


_EVENTS = tuple(
    levels(words)
    for words in (
        "open opened opening inaugurate inaugurated inauguration",
        "close closed closing closure shut last",
        "appear appeared release released publish published launch launched",
        "discover discovered discovery noticed",
        "erupt erupted eruption",
        "build built construct constructed erect erected complete completed",
        "found founded founding establish established",
        "begin began begun start started",
        "pass passed approach closest",
        "die died death",
        "born birth",
        "sign signed signing",
        "end ended",
        "effect force",
    )
)
"""Words that tell of one event."""

_HOW_MANY = re.compile(
    r"\bhow many\s(?:[\w'’-]+\s){0,2}?"
    r"(\w+[a-hj-rtv-z]s|people|children|men|women|criteria|species|series)\b",
    re.IGNORECASE,
)
_HOW_MUCH = re.compile(rf"\bhow much\b.*?\b({'|'.join(_MUCH)})", re.IGNORECASE)
_WHAT_SHARE = re.compile(
    r"\b(?:what|which|how large an?|how big an?) (share|percentage|proportion|part|fraction)\b",
    re.IGNORECASE,
)
_HOW = re.compile(rf"\bhow ({'|'.join(_MANNERS)})\b", re.IGNORECASE)
_WHEN = re.compile(r"\bwhen\b|\b(?:what|which) (?:year|date|day)\b", re.IGNORECASE)
_WHAT_IS = re.compile(
    r"\bwhat (?:is|was|are|were) the ((?:[\w'’-]+ ){0,3}?[\w'’-]+) (?:of|for|in|between)\b"
    r"|\b(?:which|what) ((?:[\w'’-]+ )?[\w'’-]+) (?:do|does|did|is|was|are|has|have|can|must|may"
    r"|should)\b",
    re.IGNORECASE,
)
_DEMANDS = re.compile(
    r"\b(?:must|may|can|needs?|required?|at (?:least|most)|maximum|minimum|allowed|limit)\b",
    re.IGNORECASE,
)
_FRAME = levels(
    "how many much what which when does did share percentage proportion part fraction need take"
    " come came make weigh cost required period time long sit consist ask go stand lie year date"
)
"""Words that frame a question, and that no answer need have."""


def _asked(text: str) -> Asked | None:
    found = _sort(text)
    if found is None:
        return None
    words = levels(text)
    names = _names(text)
    told = found.named | found.event | {found.manner} | _FRAME
    content = frozenset(each for each in words if each[0] != "~") - told
    subject = names or content or found.named
    return Asked(
        text=text,
        words=words,
        subject=subject,
        has_names=bool(names),
        sort=found.sort,
        dimensions=found.dimensions,
        named=found.named,
        event=found.event,
        manner=found.manner,
        rest=content - subject,
        demands=_DEMANDS.search(text) is not None,
    )


class _Read(NamedTuple):
    """What the wording of a question asks for, as `Asked` names it."""

    sort: Sort
    dimensions: frozenset[str] = frozenset()
    named: Levels = frozenset()
    event: Levels = frozenset()
    manner: str = ""


def _sort(text: str) -> _Read | None:
    """Read the form of a question; the first that fits."""
    forms = ((_HOW_MANY, _many), (_HOW_MUCH, _much), (_WHAT_SHARE, _share), (_HOW, _how))
    for form, read in forms:
        if match := form.search(text):
            return read(match[1].lower())
    return _event(text) if _WHEN.search(text) else _named(text)


def _many(noun: str) -> _Read:
    unit = SPELLINGS.get(noun)
    if unit is not None:
        return _Read(Sort.AMOUNT, frozenset({_base(unit.symbol)}))
    return _Read(Sort.COUNT, named=frozenset({counted(noun)}))


def _much(word: str) -> _Read:
    return _Read(Sort.AMOUNT, frozenset(_MUCH[word]), manner=level_of(word) or word)


def _share(_word: str) -> _Read:
    return _Read(Sort.AMOUNT, frozenset({SHARE}))


def _how(manner: str) -> _Read:
    return _Read(Sort.AMOUNT, frozenset(_MANNERS[manner]), manner=level_of(manner) or manner)


def _event(text: str) -> _Read | None:
    told = levels(text)
    event = frozenset(word for each in _EVENTS if each & told for word in each)
    return _Read(Sort.DATE, event=event) if event else None


def _named(text: str) -> _Read | None:
    what = _WHAT_IS.search(text)
    if what is None:
        return None
    noun = (what[1] or what[2]).lower()
    known = [AMOUNTS[word] for word in noun.split() if word in AMOUNTS]
    named = levels(noun)
    if known:
        return _Read(Sort.AMOUNT, known[-1], named, manner=level_of(noun.split()[-1]))
    return _Read(Sort.ANY, named=named) if named else None


def counted(noun: str) -> str:
    """Level a noun that is counted; "people" says enough there."""
    return level_of(noun) or stem(noun)


_OWNER = re.compile(r"\b[A-Z]\w+['’]s\s(?=[A-Z])")
"""Whose a name is: "Norway's Kilden line" is told by "Kilden"."""


def _names(text: str) -> Levels:
    tokens = TOKEN.findall(_OWNER.sub("", text))[1:]
    named = (word for word in tokens if word[0].isupper() or any(map(str.isdigit, word)))
    return frozenset(level_of(word) for word in named if word.lower() not in STOP_WORDS) - {""}

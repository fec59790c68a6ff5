"""Mentions: the values in a sentence, whatever its form, each with the clause around it."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from caveat.adapters.extractive.categories import Name, spellings
from caveat.adapters.extractive.clauses import Clause, clause, level_of, whole
from caveat.adapters.extractive.forms import LEVELS
from caveat.adapters.extractive.relevance import COMPARISON
from caveat.adapters.text.words import listing
from caveat.quantities.measures import Measure, measure
from caveat.quantities.reading import Quantity, values
from caveat.quantities.units import Kind
from caveat.rules.text import is_disowned


@dataclass(frozen=True)
class Assertion:
    """Whether a clause says something or denies it, or says the opposite."""

    affirms: bool

    def agrees_with(self, other: "Assertion") -> bool:
        """Whether both say the same."""
        return self.affirms is other.affirms


@dataclass(frozen=True)
class Mention:
    """A value, `sentence[start:end]`, and the clause that says what it is a value of.

    Attributes:
        value: in comparable units, a name, or a stance.
        slot: what can be compared at all: the dimension of a measure, the place of a name.
        clause: the words around.
        start: character offset.
        end: character offset just behind it.
        is_strict: whether neither clause may say more than the other.
    """

    value: Measure | Name | Assertion
    slot: str
    clause: Clause
    start: int
    end: int
    is_strict: bool = False


_SUPPOSED = re.compile(
    r"\?|(?i:\b(?:could|would|might|should|if|unless|let|suppose|e\.g\.|for example|for instance"
    r"|such as|instead of|rather than|used to|previously|formerly|originally|hypothetical\w*"
    r"|assum(?:e|es|ed|ing)|target|expected|forecast|planned|another|sometimes|often|either)\b)"
)
"""Clauses that suppose, give examples or tell of the past state no value."""


def mentions(sentence: str) -> Iterator[Mention]:
    """Find the values of a sentence; nothing where it supposes, asks or compares."""
    if len(sentence) > _LONGEST or _SUPPOSED.search(sentence):
        return
    yield from _lives(sentence)
    found = values(sentence)
    for quantity in found:
        is_date = quantity.kind is Kind.DATE
        if not is_date and is_disowned(sentence, quantity.start, quantity.end):
            continue
        mention = _dated(sentence, quantity, found) if is_date else _measured(sentence, quantity)
        if mention is not None:
            yield mention
    yield from _names(sentence)
    yield from _stances(sentence)


_LONGEST = 2_000
"""Characters, as many as a quote may have; clauses are looked for around each of its numbers."""

_DEMANDS = frozenset({"need", "~may", "~must", "allow", "support", "max", "min"})
"""Levels of words beside which "at least 5" is a demand, which "at least 7" contradicts."""


_RISES = re.compile(r"\b(?:rises?|rose|towers?|towered|soars?|soared|looms?|loomed)\b[^,;]{0,20}\Z")
_ABOVE = re.compile(r"\s(?:above|over|from)\s.*", re.DOTALL)
_HIGH = level_of("high")


def _measured(sentence: str, quantity: Quantity) -> Mention | None:
    around = clause(sentence, quantity.start, quantity.end)
    before, behind = sentence[around.start : quantity.start], sentence[quantity.end : around.end]
    rises = quantity.unit == "m" and _RISES.search(before)
    if rises:  # what stands behind "above" is where the height begins
        around = whole(sentence, around.start, quantity.start + rises.start() - len(before))
        around = replace(around, words=around.words | {_HIGH})
        behind = _ABOVE.sub("", behind)
    if COMPARISON.search(LEVELS.sub("", f"{before} {behind}")):
        return None
    stated = _allowed(quantity, around)
    if stated is None:
        return None
    written = sentence[quantity.start : quantity.end]
    value = measure(stated, written)
    if stated.is_estimate:
        return _mention(stated, value, value.dimension, around, written)
    if _DEMANDS.isdisjoint(around.words):  # "more than 5,000 came" is true of 9,000, too
        is_bare = stated.kind is Kind.NUMBER
        return None if is_bare else _mention(stated, value, value.dimension, around, written)
    is_least = math.isfinite(value.low)
    bound = value.low if is_least else value.high
    value = replace(value, low=bound, high=bound, number=bound)
    slot = f"{value.dimension} {'least' if is_least else 'most'}"
    return _mention(stated, value, slot, around, written)


def _allowed(quantity: Quantity, around: Clause) -> Quantity | None:
    """Turn "lorries heavier than 7.5 tonnes may not cross" round: up to that, they may."""
    if not around.denies:
        return quantity
    if around.denies > 1 or "~may" not in around.words or math.isfinite(quantity.high):
        return None
    return replace(quantity, low=-math.inf, high=quantity.number)


_PERIODS = {"h": "hour", "d": "day", "wk": "week", "mo": "month", "yr": "year"}
_COUNTED = re.compile(r"[A-Za-z][\w’'-]*")
_QUALIFYING = frozenset(
    level_of(word)
    for word in listing(
        "at least most no less fewer more than up to over under about some around thousand million",
        "billion trillion hundred dozen between and older younger heavier",
    )
)


def _mention(
    quantity: Quantity, value: Measure, slot: str, around: Clause, written: str
) -> Mention:
    bare, _, period = slot.partition("/")
    if quantity.kind is Kind.MONEY and period in _PERIODS:
        # "780 pounds a month" and "a monthly fee of 780 pounds" are one.
        around = replace(around, words=around.words | {_PERIODS[period]})
        slot = f"{bare}^1"
    if quantity.kind is Kind.COUNT:
        counted = frozenset(map(level_of, _COUNTED.findall(written))) - _QUALIFYING - _SPELT
        around = replace(around, words=around.words | counted - {""})
    return Mention(value, slot, around, quantity.start, quantity.end)


_SPELT = frozenset(
    level_of(word)
    for word in listing(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen",
        "sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety",
    )
)

_ONCE = frozenset(
    level_of(word)
    for word in listing(
        "released launched started ended died born built founded opened closed signed ratified",
        "adopted abolished dissolved destroyed demolished introduced discovered invented completed",
        "published isolated sank sunk burned collapsed effect force expires due married crowned",
        "independent inaugurated patented retired bankrupt merged premiered arrived landed arose",
        "ceased ended",
    )
)
"""What happens once to a thing, so that two dates exclude each other."""


def _dated(sentence: str, quantity: Quantity, found: tuple[Quantity, ...]) -> Mention | None:
    """A date is the value of what happens once; elsewhere it says when something was so."""
    around = clause(sentence, quantity.start, quantity.end)
    others = (each for each in found if each is not quantity and each.kind is not Kind.NUMBER)
    if any(around.start <= each.start < around.end for each in others) or around.denies:
        return None
    if _ONCE.isdisjoint(around.words):
        return None
    written = sentence[quantity.start : quantity.end]
    return Mention(
        measure(quantity, written), "date", around, quantity.start, quantity.end, is_strict=True
    )


_LIFE = re.compile(
    r"(?<!\w)(?P<name>(?:[A-Z][\w’'.-]{1,40}\s){1,4})"
    r"\((?P<born>1\d{3}|20\d\d)\s?[–—-]\s?(?P<died>1\d{3}|20\d\d)\)"
)


def _lives(sentence: str) -> Iterator[Mention]:
    """Read "Helga Thorsen (1871–1944)" as when she was born and when she died."""
    for match in _LIFE.finditer(sentence):
        name = frozenset(filter(None, map(level_of, match["name"].split())))
        for event in ("born", "died"):
            year = float(match[event])
            around = Clause(
                match.start(), match.end(), name | {level_of(event)}, frozenset(), frozenset(), 0
            )
            value = Measure("date", year + 0.5, year, year + 1)
            yield Mention(value, "date", around, *match.span(event), is_strict=True)


_SEVERAL = re.compile(
    r"\b(?:languages?|religions?|products?|exports?|imports?|crops?|neighbours?|neighbors?|members?"
    r"|rivers?|colou?rs?|ingredients?|partners?|children|parents?|brothers?|sisters?|sons?|daughters?"
    r"|friends?|enem(?:y|ies)|rivals?|reasons?|examples?|kinds?|types?|names?|aim|goal|result)\b"
)
"""What a thing may have several of, whatever article stands before the word."""

_ONE = (
    r"(?:[A-Z][\w’'.-]{0,40}|\d[\d_.-]{0,20}[A-Za-z][\w.-]{0,40})"
    r"(?:\s(?:(?:of|de|da|di|van|von|der|den|la|le|del|bin|al|the)\s){0,2}"
    r"(?:[A-Z][\w’'.-]{0,40}|\d{1,20})){0,8}"
)
_NAME = rf"(?P<name>{_ONE}(?:(?:[,;]\s|\s(?:and|or|&)\s|,\sand\s){_ONE}){{0,8}})"
_NAME_END = (
    r"(?=[,.;:)]|\Z|\s(?:who|which|and|in|on|at|since|from|until|by|because|but|with|for|as)\b)"
)
_ROLE = r"(?:[Tt]he|[Ii]ts|[Hh]is|[Hh]er|[Tt]heir|(?<!\w)\w{1,40}['’]s?)\s"
_BE = r"(?:is|was|are|were|has been)\s(?:still\s|now\s|currently\s|called\s|named\s)?"
_MADE = (
    r"(?:written|designed|invented|discovered|composed|painted|built|founded|directed|led|headed"
    r"|owned|edited|produced|published|developed|created|established|introduced|proposed|coined"
    r"|maintained|run|chaired|commissioned|translated|drawn|carved|signed|opened|made|published)"
)
_DID = (
    r"(?:wrote|designed|invented|discovered|composed|painted|built|founded|directed|edited|developed"
    r"|created|established|introduced|proposed|coined|carved|drew|translated)"
)
_DEFAULT = r"[^,;:.]{0,90}?\s(?:with|uses?|to|is|on|in)\s(?:the\s)?"
_NAMED = tuple(
    (slot, re.compile(form))
    for slot, form in (
        ("is", rf"{_ROLE}[^,;:.]{{2,90}}?\s{_BE}(?:the\s)?{_NAME}{_NAME_END}"),
        ("is", rf"(?:\A|[,;:]\s){_NAME}\s(?:is|was|has been)\sthe\s"),
        ("by", rf"\b{_MADE}(?:\s[^,;:.]{{1,40}}?)?\sby\s{_NAME}{_NAME_END}"),
        ("by", rf"(?:\A|[,;:]\s){_NAME}\s(?:first\s)?(?={_DID}\s)"),
        ("with", rf"\b[Dd]efault\b{_DEFAULT}{_NAME}{_NAME_END}"),
        ("with", rf"\b(?:uses?|with|is)\s(?:the\s)?{_NAME}(?=\s(?:by|as)\s(?:the\s)?default\b)"),
        ("with", rf"(?:\A|[,;:]\s){_NAME}\s(?:is|was)\sthe\s(?=default\b)"),
    )
)


def _names(sentence: str) -> Iterator[Mention]:
    """Find the names in roles: who the one is that is or did something, what is the default."""
    taken: set[int] = set()
    for slot, form in _NAMED:
        for match in form.finditer(sentence):
            start, end = match.span("name")
            if start in taken:
                continue
            found = spellings(match["name"], people=True)
            around = clause(sentence, start, end)
            if found and not around.denies and not _SEVERAL.search(sentence[around.start : start]):
                taken.add(start)
                yield Mention(Name(found), f"name {slot}", around, start, end, is_strict=True)


_HEDGED = re.compile(
    r"(?i:\b(?:some|several|few|most|certain|many|usually|rarely|seldom|perhaps|possibly|whether"
    r"|only|no longer|not only|hardly|once|until|when|while|except|need not|not (?:have|need) to"
    r"|I|we|my|our|you|your)\b)|\bmay (?!not\b|be\b)"
)


def _stances(sentence: str) -> Iterator[Mention]:
    """Find what is said or denied of something."""
    for piece in re.finditer(r"[^;:]+", sentence):
        body = _BESIDE.split(piece[0].strip(" ."))[0]
        if len(body.split()) < _SHORTEST or _HEDGED.search(body):
            continue
        start = piece.start() + piece[0].index(body)
        around = whole(sentence, start, start + len(body))
        if around.denies <= 1:
            # Who must not do a thing is denied what another may.
            words = frozenset("~may" if word == "~must" else word for word in around.words)
            around = replace(around, words=words)
            value = Assertion(around.denies == 0)
            yield Mention(value, "stance", around, start, around.end, is_strict=True)


_SHORTEST = 4
"""Words of a clause that says enough to be denied."""
_BESIDE = re.compile(r",\s|\s(?:as well as|because|although|while|whereas)\s")

"""Attributes: what a number in a sentence measures, and of what.

A number counts only where the words beside it say what it is in one of a few fixed forms, since
sentences that merely share words with a number measure something else three times in four:

- `the melting point of iron is N`, `iron's melting point is N`, `melting point: N`
- `iron has a melting point of N`, `the team measured a Hubble constant of N`
- `iron melts at N`, `the tower is N tall`, `the town has N inhabitants`
- `the lighthouse was built in N`, `Priestley discovered oxygen in N`
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from caveat.adapters.extractive.entities import (
    EVERYWHERE,
    UNSAID,
    Key,
    Names,
    Reference,
    key_of,
    reference,
)
from caveat.adapters.extractive.numerals import numerals
from caveat.adapters.extractive.quantities import Quantity, quantities
from caveat.adapters.extractive.relevance import COMPARISON
from caveat.adapters.extractive.units import Kind
from caveat.adapters.extractive.words import listing, stem


@dataclass(frozen=True)
class Stated:
    """One value of one attribute, as a sentence states it.

    Attributes:
        reference: what it is said of.
        attribute: stems of the words that say what the number is, in alphabetical order.
        label: the same for people.
        quantity: the value.
        measured: whether somebody is said to have measured it, so that a year in the sentence is
            when they did, and not when it was so.
    """

    reference: Reference
    attribute: Key
    label: str
    quantity: Quantity
    measured: bool = False


_UNSURE = re.compile(
    r"\?|\b(?:not|never|no longer|cannot|nor|neither|if|unless|would|could|might|may|should|must"
    r"|shall|let|suppose|e\.g\.|for example|for instance|such as|instead of|rather than|once"
    r"|used to|previously|formerly|originally|hypothetical\w*|assum(?:e|es|ed|ing)|target)\b"
    r"|n['’]t\b"
)
"""Sentences that deny, advise, suppose, give examples or tell of the past state no value."""


def stated(sentence: str, known: Names) -> Iterator[Stated]:
    """Find the values that a sentence states.

    Args:
        sentence: a quote.
        known: names and topic.

    Yields:
        In order. Nothing for sentences that deny, suppose, advise or compare.
    """
    if _UNSURE.search(sentence) or COMPARISON.search(sentence):
        return
    reader = _Reader(sentence, known)
    for quantity in _values(sentence):
        found = reader.read(quantity)
        if found is not None:
            yield found


def _values(sentence: str) -> list[Quantity]:
    """Quantities, and bare numbers that an attribute alone explains ("atomic number: 26")."""
    found = list(quantities(sentence))
    taken = {offset for each in found for offset in range(each.start, each.end)}
    for numeral in numerals(sentence):
        if taken.intersection(range(numeral.start, numeral.end)) or numeral.spelt:
            continue
        if _BARE_END.match(sentence, numeral.end) and not numeral.currency:
            found.append(
                Quantity(
                    numeral.start, numeral.end, Kind.NUMBER, numeral.number, "", numeral.low,
                    numeral.high, uncertain=numeral.uncertain,
                )
            )  # fmt: skip
    return sorted(found, key=lambda each: each.start)


_BARE_END = re.compile(
    r"\s?(?:[.;,)]?\Z|[.;,)](?=\s)|\s?\((?!\d)|\s(?:and|in|at|on|as|for|according|by|with|but"
    r"|while|which|based|from|of the)\b)"
)
"""What may follow a number without a unit; another word may be a unit that is not known."""

_ADVERBS = (
    r"(?:\s(?:about|approximately|roughly|around|nearly|almost|exactly|only|just|currently|now"
    r"|still|thus|therefore|also|usually|generally|commonly|estimated|measured|reported|calculated"
    r"|given|listed|stated|known|taken|equal|found|determined))*"
)
_IS = (
    r"\s?(?:\s(?:is|was|are|were|equals|equalled|totals|totalled|amounts|amounted|stands|stood"
    r"|reaches|reached|exceeds|has been)"
    rf"{_ADVERBS}(?:\s(?:at|to|as|to be|by))?{_ADVERBS}|\s?[:=≈≃~∼])\s?\Z"
)
_COPULA = re.compile(rf"(?P<phrase>[^.;!]{{2,120}}?){_IS}")
_OF = re.compile(r"(?P<before>.*?)\b(?P<attribute>(?:[\w-]+\s){1,6})of\s?\Z", re.DOTALL)
_OPENER = re.compile(
    r"\A(?:[,;\s]+|\band\b\s|\bbut\b\s|\bwhile\b\s|\bwhereas\b\s|\bwith\b\s)+", re.IGNORECASE
)
_LEAD = re.compile(
    r"\A(?:In|As of|As at|By|Since|During|At|On|For|According to|Today|Currently|Now)\b"
    r"[^,]{0,60},\s"
)
"""A place, a time or an authority before the subject."""

_HAVING = r"(?:has|have|had|having|with|possesses|possess|and|,|\()"
_HAS = re.compile(rf"(?:\b|(?=[,(])){_HAVING}\s?(?:(?:an?|the|its|their)\s)?\Z")
_MEASURED = re.compile(
    r"\b(?:measured?s?|infers?|inferred|finds?|found|reports?|reported|gives?|gave|obtains?"
    r"|obtained|derives?|derived|estimates?|estimated|yields?|yielded|determines?|determined"
    r"|computes?|computed|calculates?|calculated|predicts?|predicted|implies|implied|publishe[sd]"
    r"|favours?|favoured|adopts?|adopted|prefers?|preferred)\s(?:(?:an?|the)\s)?\Z"
)
_NEUTRAL = frozenset(
    stem(word)
    for word in listing(
        "value figure estimate estimated amount number total overall reported current measured",
        "approximate about approximately roughly official known given average intermediate lower",
        "higher low high new best local called surface relative standard typical nominal",
    )
)
"""Words that leave an attribute what it is."""

_SAME: dict[Key, Key] = {
    key_of(phrase): key_of(name)
    for name, phrases in {
        "atomic weight": ("atomic mass", "atomic weight", "mass atomic"),
        "melting point": ("melting temperature", "melting point", "fusion point", "melt"),
        "boiling point": ("boiling temperature", "boiling point", "boil"),
        "freezing point": ("freezing temperature", "freeze"),
        "inhabitants": ("population", "people", "residents", "inhabitants"),
        "weight": ("mass", "weigh"),
        "area": ("area", "size area"),
    }.items()
    for phrase in phrases
}
"""Two names of one attribute."""

_VERBS: dict[str, str] = {
    spelling: name
    for name, spellings in {
        "melting point": "melts",
        "boiling point": "boils",
        "freezing point": "freezes",
        "weight": "weighs weigh weighed",
        "area": "covers cover covered occupies occupied spans",
        "reach": "reaches reached extends",
        "duration": "lasts last lasted takes took",
        "cost": "costs cost",
        "height": "rises rose",
    }.items()
    for spelling in spellings.split()
}
_VERB = re.compile(
    rf"(?P<phrase>.+?)\s(?P<verb>{'|'.join(sorted(_VERBS, key=len, reverse=True))})"
    rf"{_ADVERBS}(?:\s(?:at|to|for|up to|over|an area of|a total area of))?{_ADVERBS}\s?\Z"
)
_DIMENSIONS = {
    "long": "length", "high": "height", "tall": "height", "wide": "width", "deep": "depth",
    "thick": "thickness", "old": "age", "heavy": "weight", "in diameter": "diameter",
    "in length": "length", "in height": "height", "in width": "width", "in depth": "depth",
    "above sea level": "elevation",
}  # fmt: skip
_DIMENSION = re.compile(rf"\s(?P<name>{'|'.join(_DIMENSIONS)})\b")
_COUNTED = re.compile(
    r"(?P<phrase>.+?)\s(?:has|have|had|contains?|contained|comprises?|comprised|includes?|included"
    r"|consists? of|is (?:home to|made (?:up )?of|divided into|composed of)|employs?|employed"
    rf"|counts){_ADVERBS}(?:\s(?:a total of|a population of))?{_ADVERBS}\s?\Z"
)
_BEHIND = re.compile(r"\s(?:for|of|in)\s(?P<phrase>(?:the\s)?[^,.;()]{2,60})")
_PER = re.compile(
    r"\s?(?:per capita|per person|per year|a year|annually|each year|per day|a day)\b"
)
_NOT_ATTRIBUTES = frozenset(
    listing(
        "one two both each some all part most many much kind kinds sort type lot lots set series",
        "list case result out because instead piece group range",
    )
)


class _Reader:
    """Reads the numbers of one sentence; what the first is said of goes for those that follow."""

    def __init__(self, sentence: str, known: Names) -> None:
        self._sentence = sentence
        self._known = known
        self._subject: Reference | None = None
        lead = _LEAD.match(sentence)
        self._from = lead.end() if lead else 0

    def read(self, quantity: Quantity) -> Stated | None:
        """Tell what a number is; None when no form fits."""
        before = self._sentence[self._from : quantity.start]
        if quantity.kind is Kind.DATE:
            return self._event(before, quantity)
        found = (
            self._copula(before, quantity)
            or self._of(before, quantity)
            or self._verb(before, quantity)
            or self._count(before, quantity)
        )
        self._from = quantity.end
        if found is None:
            return None
        if not found.reference.anchored and found.reference.key:
            self._subject = found.reference
        return self._completed(found, quantity)

    def _completed(self, found: Stated, quantity: Quantity) -> Stated | None:
        per = _PER.match(self._sentence, quantity.end)
        if per is not None:
            found = replace(found, attribute=tuple(sorted({*found.attribute, *key_of(per[0])})))
        return found if found.attribute else None

    def _copula(self, before: str, quantity: Quantity) -> Stated | None:
        match = _COPULA.fullmatch(_OPENER.sub("", before))
        if match is None or quantity.kind is Kind.COUNT:
            return None
        phrase = match["phrase"]
        dimension = _DIMENSION.match(self._sentence, quantity.end)
        if dimension is not None:
            return self._about(phrase, _DIMENSIONS[dimension["name"]], quantity)
        if _HAS_VERB.search(phrase):
            return None
        owned = _OWNED.fullmatch(phrase)
        if owned is not None:
            return self._about(owned["owner"], owned["attribute"], quantity)
        named = _ATTRIBUTE_OF.fullmatch(phrase)
        if named is not None:
            return self._about(named["of"], named["attribute"], quantity)
        return self._alone(phrase, quantity)

    def _about(self, phrase: str, attribute: str, quantity: Quantity) -> Stated | None:
        found = reference(phrase, self._known)
        key = attribute_key(attribute)
        if found is None:
            return None
        if not key:  # "the value of the Hubble constant": the name behind "of" is the attribute
            key = tuple(part for part in found.key if part not in _NEUTRAL)
            name, found = phrase, EVERYWHERE
            return Stated(found, key, name, quantity, measured=True)
        return Stated(found, key, attribute, quantity)

    def _alone(self, phrase: str, quantity: Quantity) -> Stated | None:
        """An attribute without an owner: heading or title say whose, unless it has a name."""
        bare = re.sub(r"\A(?:the|its|their|his|her|an?)\s", "", phrase, flags=re.IGNORECASE)
        key = attribute_key(bare)
        if not key or len(bare.split()) > 5 or not _PLAIN.fullmatch(bare):
            return None
        if self._known.is_proper(bare) and self._known.topic.issuperset(key):
            return Stated(EVERYWHERE, key, bare, quantity, measured=True)
        owner = self._subject or UNSAID
        return Stated(owner, key, bare, quantity)

    def _of(self, before: str, quantity: Quantity) -> Stated | None:
        match = _OF.fullmatch(before)
        if match is None:
            return None
        start, attribute = _noun_run(match["attribute"])
        head = match["before"] + match["attribute"][:start]
        key = attribute_key(attribute)
        if not key or not _PLAIN.fullmatch(attribute):
            return None
        if _MEASURED.search(head):
            return self._measured(attribute, key, quantity)
        has = _HAS.search(head)
        if has is None:
            return None
        owner = self._owner(head[: has.start()])
        return Stated(owner, key, attribute, quantity) if owner else None

    def _measured(self, attribute: str, key: Key, quantity: Quantity) -> Stated | None:
        """Somebody measured it: the subject is who did, not what has it."""
        behind = _BEHIND.match(self._sentence, quantity.end)
        if self._known.is_proper(attribute):
            return Stated(EVERYWHERE, key, attribute, quantity, measured=True)
        owner = reference(behind["phrase"], self._known) if behind else UNSAID
        return Stated(owner, key, attribute, quantity, measured=True) if owner else None

    def _verb(self, before: str, quantity: Quantity) -> Stated | None:
        match = _VERB.fullmatch(before)
        if match is None:
            match = _VERB.fullmatch(f"it {_OPENER.sub('', before)}")
        if match is None or quantity.kind is Kind.COUNT:
            return None
        name = _VERBS[match["verb"]]
        owner = self._owner(match["phrase"])
        return Stated(owner, attribute_key(name), name, quantity) if owner else None

    def _count(self, before: str, quantity: Quantity) -> Stated | None:
        if quantity.kind is not Kind.COUNT:
            return None
        match = _COUNTED.fullmatch(before) or _COUNTED.fullmatch(f"it{before}")
        owner = self._owner(match["phrase"]) if match else None
        if owner is None:
            return None
        written = self._sentence[quantity.start : quantity.end]
        name = " ".join(_NOUNS.findall(written)[-3:])
        return Stated(owner, attribute_key(name), name, quantity)

    def _owner(self, phrase: str) -> Reference | None:
        """The subject of a verb; without one, that of the number before."""
        subject = _OPENER.sub("", phrase).strip()
        if not subject or subject in {"it", "which", "that"}:
            return self._subject or UNSAID
        return reference(_SUBJECT_END.split(subject)[0], self._known)

    def _event(self, before: str, quantity: Quantity) -> Stated | None:
        self._from = self._from if self._subject is None else quantity.end
        match = _PASSIVE.fullmatch(before)
        if match is not None:
            owner = self._owner(match["phrase"])
        else:
            match = _ACTIVE.fullmatch(before)
            if match is None:
                return None
            owner = reference(match["object"] or match["phrase"], self._known)
        verb = match["verb"].lower()
        return (
            Stated(owner, (f"event {_EVENTS[verb]}",), _EVENTS[verb], quantity) if owner else None
        )


_NOUNS = re.compile(r"(?!(?:thousand|million|billion|hundred)\b)\b[A-Za-z][\w’'-]*")
_SUBJECT_END = re.compile(r",\s|\s\(|\s(?:which|that|who)\s")
_HAS_VERB = re.compile(
    r"\b(?:is|was|are|were|has|have|had|be|been|which|that|who|where|when|because|gives?|shows?"
    r"|says?|found|measured)\b"
)
_OWNED = re.compile(r"(?P<owner>.+?)(?:['’]s|s['’])\s(?P<attribute>[\w\s-]+)")
_ATTRIBUTE_OF = re.compile(
    r"(?:(?:[Tt]he|[Aa]n?|[Ii]ts|[Tt]heir)\s)?(?P<attribute>[\w\s-]+?)\s(?:of|for|in(?=\s(?:the\s)?[A-Z]))\s(?P<of>.+)"
)
_PLAIN = re.compile(r"[A-Za-z][\w\s’'()/-]*")

_EVENTS: dict[str, str] = {
    spelling: name
    for name, spellings in {
        "founded": "founded established",
        "built": "built constructed erected",
        "discovered": "discovered",
        "isolated": "isolated",
        "invented": "invented",
        "born": "born",
        "died": "died",
        "published": "published",
        "released": "released",
        "launched": "launched",
        "opened": "opened inaugurated",
        "completed": "completed finished",
        "introduced": "introduced",
        "signed": "signed",
        "ratified": "ratified",
        "adopted": "adopted",
        "abolished": "abolished",
        "dissolved": "dissolved",
        "named": "named",
        "destroyed": "destroyed",
        "became independent": "independent independence",
    }.items()
    for spelling in spellings.split()
}
_EVENT = "|".join(_EVENTS)
_BY = r"(?:\s(?:in\s[A-Z][\w\s]{2,30}|by\s[^,;]{2,80}))?"
_PASSIVE = re.compile(
    rf"(?P<phrase>.+?)\s(?:was|were|is|are|has been)(?:\s(?:first|officially|formally|finally"
    rf"|originally))?\s(?P<verb>{_EVENT}){_BY},?\s(?:in|on|by)?\s?(?:the\s(?:year|spring|summer"
    r"|autumn|winter)\s(?:of\s)?)?(?:in\s)?\Z"
)
_ACTIVE = re.compile(
    rf"(?P<phrase>[A-Z].{{0,80}}?)\s(?:first\s)?(?P<verb>{_EVENT})(?:\s(?P<object>[^,;]{{2,60}}?))?"
    r"\s(?:in|on)\s(?:the\syear\s)?\Z"
)


def attribute_key(phrase: str) -> Key:
    """The stems of an attribute; of its common names one, and nothing that only says "value"."""
    words = [word for word in phrase.split() if word.lower() not in _NOT_ATTRIBUTES]
    key = tuple(part for part in key_of(" ".join(words)) if part not in _NEUTRAL)
    return _SAME.get(key, key)


_BOUNDARY = frozenset(
    listing(
        "a an the its their his her our and or with has have had having of in to for from by at on",
        "as is was are were be been being that which who measured measures measure inferred infers",
        "reported reports report gives gave give obtained obtains derived derives yields yielded",
        "estimated estimates found finds find determined computed calculated predicts predicted",
        "favours adopts adopted prefers possesses implies",
    )
)


def _noun_run(text: str) -> tuple[int, str]:
    """The nouns right before "of": where they begin in a text, and they themselves."""
    start = 0
    for match in re.finditer(r"\S+", text):
        if match[0].lower() in _BOUNDARY:
            start = match.end() + 1
    return start, text[start:].strip()

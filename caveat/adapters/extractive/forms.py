"""Forms: the few ways of writing in which a number surely belongs to an attribute.

Sentences that merely share words with a number measure something else three times in four, so a
number counts only where the words right beside it say what it is:

- `the melting point of iron is N`, `iron's melting point is N`, `melting point: N`
- `iron has a melting point of N`, `the team measured a Hubble constant of N`
- `iron melts at N`, `the tower is N tall`, `the town has N inhabitants`
- `the wreck lies N deep`, `the wreck rests at a depth of N`, `at N deep, the wreck is ...`
- `divers put the depth of the wreck at N`
- `the lighthouse was built in N`, `Priestley discovered oxygen in N`
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from caveat.adapters.extractive.attributes import (
    Attribute,
    build_attribute_key,
    is_neutral,
    split_scope,
)
from caveat.adapters.extractive.entities import (
    EVERYWHERE,
    UNSAID,
    Reference,
    build_key,
    parse_reference,
)
from caveat.adapters.extractive.events import parse_event
from caveat.adapters.extractive.names import Names
from caveat.adapters.extractive.times import find_years
from caveat.quantities.reading import Quantity, find_values
from caveat.quantities.units import Kind
from caveat.rules.text.words import build_word_list

COMPARISON = re.compile(
    r"\b(?:above|below|(?:higher|lower|larger|smaller|more|less|greater) than|agrees?|consistent"
    r"|close to|differs?|tension|compared|exceeds?|middle)\b"
)
"""A sentence that sets values side by side; those are mostly other people's."""


class Stated(NamedTuple):
    """A quantity, and the attribute that it is the value of."""

    attribute: Attribute
    quantity: Quantity


UNSURE = re.compile(
    r"\?|\bmay\b|(?i:\b(?:not|never|no longer|cannot|nor|neither|if|unless|would|could|might"
    r"|should|must|shall|let|suppose|e\.g\.|for example|for instance|such as|instead of"
    r"|rather than|once|used to|previously|formerly|originally|hypothetical\w*"
    r"|assum(?:e|es|ed|ing)|target)\b)"
    r"|n['’]t\b"
)
"""Sentences that deny, advise, suppose, give examples or tell of the past state no value."""


def find_stated_values(sentence: str, known: Names) -> Iterator[Stated]:
    """Find the values that a sentence states.

    Yields:
        In order. Nothing for sentences that deny, suppose, advise, or set values side by side.
    """
    if UNSURE.search(sentence):
        return
    found = find_values(sentence)
    if not found or COMPARISON.search(_remove_quantities(sentence, found)):
        return
    reader = _Reader(sentence, known)
    for quantity in found:
        attribute = reader.read(quantity)
        if attribute is not None:
            yield Stated(attribute, quantity)


_LEVELS = re.compile(
    r"\b(?:above|below) (?:mean )?sea level\b|\b(?:below|beneath|under) the (?:surface|waterline)\b"
)
"""Where measures begin, and no comparison."""


def _remove_quantities(sentence: str, found: Sequence[Quantity]) -> str:
    """Leave out the quantities: "more than 5 km" compares with nothing else."""
    for quantity in reversed(found):
        sentence = sentence[: quantity.start] + sentence[quantity.end :]
    return _LEVELS.sub("", sentence)


_ADVERBS = (
    r"(?:\s(?:about|approximately|roughly|around|nearly|almost|exactly|only|just|currently|now"
    r"|still|thus|therefore|also|usually|generally|commonly|estimated|measured|reported|calculated"
    r"|given|listed|stated|known|taken|equal|found|determined|put|placed|recorded|quoted|reckoned"
    r"|believed|thought|charted|published))*"
)
_IS = (
    r"\s?(?:\s(?:is|was|are|were|equals|equalled|totals|totalled|amounts|amounted|stands|stood"
    r"|reaches|reached|exceeds|has been)"
    rf"{_ADVERBS}(?:\s(?:at|to|as|to be|by))?{_ADVERBS}|\s?[:=≈≃~∼])\s?\(?\Z"
)
_COPULA = re.compile(rf"(?P<phrase>[^.;!]{{2,120}}?){_IS}")
_LABEL = re.compile(r"\A[^.;:!?]{2,120}:\s")
_CLAUSE = re.compile(
    r"\b(?:is|was|are|were|has|have|had|be|been|which|that|who|where|when|because|gives?|shows?"
    r"|says?|found|measured)\b"
)
_ATTRIBUTE_OF = re.compile(
    r"(?:(?:[Tt]he|[Aa]n?|[Ii]ts|[Tt]heir)\s)?(?P<attribute>[\w\s-]+?"
    r"(?:\s(?:on|at|by|under|in)\s[\w\s.'’-]{2,40}?)?)"
    r"\s(?:of|for|in(?=\s(?:the\s)?[A-Z]))\s(?P<of>(?s:.+))"
)
_OWNED = re.compile(r"(?P<of>.+?)(?:['’]s|s['’])\s(?P<attribute>[\w\s-]+)")
_POSSESSIVE = re.compile(r"\A(?:the|its|their|his|her|an?)\s", re.IGNORECASE)
_NOUNS_ONLY = re.compile(r"(?!(?i:for|in|on|at|by|with|from|to|as|of)\b)[A-Za-z][\w\s’'()/-]*")
_LONGEST_ATTRIBUTE = 5  # words; longer ones are clauses

_OF = re.compile(r"(?P<before>.*?)(?<![\w-])(?P<attribute>(?:[\w-]++\s){1,6})of\s?\Z", re.DOTALL)
_HAS = re.compile(
    r"(?:\b|(?=[,(]))(?:has|have|had|having|with|possesses|possess|and|,|\()"
    r"\s?(?:(?:an?|the|its|their)\s)?\Z"
)
_POSED = (
    r"(?:lies|lay|lie|sits|sat|sit|rests|rested|rest|stands|stood|stand|hangs|hung|runs|ran|run"
    r"|stretches|stretched|extends|extended|reaches|reached|measures|measured|grows|grew|goes"
    r"|rises|rose|drops|dropped|is|was|are|were)"
    r"(?:\s(?:found|located|situated|buried|sunk|moored|anchored|discovered))?"
)
"""Verbs that say no more than that a thing is somewhere, or how large it is."""
_AT = re.compile(rf"\b{_POSED}(?:\s(?:down|up))?(?:\s(?:at|to|in))?\s(?:an?|the|its|their)\s\Z")
_LIES = re.compile(
    rf"(?P<phrase>[^.;!]{{2,120}}?)\s{_POSED}{_ADVERBS}(?:\s(?:at|in|to|for))?{_ADVERBS}\s?\Z"
)
_PUT = re.compile(
    r"[^.;!]{2,120}\b(?:puts?|placed?|places|sets?|gives?|gave|lists?|listed|records?|recorded"
    r"|reports?|reported|states?|stated|quotes?|quoted|estimates?|estimated|reckons?|reckoned"
    r"|measures?|measured|calculates?|calculated|charts?|charted|marks?|marked|found|finds?"
    r"|determines?|determined|describes?|described)"
    rf"\s(?P<phrase>[^.;!]{{2,120}}?)\s(?:at|as|to be){_ADVERBS}\s?\Z"
)
_BEGINS = re.compile(rf"(?:At|With){_ADVERBS}\s")
_SUBJECT = re.compile(rf",\s(?P<of>[^,.;]{{2,80}}?)\s(?:{_POSED}|has|had)\b")
_MEASURED = re.compile(
    r"\b(?:measured?s?|infers?|inferred|finds?|found|reports?|reported|gives?|gave|obtains?"
    r"|obtained|derives?|derived|estimates?|estimated|yields?|yielded|determines?|determined"
    r"|computes?|computed|calculates?|calculated|predicts?|predicted|implies|implied|publishe[sd]"
    r"|favours?|favoured|adopts?|adopted|prefers?|preferred)\s(?:(?:an?|the)\s)?\Z"
)
_VERBS: dict[str, str] = {
    spelling: name
    for name, spellings in {
        "melting point": "melts",
        "boiling point": "boils",
        "freezing point": "freezes",
        "weight": "weighs weigh weighed",
        "area": "covers cover covered occupies occupied spans",
        "reach": "reaches reached extends",
        "duration": "lasts lasted takes took",
        "cost": "costs cost",
        "height": "rises rose soars soared",
        "length": "stretches stretched",
    }.items()
    for spelling in spellings.split()
}
_VERB = re.compile(
    rf"(?P<phrase>.*?)\b(?P<verb>{'|'.join(sorted(_VERBS, key=len, reverse=True))})"
    rf"{_ADVERBS}(?:\s(?:at|to|for|up to|over|an area of|a total area of))?{_ADVERBS}\s?\Z"
)
_DIMENSIONS = {
    "long": "length", "high": "height", "tall": "height", "wide": "width", "deep": "depth",
    "thick": "thickness", "old": "age", "heavy": "weight", "broad": "width",
    "of age": "age", "of depth": "depth",
    "underwater": "depth", "under water": "depth", "below the surface": "depth",
    "beneath the surface": "depth", "under the surface": "depth", "below the waterline": "depth",
    "in diameter": "diameter", "in length": "length", "in height": "height", "in width": "width",
    "in depth": "depth", "in thickness": "thickness", "in weight": "weight", "in age": "age",
    "above sea level": "elevation",
}  # fmt: skip
_DIMENSION = re.compile(rf"\s(?P<name>{'|'.join(_DIMENSIONS)})\b")
"""Of "across" and "down" nobody knows whether the lake is so or the way there."""
_COUNTED = re.compile(
    r"(?P<phrase>.*?)\b(?:has|have|had|contains?|contained|comprises?|comprised|includes?|included"
    r"|consists? of|is (?:home to|made (?:up )?of|divided into|composed of)|employs?|employed"
    rf"|counts){_ADVERBS}(?:\s(?:a total of|a population of))?{_ADVERBS}\s?\Z"
)
_THERE = re.compile(rf"There (?:is|are|was|were){_ADVERBS}\s?")
_IN = re.compile(r"\s(?:in|on)\s(?P<phrase>[^,.;()]{2,60}?)(?=[,.;(]|\Z)")
_NOUNS = re.compile(r"(?!(?:thousand|million|billion|hundred)\b)\b[A-Za-z][\w’'-]*")

_BEHIND = re.compile(r"\s(?:for|of|in)\s(?P<phrase>(?:the\s)?[^,.;()]{2,60})")
_PER = re.compile(
    r"\s?(?:per capita|per person|per year|a year|annually|each year|per day|a day)\b"
)
_SCOPE_BEHIND = re.compile(
    r"\s\(?(?:at|on|under|including|excluding|without|above|below)\s(?P<scope>[^,;()]{2,40}?)"
    r"(?=[,;().]|\Z|\s(?:and|or|but|while|which)\b)"
)
_OPENER = re.compile(
    r"\A(?:[,;\s]+|\band\b\s|\bbut\b\s|\bwhile\b\s|\bwhereas\b\s|\bwith\b\s)+", re.IGNORECASE
)
_LEAD = re.compile(
    r"\A(?:In|As of|As at|By|Since|During|At|On|For|According to|Today|Currently|Now)\b"
    r"[^,]{0,60},\s"
    r"|\A.{0,80}?\b(?:finds?|found|shows?|showed|reports?|reported|says?|said|states?|stated"
    r"|notes?|noted|indicates?|suggests?|concludes?|concluded|explains?|explained|wrote|learned"
    r"|confirms?|confirmed|measured|(?:tells?|told)(?:\s\w+)?)\sthat\s"
)
"""A place, a time or an authority before the subject."""
_CONFINING = re.compile(r"(?:In|During|At|On|For)\b[^,]{0,60},\s")
"""How a lead begins that confines what follows: "at 900 °C", "in winter", "for children"."""
_SUBJECT_END = re.compile(r",\s(?![A-Z])|\s\(|\s(?:which|that|who)\s")


def is_labelled(sentence: str) -> bool:
    """Whether a sentence is a label and what stands there: heading or title say of what."""
    return _LABEL.match(sentence) is not None


_FARTHEST = 240
"""Characters before a number in which its subject stands, if it has one in these forms; looking
farther takes time that grows with the square of the sentence, and finds other subjects."""


class _Reader:
    """Reads the numbers of one sentence; what the first is said of goes for those that follow."""

    def __init__(self, sentence: str, known: Names) -> None:
        self._sentence = sentence
        self._known = known
        self._subject: Reference | None = None
        lead = _LEAD.match(sentence)
        self._from = lead.end() if lead else 0
        confining = _CONFINING.fullmatch(lead[0]) if lead else None
        said = confining[0] if confining else ""
        self._scope = () if find_years(said) else build_key(said)  # a year is a period, no scope
        self._forms = (
            self._read_copula, self._read_lies, self._read_put, self._read_of_form,
            self._read_verb, self._read_count, self._read_opening,
        )  # fmt: skip

    def read(self, quantity: Quantity) -> Attribute | None:
        """Tell what a number is; None when no form fits."""
        before = self._sentence[self._from : quantity.start]
        if len(before) > _FARTHEST:
            return None
        forms = (self._read_event,) if quantity.kind is Kind.DATE else self._forms
        found = next((found for form in forms if (found := form(before, quantity))), None)
        if found is None or not found.key:
            return None
        if is_labelled(self._sentence):
            found = replace(found, of=replace(found.of, anchored=True))
        self._from = quantity.end
        if not found.of.anchored and found.of.key:
            self._subject = found.of
        return self._add_scope(found, quantity)

    def _add_scope(self, found: Attribute, quantity: Quantity) -> Attribute:
        """Add what stands behind the number or opens the sentence: "per capita", "at 20 °C"."""
        per = _PER.match(self._sentence, quantity.end)
        if per is not None:
            found = replace(found, key=tuple(sorted({*found.key, *build_key(per[0])})))
        if found.measured:
            return found
        behind = _SCOPE_BEHIND.match(self._sentence, quantity.end)
        said = build_key(behind["scope"]) if behind else ()
        return replace(found, scope=tuple(sorted({*found.scope, *said, *self._scope})))

    def _read_copula(self, before: str, quantity: Quantity) -> Attribute | None:
        match = _COPULA.fullmatch(_OPENER.sub("", before))
        if match is None or quantity.kind is Kind.COUNT:
            return None
        phrase = match["phrase"]
        dimension = _DIMENSION.match(self._sentence, quantity.end)
        if dimension is not None:
            return self._build_attribute(phrase, _DIMENSIONS[dimension["name"]])
        return self._read_noun_phrase(phrase)

    def _read_lies(self, before: str, quantity: Quantity) -> Attribute | None:
        """The words behind the number say what it is: "lies 30 metres deep"."""
        match = _LIES.fullmatch(_OPENER.sub("", before))
        dimension = _DIMENSION.match(self._sentence, quantity.end)
        if match is None or dimension is None:
            return None
        of = self._read_owner(match["phrase"])
        name = _DIMENSIONS[dimension["name"]]
        return Attribute(of, build_attribute_key(name), name) if of else None

    def _read_put(self, before: str, quantity: Quantity) -> Attribute | None:
        """Somebody says it: "divers put the depth of the wreck at N"."""
        match = _PUT.fullmatch(_OPENER.sub("", before))
        if match is None or quantity.kind is Kind.COUNT:
            return None
        return self._read_noun_phrase(match["phrase"])

    def _read_opening(self, before: str, quantity: Quantity) -> Attribute | None:
        """The subject comes behind: "at 30 metres deep, the wreck is ..."."""
        dimension = _DIMENSION.match(self._sentence, quantity.end)
        if dimension is None or not _BEGINS.fullmatch(self._sentence[: quantity.start]):
            return None
        subject = _SUBJECT.match(self._sentence, dimension.end())
        return (
            self._build_attribute(subject["of"], _DIMENSIONS[dimension["name"]])
            if subject
            else None
        )

    def _read_noun_phrase(self, phrase: str) -> Attribute | None:
        """Read "the depth of the wreck", "the wreck's depth" or "its depth"."""
        if _CLAUSE.search(phrase):
            return None
        named = _ATTRIBUTE_OF.fullmatch(phrase) or _OWNED.fullmatch(phrase)
        if named is not None:
            return self._build_attribute(named["of"], named["attribute"])
        return self._build_bare_attribute(_POSSESSIVE.sub("", phrase))

    def _build_attribute(self, phrase: str, attribute: str) -> Attribute | None:
        bare, entity, scope = split_scope(attribute, phrase)
        of = parse_reference(entity, self._known)
        if of is None:
            return None
        if not is_neutral(bare):
            return Attribute(of, build_attribute_key(bare), bare, scope=scope)
        # "The value of the Hubble constant": the name behind "of" is the attribute.
        alone = not of.anchored and self._is_unique(of.said)
        return Attribute(EVERYWHERE if alone else UNSAID, of.key, of.said, measured=alone)

    def _is_unique(self, phrase: str) -> bool:
        """Whether a phrase names one thing in the world: by a name, or as the topic does."""
        return self._known.is_proper(phrase) or self._known.is_asked(phrase)

    def _build_bare_attribute(self, phrase: str) -> Attribute | None:
        """An attribute without an owner: heading or title say whose, unless it has a name."""
        key = build_attribute_key(phrase)
        if not _NOUNS_ONLY.fullmatch(phrase) or len(phrase.split()) > _LONGEST_ATTRIBUTE:
            return None
        if self._known.is_proper(phrase) and self._known.is_asked(phrase):
            return Attribute(EVERYWHERE, key, phrase, measured=True)
        return Attribute(self._subject or UNSAID, key, phrase)

    def _read_of_form(self, before: str, quantity: Quantity) -> Attribute | None:
        match = _OF.fullmatch(before)
        if match is None:
            return None
        start, attribute = _find_trailing_nouns(match["attribute"])
        head = match["before"] + match["attribute"][:start]
        key = build_attribute_key(attribute)
        if not key:
            return None
        if _MEASURED.search(head):
            return self._read_measurement(attribute, quantity)
        has = _HAS.search(head) or _AT.search(head)
        of = self._read_owner(head[: has.start()]) if has else None
        return Attribute(of, key, attribute) if of else None

    def _read_measurement(self, attribute: str, quantity: Quantity) -> Attribute | None:
        """Somebody measured it: the subject is who did, not what has it."""
        of: Reference | None = EVERYWHERE
        if not (self._known.is_proper(attribute) and self._known.is_asked(attribute)):
            behind = _BEHIND.match(self._sentence, quantity.end)
            of = parse_reference(behind["phrase"], self._known) if behind else UNSAID
        return (
            Attribute(of, build_attribute_key(attribute), attribute, measured=True) if of else None
        )

    def _read_verb(self, before: str, quantity: Quantity) -> Attribute | None:
        match = _VERB.fullmatch(before)
        if match is None or quantity.kind is Kind.COUNT:
            return None
        of = self._read_owner(match["phrase"])
        name = _VERBS[match["verb"]]
        return Attribute(of, build_attribute_key(name), name) if of else None

    def _read_count(self, before: str, quantity: Quantity) -> Attribute | None:
        if quantity.kind is not Kind.COUNT:
            return None
        match = _COUNTED.fullmatch(before)
        there = _IN.match(self._sentence, quantity.end) if _THERE.fullmatch(before) else None
        phrase = match["phrase"] if match else there["phrase"] if there else None
        of = self._read_owner(phrase) if phrase is not None else None
        if of is None:
            return None
        written = self._sentence[quantity.start : quantity.end]
        name = " ".join(_NOUNS.findall(written)[-3:])
        return Attribute(of, build_attribute_key(name), name)

    def _read_event(self, before: str, _quantity: Quantity) -> Attribute | None:
        found = parse_event(_OPENER.sub("", before))
        of = self._read_owner(found.subject) if found else None
        if found is None or of is None:
            return None
        if found.agent and not self._known.is_proper(found.subject):
            agent = parse_reference(found.agent, self._known)
            of = replace(of, key=tuple(sorted({*of.key, *(agent.key if agent else ())})))
        return Attribute(of, (found.name,), found.name)

    def _read_owner(self, phrase: str) -> Reference | None:
        """The subject of a verb; without one, that of the number before."""
        subject = _SUBJECT_END.split(_OPENER.sub("", phrase).strip())[0]
        if subject in {"", "it", "which", "that"}:
            return self._subject or UNSAID
        return parse_reference(subject, self._known)


_BOUNDARY = frozenset(
    build_word_list(
        "a an the its their his her our and or with has have had having of in to for from by at on",
        "as is was are were be been being that which who measured measures measure inferred infers",
        "reported reports report gives gave give obtained obtains derived derives yields yielded",
        "estimated estimates found finds find determined computed calculated predicts predicted",
        "favours adopts adopted prefers possesses implies",
    )
)


def _find_trailing_nouns(text: str) -> tuple[int, str]:
    """The nouns right before "of": where they begin in a text, and they themselves."""
    start = 0
    for match in re.finditer(r"\S+", text):
        if match[0].lower() in _BOUNDARY:
            start = match.end() + 1
    return start, text[start:].strip()

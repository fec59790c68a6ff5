"""Resting: claims that are on no side of a contradiction and repeat the value of one all the same.

What becomes of a value becomes of every claim that rests on it: the same statement, the same value
of the same thing in other words, rounded, or with its unit spelt out.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import ceil
from typing import NamedTuple

from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import Disagreement
from caveat.quantities.units import SIGNS, name_unit
from caveat.rules.text import (
    Token,
    build_word_set,
    find_frames,
    is_rounded,
    is_same_statement,
    normalise_wording,
    strip_verb_ending,
    tokenise,
)

TELLING = 3
"""Significant digits of a number that two sentences about one thing hardly share by chance."""

SHARED = 2  # words about the subject that suffice beside a telling number
MOST = 2 / 3  # share of the words about the subject that a year needs; shorter numbers need all


class _Measure(NamedTuple):
    """A number with its unit and, where it is stated, how far it may be off."""

    number: str
    unit: str
    spread: tuple[str, ...] = ()

    def repeats(self, other: "_Measure") -> bool:
        """Whether it is the other one, give or take rounding and the spelling of its unit."""
        if self.spread and other.spread and self.spread != other.spread:
            return False  # two measurements that happen to agree
        telling = self.is_telling and other.is_telling
        if self.unit != other.unit and not (telling and "" in (self.unit, other.unit)):
            return False
        if self.number == other.number:
            return True
        rounded = min(_count_digits(self.number), _count_digits(other.number)) > 1
        return rounded and is_rounded(self.number, other.number)

    @property
    def is_telling(self) -> bool:
        return _count_digits(self.number) >= TELLING and not _is_year(self.number, self.unit)


class _Facts(NamedTuple):
    """What a sentence says: its numbers, its words, and those that are names."""

    measures: tuple[_Measure, ...]
    words: frozenset[str]
    names: frozenset[str]


def find_dependent_claims(
    contradiction: Disagreement, claims: Mapping[str, Claim]
) -> dict[str, tuple[int, ...]]:
    """Find the claims that rest on a value of a contradiction which names no place for them.

    Whether a claim does follows from the quotes alone, of it and of the claims that state the
    values best, so that it can be found out again from any report.

    Args:
        claims: those that may rest on it, the sides among them, by id.

    Returns:
        For each such claim the places of the values that it repeats, from 0; mostly one.
    """
    best = [claims[name] for name in contradiction.claims if name in claims]
    if len({normalise_wording(claim.quote) for claim in best}) < len(contradiction.sides):
        return {}  # some are not here, or their words do not tell the sides apart
    placed = contradiction.concerned
    others = {name: claim for name, claim in claims.items() if name not in placed}
    question = _Question.from_disagreement(contradiction, best)
    found = {name: tuple(question.find_repeated_values(claim)) for name, claim in others.items()}
    return {name: places for name, places in found.items() if places}


class _Question(NamedTuple):
    """What a contradiction is about, and what each side alone says of it."""

    best: Sequence[Claim]
    measures: tuple[tuple[_Measure, ...], ...]
    words: frozenset[str]
    names: frozenset[str]
    valued: tuple[bool, ...]

    @staticmethod
    def from_disagreement(disagreement: Disagreement, best: Sequence[Claim]) -> "_Question":
        facts = [_parse_facts(claim.quote) for claim in best]
        # A quote has other numbers than the value's: of a year or a test nobody disagrees.
        stated = [
            _parse_facts(side.value).measures if side.value else fact.measures
            for side, fact in zip(disagreement.sides, facts, strict=True)
        ]
        own = tuple(
            tuple(
                measure
                for measure in measures
                if not any(
                    measure.repeats(each)
                    for other in stated
                    if other is not measures
                    for each in other
                )
            )
            for measures in stated
        )
        common = frozenset.intersection(*(fact.words for fact in facts))
        subject = common or _parse_facts(disagreement.about).words
        valued = tuple(bool(side.value) for side in disagreement.sides)
        return _Question(best, own, subject, _collect_names(facts) & subject, valued)

    def find_repeated_values(self, claim: Claim) -> Iterable[int]:
        return (place for place, one in enumerate(self.best) if self._rests_on(claim, place, one))

    def _rests_on(self, claim: Claim, place: int, one: Claim) -> bool:
        if is_same_statement(claim.quote, one.quote) or self._takes_same_side(claim, one):
            return True
        said = _parse_facts(claim.quote)
        own = self.measures[place]
        repeated = [measure for measure in said.measures for each in own if measure.repeats(each)]
        # Of a day that a side states its year alone is another day.
        least = len(own) if self.valued[place] else 1
        if len({each for each in own if any(m.repeats(each) for m in repeated)}) < max(1, least):
            return False
        return self._is_meant(claim, said, one, repeated)

    def _takes_same_side(self, claim: Claim, one: Claim) -> bool:
        """Whether it takes the same side at the very place at which the sides differ."""
        return any(
            any(
                said.excludes(each)
                for other in self.best
                if other is not one
                for each in find_frames(other.quote)
            )
            for said in find_frames(claim.quote)
            for own in find_frames(one.quote)
            if (said.place, said.words) == (own.place, own.words) and not said.excludes(own)
        )

    def _is_meant(
        self, claim: Claim, said: _Facts, one: Claim, repeated: Sequence[_Measure]
    ) -> bool:
        """Whether a sentence with the numbers is about the same thing."""
        is_telling = any(measure.is_telling for measure in repeated)
        if claim.source_id == one.source_id and is_telling:
            return True
        around = said.words | _parse_facts(claim.location or "").words
        if self.names and said.names and self.names.isdisjoint(around):
            return False
        is_short = all(_count_digits(measure.number) < TELLING for measure in repeated)
        needed = max(1, ceil(len(self.words) * (1 if is_short else MOST)))
        return len(self.words & around) >= (min(SHARED, needed) if is_telling else needed)


@lru_cache(maxsize=1 << 12)
def _parse_facts(text: str) -> _Facts:
    found = tuple(tokenise(text))
    words = [
        token
        for before, token in pairwise((None, *found))
        if token is not None
        and token.text[0].isalpha()
        and not (before and before.is_number and name_unit(token.text))
    ]
    told = [token for token in words if token.text.casefold() not in _FUNCTION]
    return _Facts(
        measures=tuple(_parse_measures(found)),
        words=frozenset(strip_verb_ending(token.text) for token in told),
        names=frozenset(
            strip_verb_ending(token.text)
            for token in told
            if token.start and text[token.start].isupper()
        ),
    )


def _collect_names(facts: Sequence[_Facts]) -> frozenset[str]:
    return frozenset().union(*(fact.names for fact in facts))


def _parse_measures(found: Sequence[Token]) -> Iterable[_Measure]:
    for at, token in enumerate(found):
        before = found[at - 1].text if at else ""
        if not token.is_number or before in _BETWEEN - {"-", "−"}:
            continue
        if before in SIGNS:
            yield _Measure(token.text, SIGNS[before])
            continue
        spread, behind = _read_spread(found, at + 1)
        unit = found[behind].text if behind < len(found) and not found[behind].is_number else ""
        named = name_unit(unit)
        counted = "" if _is_year(token.text, named or "") else _normalise_noun(unit)
        yield _Measure(token.text, named or counted, spread)


def _is_year(number: str, unit: str) -> bool:
    """Whether a number may be a year, which many sentences of a source have in common."""
    return not unit and number.isascii() and number.isdigit() and 1500 <= int(number) <= 2100


def _read_spread(found: Sequence[Token], at: int) -> tuple[tuple[str, ...], int]:
    """Read "± 0.5" or "+4.1/−3.2" behind a number, and say where what follows begins."""
    if at >= len(found) or found[at].text not in {"±", "+"}:
        return (), at
    behind = at + 1
    while behind < len(found) and (found[behind].is_number or found[behind].text in _BETWEEN):
        behind += 1
    return tuple(token.text for token in found[at:behind] if token.is_number), behind


_BETWEEN = frozenset("±+/-−")


def _normalise_noun(word: str) -> str:
    return "" if word.casefold() in _FUNCTION or not word[:1].isalpha() else strip_verb_ending(word)


@lru_cache(maxsize=1 << 12)
def _count_digits(number: str) -> int:
    """Count the significant digits: those before which and behind which no zeros only stand."""
    plain = "".join(char for char in number if char.isdigit()).lstrip("0")
    return len(plain if "." in number else plain.rstrip("0"))


_FUNCTION = build_word_set(
    "the a an and or but not no of in on at by to for from with as than that which who this",
    "is are was were be been being has have had do does did it its they their he she his her we",
    "our one about approximately roughly nearly almost around only just also still now there",
    "when where these while if so such can will would may might all some any more most less",
    "between into over",
)
"""Words that are about nothing."""

"""Alignment: which values of different sources are values of the same thing, by their clauses.

Two values are held against each other where their clauses say the same of the same: every word of
the one stands in the other, in the rest of its sentence or in the headings above it. One clause may
say a little more than the other how something was so ("at room temperature"), never both: "the
fast train" and "the slow train" are two. And something must name what is meant: a name that the
topic or a heading has, or titles that agree; "the lens" of two notes may be two lenses.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from caveat.adapters.extractive.entities import ClaimPlace

MANY = 200
"""Clauses with one word in common up to which each is compared with each."""

NEAR = 25
"""Of more, how many of those that come next each is compared with: that bounds the time, and chains
of neighbours still bring everything together that is about one thing."""

TELLING = 3
"""Words in common that tell what is meant when the topic asks for two of them."""


@dataclass(frozen=True)
class ClauseBits:
    """A clause as sets of words, a bit each, compared in a fraction of a microsecond.

    Attributes:
        core: words of the clause.
        around: those of the rest of its sentence and of its headings.
        loose: of `core` what another may leave out.
        named: names in its headings.
        owned: words with a capital in its headings: all of them tell of what it speaks.
        place: the heading and the title above it.
        is_strict: whether another must say just as much.
    """

    core: int
    around: int
    loose: int
    named: int
    owned: int
    place: ClaimPlace
    is_strict: bool


@dataclass(frozen=True)
class Anchors:
    """What tells of what a clause speaks.

    Attributes:
        names: words that are names.
        asked: words of the topic.
        topics: of each of its questions that has no name in it, the words.
        vague: words that say too little of what a value is: "default", "at least".
    """

    names: int
    asked: int
    topics: tuple[int, ...]
    vague: int

    def alike(self, one: ClauseBits, other: ClauseBits) -> bool:
        """Tell whether two clauses say the same of the same thing, but for the value."""
        shared = one.core & other.core
        more = one.core & ~(other.core | other.around)
        others = other.core & ~(one.core | one.around)
        if not shared & ~self.names or (more and others):
            return False  # nothing says what is a value of it, or both say more
        if _is_of_another(one, other) or _is_of_another(other, one):
            return False
        common = shared | (one.core & other.around) | (other.core & one.around)
        if more | others:
            loose = (one.loose if more else other.loose) & ~self.names
            extra = more | others
            is_strict = one.is_strict or other.is_strict
            if is_strict or extra & ~loose or extra.bit_count() > common.bit_count():
                return False
        if one.place.agrees_with(other.place):
            return True
        return bool(common & ~(self.names | self.vague)) and self._name(one, other, common)

    def _name(self, one: ClauseBits, other: ClauseBits, common: int) -> bool:
        named = one.named | other.named
        if common & self.names & (self.asked | named):
            return True
        if one.named and other.named and not one.named & other.named:
            return False  # each speaks of its own
        return common.bit_count() >= TELLING and any(
            (common & topic).bit_count() > 1 for topic in self.topics
        )


def _is_of_another(one: ClauseBits, other: ClauseBits) -> bool:
    """Whether one names a part of what stands above the other: "Guinea" of "Papua New Guinea"."""
    named = one.core & other.named & ~other.core
    return bool(named and other.owned & ~(one.core | one.around))


def partners(frames: Sequence[ClauseBits]) -> Iterator[tuple[int, int]]:
    """Pair the places of frames that may be alike: those that share a word."""
    at: dict[int, list[int]] = defaultdict(list)
    for place, frame in enumerate(frames):
        for bit in _bits(frame.core):
            at[bit].append(place)
    seen: set[tuple[int, int]] = set()
    for places in at.values():
        reach = len(places) if len(places) <= MANY else NEAR
        for index, one in enumerate(places):
            for other in places[index + 1 : index + 1 + reach]:
                if (one, other) not in seen:
                    seen.add((one, other))
                    yield one, other


def _bits(number: int) -> Iterator[int]:
    while number:
        low = number & -number
        yield low.bit_length()
        number ^= low


class WordBits:
    """Gives each word a bit."""

    def __init__(self) -> None:
        self._bit: dict[str, int] = {}

    def bits(self, words: Iterable[str]) -> int:
        """The set of some words, without those that are empty."""
        found = 0
        for word in words:
            if word:
                found |= 1 << self._bit.setdefault(word, len(self._bit))
        return found

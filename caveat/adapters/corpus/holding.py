"""Which passages hold most of a query: its rarest words are looked up, the common ones among those.

To rank by BM25, FTS5 weighs every passage that holds any of the words, at 4 µs each: of a common
word that is a third of the index. A passage that holds none of the rarer words holds most of a
query only where it has several of the common ones, which are asked for together.
"""

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations

from caveat.adapters.text.query import any_of

_RARE = 2_500  # rows of the rarest words that are looked up in all: one takes half a µs

_TOGETHER = 2_000
"""Passages that are looked up of each combination of common words, where no more are wanted; where
there are more, as many under a heading that has one of them as well."""

_COMMON = 6  # heaviest common words that are combined, in 63 ways at most


@dataclass(frozen=True)
class Form:
    """Words of which a passage that holds any holds a word of the query."""

    term: int
    worth: float  # what they count for it, 0 to 1
    words: tuple[str, ...]
    frequency: int

    @property
    def expression(self) -> str:
        """What FTS5 is asked for."""
        return any_of(self.words)


@dataclass(frozen=True)
class Weighing:
    """What each word of a query counts, by its place, and what that is a share of."""

    weights: Mapping[int, float]
    whole: float


@dataclass
class Holding:
    """The passages that hold most of a query."""

    connection: sqlite3.Connection
    forms: Sequence[Form]
    weighing: Weighing
    # which forms each passage has, as bits; filled by `look_up`
    masks: dict[int, int] = field(default_factory=dict)

    def look_up(self, wanted: int, least: float) -> None:
        """Find the passages that hold most.

        Args:
            wanted: passages to be found at least, where there are so many; of those that hold the
                same, not all where they are many.
            least: share below which a passage is not looked for.
        """
        ordered = sorted(range(len(self.forms)), key=lambda place: self.forms[place].frequency)
        rare: list[int] = []
        rows = 0
        for place in ordered:
            rows += self.forms[place].frequency
            if rows > _RARE:
                break
            rare.append(place)
            self._look_up(self.forms[place].expression, 1 << place)
        common = ordered[len(rare) :]
        among = " OR ".join(self.forms[place].expression for place in rare)
        for place in common if among else ():
            self._look_up(f"({among}) AND ({self.forms[place].expression})", 1 << place)
        share = self.shares(self.weighing)
        for mask in self._combinations(common, share):
            counted = Counter(self.masks.values())
            holders = sum(n for each, n in counted.items() if share(each) >= share(mask))
            if holders >= wanted or share(mask) < least:
                break
            self._look_up_together(mask, max(wanted, _TOGETHER))

    def shares(self, weighing: Weighing) -> Callable[[int], float]:
        """Return what says which share of the query its holder has."""
        in_order = sorted(enumerate(self.forms), key=lambda each: each[1].worth)

        @cache
        def share(mask: int) -> float:
            held = {form.term: form.worth for place, form in in_order if mask >> place & 1}
            found = sum(weighing.weights[term] * held[term] for term in sorted(held))
            return found / weighing.whole

        return share

    def groups(self) -> dict[int, list[int]]:
        """Return the passages that have the same forms, by these."""
        found: dict[int, list[int]] = {}
        for row, mask in self.masks.items():
            found.setdefault(mask, []).append(row)
        return found

    def matching(self, expression: str, most: int = -1) -> Iterator[int]:
        """Yield the passages that match, so many at most; all where that is negative."""
        found = self.connection.execute(
            "SELECT rowid FROM passages WHERE passages MATCH ? LIMIT ?", (expression, most)
        )
        return (row for (row,) in found)

    def _combinations(self, common: Sequence[int], share: Callable[[int], float]) -> list[int]:
        """Return the combinations of common words, those that hold most first."""
        own = [place for place in common if self.forms[place].worth == 1]
        heaviest = sorted(own, key=lambda place: -share(1 << place))[:_COMMON]
        masks = (
            sum(1 << place for place in chosen)
            for size in range(1, len(heaviest) + 1)
            for chosen in combinations(heaviest, size)
        )
        return sorted(masks, key=lambda mask: (-share(mask), mask))

    def _look_up_together(self, mask: int, most: int) -> None:
        forms = [form for place, form in enumerate(self.forms) if mask >> place & 1]
        together = " AND ".join(f"({form.expression})" for form in forms)
        if self._look_up(together, mask, most) == most:
            any_form = " OR ".join(form.expression for form in forms)
            headed = f"({together}) AND ({{title heading}} : ({any_form}))"
            self._look_up(headed, mask, most)

    def _look_up(self, expression: str, mask: int, most: int = -1) -> int:
        """Note what passages match, and return how many do."""
        masks = self.masks
        rows = list(self.matching(expression, most))
        for row in rows:
            masks[row] = masks.get(row, 0) | mask
        return len(rows)

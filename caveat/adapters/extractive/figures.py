"""Quantities of several sources that measure the same thing, for a table."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from caveat.adapters.extractive.frames import COMPARISON
from caveat.contracts.claim import Claim
from caveat.contracts.synthesis import Figure
from caveat.quantities.reading import Quantity, find_quantities
from caveat.quantities.units import Kind
from caveat.rules.text import is_disowned
from caveat.rules.text.words import list_content_stems

_BESIDE = 70
"""Characters either side of a number in which the words stand that say what it measures."""

_SHARED = 2
"""Words beside two numbers that must agree: one alone is often only the unit's own context."""


@dataclass(frozen=True)
class StatedQuantity:
    """A quantity that a claim states, and the stems of the words beside it."""

    claim: Claim
    quantity: Quantity
    about: frozenset[str]  # what the words beside the number say that it measures

    @property
    def words(self) -> str:
        """The quantity as the quote writes it."""
        return self.claim.quote[self.quantity.start : self.quantity.end]

    def measures_the_same(self, other: "StatedQuantity") -> bool:
        """Whether the words beside both numbers and their units are about one attribute."""
        same_unit = self.quantity.unit == other.quantity.unit
        return same_unit and len(self.about & other.about) >= _SHARED


def compare_quantities(claims: Sequence[Claim], titles: Mapping[str, str]) -> tuple[Figure, ...]:
    """Compare the quantities of claims.

    Only central estimates of one unit and a similar attribute from at least two sources are
    compared: no "at least", no dates, no bare numbers, and nothing from sentences that compare,
    since the values in those are mostly other people's.

    Returns:
        Figures in ascending order, in one unit; none when nothing can be compared.
    """
    by_unit: dict[str, list[StatedQuantity]] = defaultdict(list)
    for claim in claims:
        for stated in _find_own_quantities(claim):
            by_unit[stated.quantity.unit].append(stated)
    groups = [
        _remove_duplicates(group)
        for stated in by_unit.values()
        for group in _group_quantities(stated)
    ]
    comparable = [group for group in groups if _count_sources(group) >= 2]
    if not comparable:
        return ()
    largest = max(comparable, key=lambda group: (_count_sources(group), len(group)))
    rows = sorted(largest, key=lambda stated: stated.quantity.number)
    return tuple(_build_figure(stated, titles) for stated in rows)


def _count_sources(group: Sequence[StatedQuantity]) -> int:
    return len({stated.claim.source_id for stated in group})


_COMPARED = frozenset(Kind) - {Kind.DATE, Kind.NUMBER}


def _find_own_quantities(claim: Claim) -> Iterator[StatedQuantity]:
    """Find the quantities that a claim states as its own and that can be compared."""
    if COMPARISON.search(claim.quote):
        return
    for stated in _find_quantities(claim):
        quantity = stated.quantity
        if quantity.kind not in _COMPARED or not quantity.is_estimate:
            continue
        before, after = claim.quote[: quantity.start], claim.quote[quantity.end :]
        if _is_certainty(before, after) or _CONDITION.search(before) or _APART.match(after):
            continue
        if not is_disowned(claim.quote, quantity.start, quantity.end):
            yield stated


def _find_quantities(claim: Claim) -> Iterator[StatedQuantity]:
    """Find all quantities in the quote of a claim, its own or not."""
    for quantity in find_quantities(claim.quote):
        before = claim.quote[max(0, quantity.start - _BESIDE) : quantity.start]
        after = claim.quote[quantity.end : quantity.end + _BESIDE]
        about = list_content_stems(before) | list_content_stems(after)
        yield StatedQuantity(claim, quantity, frozenset(word for word in about if word.isalpha()))


_CONDITION = re.compile(r"\d\S{0,20}\s(?:[^\s,;.]{1,20}\s){0,3}(?:at|@)\s\Z")
"""Before a number that says under what another one was measured: "16.2 MS/m at 20 °C"."""

_APART = re.compile(
    r"\s(?:(?:over|under|above|below)\s(?:the\s|its\s|their\s)?(?:budget|target|limit|average|plan|forecast"
    r"|estimate|guidance|expectations)|more|less|fewer|higher|lower|longer|shorter)\b"
)
"""Behind a number that says how far two others are apart: "£730 over the budget"."""

_BRACKET = re.compile(r"[()]")


def _is_certainty(before: str, after: str) -> bool:
    """Whether a number says how sure someone is, or what is between the same brackets does."""
    beside = _BRACKET.split(before)[-1].lower().split()[-3:]
    nearest = [*beside, *_BRACKET.split(after)[0].lower().split()[:2]]
    return any(word.strip(".,;:") in _CERTAINTY for word in nearest)


_CERTAINTY = frozenset(
    {"confidence", "uncertainty", "error", "precision", "accuracy", "ci", "c.l", "credible"}
)


def _group_quantities(stated: Sequence[StatedQuantity]) -> list[list[StatedQuantity]]:
    """Gather what is about the same: each joins the first group that it shares words with."""
    groups: list[list[StatedQuantity]] = []
    for one in stated:
        for group in groups:
            if any(one.measures_the_same(other) for other in group):
                group.append(one)
                break
        else:
            groups.append([one])
    return groups


def _remove_duplicates(group: Sequence[StatedQuantity]) -> list[StatedQuantity]:
    """One row for a value that several claims state; the first claim, the best, keeps it."""
    rows: dict[tuple[float, float, float], StatedQuantity] = {}
    for stated in group:
        quantity = stated.quantity
        rows.setdefault((quantity.number, quantity.low, quantity.high), stated)
    return list(rows.values())


def _build_figure(stated: StatedQuantity, titles: Mapping[str, str]) -> Figure:
    claim, quantity = stated.claim, stated.quantity
    return Figure(
        label=titles.get(claim.source_id, claim.source_id),
        value=stated.words,
        number=quantity.number,
        unit=quantity.unit,
        claim_id=claim.id,
    )

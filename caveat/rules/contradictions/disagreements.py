"""Which of a reasoner's disagreements can be taken up, and which of them are one question.

Code leaves out what names no claim, and orders the sides by value. A model may obey a page, so its
silence counts for nothing: what rules find is added to what it reports.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import combinations
from typing import TypeVar

from caveat.contracts.contradiction import ContradictionKind, Disagreement, Side
from caveat.contracts.source import Claim
from caveat.quantities.dates import Date
from caveat.quantities.reading import Quantity
from caveat.rules.contradictions.choices import PAIR
from caveat.rules.evidence.stated import read_side_dates, read_side_value
from caveat.rules.lines import collapse_spaces

_APART = {ContradictionKind.NUMERIC, ContradictionKind.DATE}
"""What the same claims may disagree about twice, in a number and in a date; of both code can read
whether two are one."""


def filter_disagreements(
    disagreements: Sequence[Disagreement], claims: Sequence[Claim]
) -> tuple[Disagreement, ...]:
    """Keep the disagreements between claims of this run from at least two sources, each once.

    Unknown claims and sides without a claim go; a claim that is named for several sides stays with
    the first that it states best. Sides with one value do not disagree.
    """
    by_id = {claim.id: claim for claim in claims}
    whole = [
        restricted
        for each in disagreements
        if (restricted := _restrict_sides(each, by_id)) is not None
    ]
    return tuple(remove_duplicates(whole))


def _restrict_sides(disagreement: Disagreement, by_id: Mapping[str, Claim]) -> Disagreement | None:
    named = [dict.fromkeys((*side.claims, *side.unconfirmed)) for side in disagreement.sides]
    times = Counter(name for names in named for name in names)
    leading = [by_id[side.claim].source_id for side in disagreement.sides if side.claim in by_id]
    sides: list[Side] = []
    standing: set[str] = set()
    for side, names in zip(disagreement.sides, named, strict=True):
        # A source that states one value backs no other.
        mine = by_id[side.claim].source_id if side.claim in by_id else ""
        others = set(leading) - {mine}
        own = [
            name
            for name in names
            if name in by_id
            and (
                (name == side.claim and name not in standing)
                or (times[name] == 1 and by_id[name].source_id not in others)
            )
        ]
        standing.update(own)
        if own:
            stated = {
                "claim": own[0],
                "backing": tuple(name for name in own[1:] if name in side.claims),
                "unconfirmed": tuple(name for name in own[1:] if name not in side.claims),
            }
            sides.append(side.model_copy(update=stated))
    read = [read_side_value(side, by_id) for side in sides]
    if len({by_id[side.claim].source_id for side in sides}) < PAIR or (
        disagreement.kind in _APART and _have_same_value(sides, read, by_id)
    ):
        return None
    return disagreement.model_copy(update={"sides": _order_sides(sides, read)})


def _order_sides(sides: Sequence[Side], read: Sequence[Sequence[Quantity]]) -> tuple[Side, ...]:
    """Put the least value first, so that every run letters the same values alike."""
    is_measured = all(len(each) == 1 for each in read)
    numbers = [each[0].number if is_measured else 0.0 for each in read]
    ranked = sorted(zip(numbers, sides, strict=True), key=lambda x: (x[0], x[1].value.casefold()))
    return tuple(side for _, side in ranked)


def _have_same_value(
    sides: Sequence[Side], read: Sequence[Sequence[Quantity]], claims: Mapping[str, Claim]
) -> bool:
    """Whether all sides give one value, reworded, rounded or as the period that a day lies in."""
    if len({collapse_spaces(side.value).casefold() for side in sides}) == 1 and sides[0].value:
        return True
    days = [read_side_dates(side, claims) for side in sides]
    return _agree(read) or _agree(days)


_Value = TypeVar("_Value", Quantity, Date)


def _agree(read: Sequence[Sequence[_Value]]) -> bool:
    return all(len(each) == 1 for each in read) and all(
        one.agrees_with(other) for (one,), (other,) in combinations(read, PAIR)
    )


def remove_duplicates(disagreements: Sequence[Disagreement]) -> Iterator[Disagreement]:
    """Drop disagreements whose claims are those of an earlier one, or part of a larger one's."""
    sets = [(each.kind, each.concerned) for each in disagreements]
    for number, (each, (kind, names)) in enumerate(zip(disagreements, sets, strict=True)):
        larger = any(kind is other and names < others for other, others in sets)
        if not larger and (kind, names) not in sets[:number]:
            yield each


def merge_disagreements(
    by_model: Sequence[Disagreement], by_rules: Sequence[Disagreement], claims: Sequence[Claim]
) -> tuple[Disagreement, ...]:
    """Merge what the model and the rules report, each question once.

    A question of both has the model's sides, backed by claims in which rules read the same value,
    then the values that only rules see.
    """
    left = list(filter_disagreements(by_rules, claims))
    merged: list[Disagreement] = []
    for stated in filter_disagreements(by_model, claims):
        same = [read for read in left if _is_same(stated, read)]
        left = [read for read in left if read not in same]
        merged.append(reduce(_extend_sides, same, stated))
    return tuple(remove_duplicates((*merged, *left)))


def _is_same(stated: Disagreement, read: Disagreement) -> bool:
    """Whether at least two sides of both reports match."""
    touched = {
        (place, at)
        for place, names in enumerate(map(_list_claim_ids, stated.sides))
        for at, side in enumerate(read.sides)
        if not names.isdisjoint(side.claims)
    }
    both = min(len({place for place, _ in touched}), len({at for _, at in touched}))
    return {stated.kind, read.kind} != _APART and both >= PAIR


def _list_claim_ids(side: Side) -> frozenset[str]:
    return frozenset((*side.claims, *side.unconfirmed))


def _extend_sides(stated: Disagreement, read: Disagreement) -> Disagreement:
    """Add what rules read: backing for a side, and values that the model lacks."""
    # What a model counts to one side and rules read another value in is on the side of the rules.
    sides: list[Side] = []
    for side in stated.sides:
        own = [each for each in read.sides if side.claim in each.claims]
        others = {name for each in read.sides if own and each not in own for name in each.claims}
        sides.append(
            side.model_copy(
                update={
                    "backing": tuple(name for name in side.backing if name not in others),
                    "unconfirmed": tuple(name for name in side.unconfirmed if name not in others),
                }
            )
        )
    taken = frozenset(name for side in sides for name in _list_claim_ids(side))
    new = []
    for each in read.sides:
        at = [place for place, side in enumerate(sides) if side.claim in each.claims]
        if len(at) == 1:
            side, (place,) = sides[at[0]], at
            more = [n for n in each.claims if n not in taken or n in side.unconfirmed]
            backing = tuple(dict.fromkeys((*side.backing, *more)))
            rest = tuple(name for name in side.unconfirmed if name not in backing)
            sides[place] = side.model_copy(update={"backing": backing, "unconfirmed": rest})
        elif taken.isdisjoint(each.claims):
            new.append(each)
    return stated.model_copy(update={"sides": (*sides, *new)})

"""Contradictions: different values of one thing in different sources.

Values are compared where what is left of their sentences or rows is equal (see `frames`). What is
said in other words is not noticed, and nothing is said where it is not sure what a value is of.

Agreement is not transitive: 10 ± 1 agrees with 12.5 ± 1, which agrees with 15 ± 1, and 10 ± 1 does
not agree with 15 ± 1. A value therefore founds a side only while all that agree with it agree with
each other, as the ends of such a chain do; what agrees with the founders of two sides backs
neither. So no value in the middle hides that its neighbours disagree, and whatever backs a side
agrees with all that back it. The values alone decide which claims make a side, never the order or
the names of claims.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from caveat.adapters.extractive.frames import Statement, Value, group_by_slot
from caveat.adapters.extractive.times import list_dates
from caveat.contracts.contradiction import ContradictionKind, Disagreement, Side
from caveat.contracts.tasks import DetectionTask
from caveat.quantities.measures import Measure
from caveat.rules.contradictions.disagreements import remove_duplicates
from caveat.rules.lines import collapse_spaces

_WRITTEN_LIMIT = 200  # characters of a value and of its scope by their contract

_Division = tuple[tuple[Statement, ...], ...]
"""Sides that exclude each other, from the least value to the greatest: of each those who state one
value, the one that states it best first."""


def detect_contradictions(task: DetectionTask) -> tuple[Disagreement, ...]:
    """Find the claims that disagree, what matters most first.

    The same claims in another order give the same disagreements. A source never contradicts itself
    here.

    Returns:
        One disagreement for each attribute that has values which exclude each other, however many:
        from the least value to the greatest. Claims that say the same, copies
        included, are the backing of their value.
    """

    def rank_division(sides: _Division) -> tuple[float, list[tuple[str, ...]]]:
        """What matters most first: relevant to the topic, and in sources that can be trusted."""
        best = sorted(side[0].claim.relevance * side[0].claim.credibility for side in sides)
        return -sum(best[-2:]), list(map(_list_claim_ids, sides))

    divisions = [each for group in group_by_slot(task).values() for each in _find_divisions(group)]
    built = list(map(_build_disagreement, sorted(divisions, key=rank_division)))
    return tuple(remove_duplicates(built))


def _list_claim_ids(side: Iterable[Statement]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(statement.claim.id for statement in side))


def _build_disagreement(sides: _Division) -> Disagreement:
    kind, value = ContradictionKind.CATEGORICAL, sides[0][0].value
    if isinstance(value, Measure):
        kind = ContradictionKind.DATE if value.is_date else ContradictionKind.NUMERIC
    return Disagreement(
        kind=kind,
        sides=tuple(
            Side(
                claim=side[0].claim.id,
                backing=_list_claim_ids(side)[1:],
                value=side[0].written[:_WRITTEN_LIMIT],
                scope=_describe_scope(side[0]),
            )
            for side in sides
        ),
        about=_name_subject(sides),
    )


def _name_subject(sides: _Division) -> str:
    # Of the ways to name the thing, "it" and "iron", the one that names it says more.
    subject = max((side[0].label.strip() for side in sides), key=len)
    return subject[:1].upper() + subject[1:]


_INSTANT = 1e-6  # years: a span ends before the next one begins


def _describe_scope(statement: Statement) -> str:
    """Say what a value is confined to in the words of its claim, then the years that it names."""
    confining = collapse_spaces(statement.scope).strip(" ,:()–.")
    spans = list_dates(statement.claim.quote)
    years = sorted(math.floor(each) for low, high in spans for each in (low, high - _INSTANT))
    when = "–".join(dict.fromkeys(map(str, (*years[:1], *years[-1:]))))
    told = [confining, *([when] if when not in confining else [])]
    return ", ".join(filter(None, told))[:_WRITTEN_LIMIT]


def _find_divisions(group: Sequence[Statement]) -> Iterator[_Division]:
    """Find what excludes each other among the values of one attribute.

    Values are one contradiction where each is held against another directly or by way of others:
    a figure without a year stands against that of 1990 and against that of 2020, which are no
    contradiction by themselves. However many there are, they are one.
    """
    if len({statement.claim.source_id for statement in group}) < 2:
        return
    ranked = sorted(group, key=lambda statement: statement.rank)
    founders = _choose_founders(ranked)
    sides: list[list[Statement]] = [[] for _ in founders]
    for statement in ranked:
        agreed = [
            side for side, each in zip(sides, founders, strict=True) if statement.agrees_with(each)
        ]
        if len(agreed) == 1:
            agreed[0].append(statement)
    for together in _group_connected(sides):
        heads = _choose_heads({place: sides[place] for place in together})
        # From the least to the greatest, so that every run letters them alike.
        ordered = sorted(
            heads.items(), key=lambda each: (each[1].number, each[1].written.casefold())
        )
        if len(heads) > 1:
            yield tuple(
                (head, *(each for each in sides[place] if each.claim.id != head.claim.id))
                for place, head in ordered
            )


def _choose_founders(ranked: Sequence[Statement]) -> list[Statement]:
    """Choose values that all exclude each other, so that every other one agrees with one of them.

    In what is left, the most precise value is taken of those whose neighbours all agree; of values
    that only agree in a ring, the most precise one.
    """
    distinct = list({statement.value: statement for statement in reversed(ranked)}.values())
    distinct.sort(key=lambda statement: _build_precision_key(statement.value))
    near = {
        place: {other for other, there in enumerate(distinct) if here.agrees_with(there)} | {place}
        for place, here in enumerate(distinct)
    }
    left = dict.fromkeys(near)
    founders: list[Statement] = []
    while left:
        around = {place: near[place] & left.keys() for place in left}
        ends = (here for here in left if all(around[here] <= near[there] for there in around[here]))
        place = next(ends, next(iter(left)))
        founders.append(distinct[place])
        for gone in near[place]:
            left.pop(gone, None)
    return founders


def _build_precision_key(value: Value) -> tuple[float, float, float, str]:
    """The most precise first; of those that are as precise, what the values themselves say."""
    if isinstance(value, Measure):
        return value.width, value.number, value.low, ""
    return 0.0, 0.0, 0.0, value.spelling


def _group_connected(sides: Sequence[Sequence[Statement]]) -> Iterator[list[int]]:
    """Put the sides together that are held against each other, directly or by way of others."""
    left = list(range(len(sides)))
    while left:
        together = [left.pop(0)]
        for place in together:  # which grows on the way
            against = [
                other
                for other in left
                if any(_contradict(a, b) for a in sides[place] for b in sides[other])
            ]
            together += against
            left = [other for other in left if other not in against]
        if len(together) > 1:
            yield together


def _choose_heads(sides: Mapping[int, Sequence[Statement]]) -> dict[int, Statement]:
    """Let each side begin with whoever states it best and contradicts somebody.

    A claim begins one side only: what says “12 or 13 m” is not held against itself.
    """
    everybody = [statement for side in sides.values() for statement in side]
    heads: dict[int, Statement] = {}
    for place, side in sorted(sides.items(), key=lambda each: each[1][0].rank):
        taken = {head.claim.id for head in heads.values()}
        free = (statement for statement in side if statement.claim.id not in taken)
        head = next((s for s in free if any(_contradict(s, each) for each in everybody)), None)
        if head is not None:
            heads[place] = head
    return heads


def _contradict(a: Statement, b: Statement) -> bool:
    return a.is_comparable(b) and not a.agrees_with(b)

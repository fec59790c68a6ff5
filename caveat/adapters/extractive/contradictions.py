"""Contradictions: different values of one thing in different sources.

Values are compared where what is left of their sentences or rows is equal (see `frames`). What is
said in other words is not noticed, and nothing is said where it is not sure what a value is of.
"""

from collections.abc import Iterable, Sequence

from caveat.adapters.extractive.frames import Said, group_by_slot
from caveat.adapters.extractive.sides import Division, find_divisions
from caveat.adapters.extractive.times import find_years
from caveat.contracts.contradiction import ContradictionKind, Disagreement, Side
from caveat.contracts.tasks import DetectionTask
from caveat.quantities.measures import Measure
from caveat.rules.contradictions.choices import format_range
from caveat.rules.contradictions.disagreements import remove_duplicates
from caveat.rules.lines import collapse_spaces, shorten

_ABOUT_LIMIT = 500  # characters that the sentence about what differs may have by its contract
_WRITTEN_LIMIT = 200  # characters of a value and of its scope by their contract

_LISTED = 7
"""Values that the sentence about what differs names one by one: it still is a heading then."""


def detect_contradictions(task: DetectionTask) -> tuple[Disagreement, ...]:
    """Find the claims that disagree, what matters most first.

    The same claims in another order give the same disagreements. A source never contradicts itself
    here.

    Returns:
        One disagreement for each attribute that has values which exclude each other, however many:
        from the least value to the greatest. Claims that say the same, copies
        included, are the backing of their value.
    """

    def rank_division(division: Division) -> tuple[float, list[tuple[str, ...]]]:
        """What matters most first: relevant to the topic, and in sources that can be trusted."""
        sides = division.sides
        best = sorted(side[0].claim.relevance * side[0].claim.credibility for side in sides)
        return -sum(best[-2:]), list(map(_list_claim_ids, sides))

    divisions = [each for group in group_by_slot(task).values() for each in find_divisions(group)]
    built = list(map(_build_disagreement, sorted(divisions, key=rank_division)))
    return tuple(remove_duplicates(built))


def _list_claim_ids(side: Iterable[Said]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(said.claim.id for said in side))


def _build_disagreement(division: Division) -> Disagreement:
    heads = [side[0] for side in division.sides]
    standing = {name for side in division.sides for name in _list_claim_ids(side)}
    between = division.between or ((),) * len(heads)
    kind, value = ContradictionKind.CATEGORICAL, heads[0].value
    if isinstance(value, Measure):
        kind = ContradictionKind.DATE if value.is_date else ContradictionKind.NUMERIC
    return Disagreement(
        kind=kind,
        sides=tuple(
            Side(
                claim=side[0].claim.id,
                backing=_list_claim_ids(side)[1:],
                between=tuple(name for name in _list_claim_ids(others) if name not in standing),
                value=side[0].written[:_WRITTEN_LIMIT],
                scope=_describe_scope(side[0]),
            )
            for side, others in zip(division.sides, between, strict=True)
        ),
        about=_describe_values(division.sides),
    )


def _describe_scope(said: Said) -> str:
    """Say what a value is confined to in the words of its claim, then the years that it names."""
    confining = collapse_spaces(said.scope).strip(" ,:()–.")
    years = sorted(find_years(said.claim.quote))
    when = "–".join(dict.fromkeys(str(year) for year in (*years[:1], *years[-1:])))
    told = [confining, *([when] if when not in confining else [])]
    return ", ".join(filter(None, told))[:_WRITTEN_LIMIT]


def _describe_values(sides: Sequence[Sequence[Said]]) -> str:
    """Say what differs: each side by its range and how many sources state it."""
    heads = [side[0] for side in sides]
    # Of the ways to name the thing, "it" and "iron", the one that names it says more.
    subject = max((head.label.strip() for head in heads), key=len)
    subject = subject[:1].upper() + subject[1:]
    if len(heads) <= _LISTED:
        told = [_describe_side(side) for side in sides]
        if len(told) == 2 and not any(each.endswith(" sources") for each in told):
            text = f"{subject}: {told[0]} in one, {told[1]} in the other"
        else:
            text = f"{subject}: {', '.join(told)}"
    else:
        text = f"{subject}: {len(heads)} values from {heads[0].written} to {heads[-1].written}"
    return shorten(text, _ABOUT_LIMIT)


def _describe_side(side: Sequence[Said]) -> str:
    """Name a side by its range and its sources, and one that a single source makes by its value."""
    ordered = sorted(side, key=lambda said: said.number)
    sources = len({said.claim.source_id for said in side})
    low, high = ordered[0], ordered[-1]
    if sources < 2 or low.number == high.number:
        return side[0].written
    return f"{format_range(low.written, high.written)} in {sources} sources"

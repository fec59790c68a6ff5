"""Recurrence: which contradiction of an earlier run one is again, and what it keeps of it."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import product

from caveat.contracts.contradiction import (
    Contradiction,
    ContradictionState,
    GivenRuling,
    RulingRecord,
)
from caveat.contracts.source import Claim, SourceRef
from caveat.rules.contradictions.choices import PAIR, format_choice, parse_choice
from caveat.rules.contradictions.ladder import settle_by_person
from caveat.rules.contradictions.track_record import identify_speaker, select_current_rulings


def carry_over_settlements(
    contradictions: Sequence[Contradiction],
    earlier: Sequence[Contradiction],
    claims_now: Mapping[str, Claim],
    claims_then: Mapping[str, Claim],
    *,
    is_new_look: bool = False,
) -> tuple[Contradiction, ...]:
    """Keep what an earlier run settled, so that nobody is asked twice.

    A contradiction that is found again keeps its settlement, with the values in the earlier order,
    so that letters keep their meaning. A settlement that is not found again stands while its claims
    do, and comes last. With a new value it is another question. A provisional one stays so, unless
    rules settle it with what the follow-up found. To a new look, what is not found again is not
    there any more, and what has moved is another question.
    """
    settled = [each for each in earlier if not each.is_open]
    renamed = {each.id: _rename_claims(each, claims_now, claims_then) for each in settled}
    known = match_contradictions(contradictions, settled, claims_now, claims_then)
    if is_new_look:
        now = {one.id: one for one in contradictions}
        known = {name: then for name, then in known.items() if is_unmoved(now[name], then)}
        settled = []
    carried = [
        _keep_settlement(one, renamed[known[one.id].id]) if one.id in known else one
        for one in contradictions
    ]
    for each in settled:
        left = renamed[each.id]
        is_found = each in known.values() or any(_are_related(one, left) for one in contradictions)
        if _is_whole(left) and not is_found:
            name = f"contradiction-{len(carried) + 1}"
            carried.append(left.model_copy(update={"id": name}))
    return tuple(carried)


def apply_earlier_ruling(
    contradiction: Contradiction,
    rulings: Sequence[RulingRecord],
    claims: Mapping[str, Claim],
    sources: Mapping[str, SourceRef],
) -> Contradiction:
    """Settle what a person ruled on in an earlier run, so that nobody is asked twice.

    It is the same question if the best statements of all values have the same words, period and
    claimant, and no value is new or missing. Only the last ruling counts, unless it was withdrawn
    or is known to be unsigned.

    Args:
        rulings: people's rulings in any run, oldest first.
    """
    stated = [claims[side.claim] for side in contradiction.sides]
    speakers = [identify_speaker(sources[claim.source_id], claim) for claim in stated]
    now = [(who.id, who.said) for who in speakers]
    for record in reversed(select_current_rulings(rulings)):
        then = [(who.id, who.said) for who in record.claimants]
        if record.signed is False or sorted(now) != sorted(then):
            continue
        upheld = parse_choice(record.choice or "none", len(then))
        choice = format_choice([upheld[then.index(each)] for each in now])
        told = (
            f"{record.decided_by} ruled “{choice}” on {record.decided:%d %B %Y}, in"
            f" {record.run_id}, on the same words: {record.reason}"
        )
        ruling = GivenRuling.model_validate({**dict(record), "choice": choice})
        return settle_by_person(contradiction, ruling, told)
    return contradiction


def is_unmoved(now: Contradiction, then: Contradiction) -> bool:
    # A value that has moved makes it another question, whatever was said about the one before.
    written = [sorted(side.value for side in each.sides) for each in (now, then)]
    return written[0] == written[1] if any(map(any, written)) else now.about == then.about


def match_contradictions(
    contradictions: Sequence[Contradiction],
    earlier: Sequence[Contradiction],
    claims_now: Mapping[str, Claim],
    claims_then: Mapping[str, Claim],
) -> dict[str, Contradiction]:
    # One is when the kind is the same and each of its values shares words with one of the earlier
    # values, each with another one. What speaks for it most clearly is matched first: the same
    # words about what differs, then the same claims, then any claims; what stays ambiguous is new.
    clues: tuple[Callable[[Contradiction, Contradiction], bool], ...] = (
        lambda now, then: now.about == then.about,
        lambda now, then: {*now.claims} == {*then.claims},
        lambda _, __: True,
    )
    renamed = [(each, _rename_claims(each, claims_now, claims_then)) for each in earlier]
    known: dict[str, Contradiction] = {}
    for is_clear in clues:
        pairs = [
            (now.id, each)
            for now, (each, then) in product(contradictions, renamed)
            if now.id not in known and each not in known.values()
            if _is_again(now, then) and is_clear(now, then)
        ]
        ones, others = Counter(name for name, _ in pairs), Counter(each.id for _, each in pairs)
        # What may be either of two is neither: a ruling must not land on another question.
        known |= {one: each for one, each in pairs if ones[one] == others[each.id] == 1}
    return known


def _rename_claims(
    earlier: Contradiction, now: Mapping[str, Claim], then: Mapping[str, Claim]
) -> Contradiction:
    """Give its claims the ids of those of this run that stand in the same place.

    A value of which no claim is left has none.
    """
    names = {claim.place: claim.id for claim in now.values()}

    def list_current_ids(side: Collection[str]) -> list[str]:
        places = [then[name].place for name in side if name in then]
        return [names[place] for place in places if place in names]

    sides = []
    for side in earlier.sides:
        first, *backing = list_current_ids(side.claims) or [""]
        unconfirmed = tuple(list_current_ids(side.unconfirmed))
        update = {"claim": first, "backing": tuple(backing), "unconfirmed": unconfirmed}
        sides.append(side.model_copy(update=update))
    return earlier.model_copy(update={"sides": tuple(sides)})


def _is_whole(earlier: Contradiction) -> bool:
    """Whether each value still has a claim."""
    return all(earlier.claims)


def _is_again(now: Contradiction, earlier: Contradiction) -> bool:
    if now.kind is not earlier.kind or None in _match_sides(now, earlier):
        return False
    return len(now.sides) == len(earlier.sides) or _is_whole(earlier)


def _are_related(now: Contradiction, earlier: Contradiction) -> bool:
    """Whether at least two of the earlier values oppose each other here, too."""
    twins = _match_sides(now, earlier)
    return now.kind is earlier.kind and len(twins) - twins.count(None) >= PAIR


def _keep_settlement(now: Contradiction, earlier: Contradiction) -> Contradiction:
    is_ruled_since = len(now.rulings) > len(earlier.rulings)
    if is_ruled_since or (earlier.state is ContradictionState.PROVISIONAL and not now.is_open):
        return now
    if len(now.sides) < len(earlier.sides):
        return earlier.model_copy(update={"id": now.id})
    twins = _match_sides(now, earlier)
    sides = tuple(now.sides[twins.index(place)] for place in range(len(earlier.sides)))
    update = {"id": now.id, "sides": sides, "affects_answer": now.affects_answer}
    return earlier.model_copy(update=update)


def _match_sides(now: Contradiction, earlier: Contradiction) -> list[int | None]:
    """Match each value with the earlier one that shares most claims, each once."""
    there = [set(side.claims) for side in earlier.sides]
    free = set(range(len(there)))
    twins: list[int | None] = []
    for side in now.sides:
        shared = {place: len(there[place].intersection(side.claims)) for place in sorted(free)}
        twin = max(shared, key=shared.__getitem__, default=None)
        twin = twin if twin is not None and shared[twin] else None
        free.discard(-1 if twin is None else twin)
        twins.append(twin)
    return twins

"""Recurrence: which contradiction of an earlier run one is again, and what it keeps of it."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import (
    Contradiction,
    ContradictionState,
    GivenRuling,
    RulingRecord,
)
from caveat.contracts.source import SourceRef
from caveat.rules.contradictions.choices import PAIR, format_choice, parse_choice
from caveat.rules.contradictions.ladder import settle_by_person
from caveat.rules.contradictions.track_record import identify_speaker, select_current_rulings


def carry_over_settlements(
    contradictions: Sequence[Contradiction],
    earlier: Sequence[Contradiction],
    claims_now: Mapping[str, Claim],
    claims_then: Mapping[str, Claim],
) -> tuple[Contradiction, ...]:
    """Keep what an earlier run settled, so that a follow-up asks nothing twice.

    A contradiction that is found again keeps its settlement, with the values in the earlier order,
    so that letters keep their meaning. A settlement that is not found again stands while its claims
    do, and comes last. With a new value it is another question. A provisional one stays so, unless
    rules settle it with what the follow-up found.
    """
    rest = [each for each in earlier if not each.is_open]
    places = _Places(claims_now, claims_then)
    known = match_contradictions(contradictions, rest, claims_now, claims_then)
    rest = [each for each in rest if each not in known.values()]
    carried = [
        places.keep_settlement(one, known[one.id]) if one.id in known else one
        for one in contradictions
    ]
    unseen = [
        each for each in rest if not any(places.are_related(one, each) for one in contradictions)
    ]
    for moved in filter(None, map(places.rename_claims, unseen)):
        name = f"contradiction-{len(carried) + 1}"
        carried.append(moved.model_copy(update={"id": name}))
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
        given = GivenRuling.model_validate({**dict(record), "choice": choice})
        return settle_by_person(contradiction, given, told)
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
    places = _Places(claims_now, claims_then)
    clues: tuple[Callable[[Contradiction, Contradiction], bool], ...] = (
        lambda now, then: now.about == then.about,
        lambda now, then: (
            _locate_claims(now.claims, claims_now) == _locate_claims(then.claims, claims_then)
        ),
        lambda _, __: True,
    )
    known: dict[str, Contradiction] = {}
    for is_clear in clues:
        pairs = [
            (one.id, other)
            for one, other in product(contradictions, earlier)
            if one.id not in known and other not in known.values()
            if places.match(one, other) and is_clear(one, other)
        ]
        ones, others = Counter(name for name, _ in pairs), Counter(each.id for _, each in pairs)
        # What may be either of two is neither: a ruling must not land on another question.
        known |= {one: each for one, each in pairs if ones[one] == others[each.id] == 1}
    return known


class _Places(NamedTuple):
    """Finds claims of two runs with the same words, by any id."""

    now: Mapping[str, Claim]
    then: Mapping[str, Claim]

    def match(self, now: Contradiction, earlier: Contradiction) -> bool:
        if now.kind is not earlier.kind or None in self._match_sides(now, earlier):
            return False
        whole = len(now.sides) == len(earlier.sides)
        return whole or self.rename_claims(earlier) is not None

    def are_related(self, now: Contradiction, earlier: Contradiction) -> bool:
        """Whether at least two of the earlier values oppose each other here, too."""
        twins = self._match_sides(now, earlier)
        return now.kind is earlier.kind and len(twins) - twins.count(None) >= PAIR

    def keep_settlement(self, now: Contradiction, earlier: Contradiction) -> Contradiction:
        is_ruled_since = len(now.rulings) > len(earlier.rulings)
        if is_ruled_since or (earlier.state is ContradictionState.PROVISIONAL and not now.is_open):
            return now
        if len(now.sides) < len(earlier.sides):
            whole = self.rename_claims(earlier) or earlier
            return whole.model_copy(update={"id": now.id})
        twins = self._match_sides(now, earlier)
        order = [twins.index(place) for place in range(len(earlier.sides))]
        return earlier.model_copy(
            update={
                "id": now.id,
                "sides": tuple(now.sides[place] for place in order),
                "affects_answer": now.affects_answer,
            }
        )

    def rename_claims(self, earlier: Contradiction) -> Contradiction | None:
        """Give an earlier contradiction its current claim ids; None if a value has none left."""
        names = {claim.place: claim.id for claim in self.now.values()}

        def list_current_ids(side: Collection[str]) -> list[str]:
            places = [self.then[name].place for name in side if name in self.then]
            return [names[place] for place in places if place in names]

        sides = [
            side.model_copy(
                update={
                    "claim": left[0],
                    "backing": tuple(left[1:]),
                    "unconfirmed": tuple(list_current_ids(side.unconfirmed)),
                }
            )
            for side in earlier.sides
            if (left := list_current_ids(side.claims))
        ]
        if len(sides) < len(earlier.sides):
            return None
        return earlier.model_copy(update={"sides": tuple(sides)})

    def _match_sides(self, now: Contradiction, earlier: Contradiction) -> list[int | None]:
        """Match each value with the earlier one that shares most words, each once."""
        there = [_locate_claims(side.claims, self.then) for side in earlier.sides]
        free = set(range(len(there)))
        twins: list[int | None] = []
        for side in now.sides:
            here = _locate_claims(side.claims, self.now)
            most = max(sorted(free), key=lambda place: len(here & there[place]), default=None)
            twin = most if most is not None and here & there[most] else None
            free.discard(-1 if twin is None else twin)
            twins.append(twin)
        return twins


def _locate_claims(
    names: Collection[str], claims: Mapping[str, Claim]
) -> set[tuple[str, int, int]]:
    return {claims[name].place for name in names if name in claims}

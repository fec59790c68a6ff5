"""The ladder: how a contradiction is settled, one rung after another.

Evidence, then the track records of the claimants, then a person, then honest uncertainty. A
contradiction is open until a rung settles it; `resolved` and `provisional` are terminal, the first
answer wins, and the steps only grow. The one way on from there is a person's late ruling on a
provisional one. What rules settle never teaches the track record: that is learned from people's
rulings alone, since rules would otherwise confirm themselves.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import (
    Contradiction,
    ContradictionState,
    Disagreement,
    LadderStep,
    Ruling,
    RulingRecord,
    SettledBy,
    Side,
    StatedValue,
)
from caveat.contracts.source import SourceRef
from caveat.rules.choices import canonical, letters
from caveat.rules.claimants import claimant
from caveat.rules.track_record import (
    MINIMUM_RULINGS,
    clearly_better,
    comparable,
    track_record,
)
from caveat.rules.wording import verbatim

CREDIBILITY_GAP = 0.2
"""Credibility must differ by more: publisher, recency or citations add 0.15 at most, and as much
lies between reviewed work and a preprint, so that no single one of them settles anything."""

CLEARLY_MORE = 3
"""Times as many independent sources, hence three against one at least. Two against one may be
chance, or a common origin that nobody sees; among sources that are right seven times in ten, three
against one are right five times as often as the one is."""

RULED = 0.95
"""Confidence in a person's ruling: they looked and gave a reason, and people err as well."""

UNSETTLED = 0.50
"""Confidence where nobody came: either side may hold."""

PAIR = 2
"""Values that are held against each other directly; of more, each against each."""

DECIMALS = 4
"""Differences are rounded before they are compared, so that 0.8 − 0.6 is 0.2."""


class _Finding(NamedTuple):
    """What a rule says of two or more values: which, how surely (0.5 to 1), and in words."""

    winner: int | None
    confidence: float
    reason: str


_A, _B = 0, 1
"""Of two values that are held against each other."""


def opened(disagreements: Sequence[Disagreement]) -> tuple[Contradiction, ...]:
    """Number disagreements in the order of their detection: `contradiction-1`, ..."""
    return tuple(
        Contradiction(id=f"contradiction-{number}", **dict(found))
        for number, found in enumerate(disagreements, start=1)
    )


def sides(
    contradiction: Contradiction,
    claims: Mapping[str, Claim],
    sources: Mapping[str, SourceRef],
    rulings: Sequence[RulingRecord],
) -> tuple[Side, ...]:
    """Gather what speaks for each value, `a` first.

    Args:
        contradiction: which.
        claims: every claim of the run by id.
        sources: their sources by id.
        rulings: people's rulings on the claimants, in any run.

    Raises:
        KeyError: a claim or its source is missing.
    """
    stated = contradiction.values or (None,) * len(contradiction.claims)
    return tuple(
        _side([claims[name] for name in names], value, sources, rulings)
        for names, value in zip(members(contradiction), stated, strict=True)
    )


def _side(
    claims: Sequence[Claim],
    value: StatedValue | None,
    sources: Mapping[str, SourceRef],
    rulings: Sequence[RulingRecord],
) -> Side:
    best = claims[0]
    source = sources[best.source_id]
    return Side(
        claim=best,
        value=value,
        source=source,
        corroboration=_voices(claims),
        track_record=track_record(claimant(source).id, rulings),
    )


def _voices(claims: Sequence[Claim]) -> int:
    """Count independent sources: the same words in two of them are one voice."""
    words = {verbatim(claim.quote) for claim in claims}
    return min(len({claim.source_id for claim in claims}), len(words))


def by_evidence(contradiction: Contradiction, sides: Sequence[Side], at: datetime) -> Contradiction:
    """First rung: the clearly more credible side, else the one that clearly more sources state.

    Of more than two values one must be favoured so against each of the others. Where credibility
    clearly favours one of two and corroboration the other, neither is settled. Confidence is 0.5
    and half the gap of credibility, or the share of the sources of both that the side has,
    whichever is more of those that favour it; of more than two, the least that it has against any.

    Args:
        contradiction: a settled one is returned as it is: the first answer wins.
        sides: as `sides` gathers them.
        at: now, UTC.
    """
    return _tried(contradiction, SettledBy.EVIDENCE, _against_each(sides, _evidence), at)


def by_track_record(
    contradiction: Contradiction, sides: Sequence[Side], at: datetime
) -> Contradiction:
    """Second rung: the claimant that people upheld clearly more often, than each of the others.

    Confidence is low / (low + high), the odds of the two where their intervals come nearest: the
    low end of the better one, the high end of the other (Luce's choice rule).

    Args:
        contradiction: a settled one is returned as it is: the first answer wins.
        sides: as `sides` gathers them.
        at: now, UTC.
    """
    return _tried(contradiction, SettledBy.TRACK_RECORD, _against_each(sides, _track_records), at)


def ruled(contradiction: Contradiction, ruling: Ruling, at: datetime) -> Contradiction:
    """Third rung: a person rules.

    Args:
        contradiction: still open.
        ruling: theirs, their reason with it.
        at: now, UTC.

    Raises:
        ValueError: it is settled, or the ruling names a value that it does not have.
    """
    if not contradiction.is_open:
        raise ValueError(f"{contradiction.id} is settled: the first answer wins")
    return _ruled(contradiction, ruling, at)


def ruled_late(contradiction: Contradiction, ruling: Ruling, at: datetime) -> Contradiction:
    """A person rules after the time was up; what was tried before stays on record.

    Args:
        contradiction: provisional, of an earlier run.
        ruling: theirs, their reason with it.
        at: now, UTC.

    Raises:
        ValueError: it is resolved, or still open and waits for a ruling in time, or the ruling
            names a value that it does not have.
    """
    if contradiction.state is not ContradictionState.PROVISIONAL:
        raise ValueError(f"{contradiction.id} is {contradiction.state}, not provisional")
    return _ruled(contradiction, ruling, at)


def provisional(contradiction: Contradiction, at: datetime) -> Contradiction:
    """Last rung: nobody could say, so every value is uncertain and none is used.

    Args:
        contradiction: still open.
        at: now, UTC.

    Raises:
        ValueError: it is settled.
    """
    if not contradiction.is_open:
        raise ValueError(f"{contradiction.id} is settled: the first answer wins")
    reason = _nobody(contradiction)
    return contradiction.model_copy(
        update={
            "state": ContradictionState.PROVISIONAL,
            "settled_by": SettledBy.PROVISIONAL_UNCERTAINTY,
            "reason": reason,
            "decided": at,
            "confidence": UNSETTLED,
            "requires_human_review": True,
            "steps": (
                *contradiction.steps,
                LadderStep(rung=SettledBy.PERSON, settled=False, reason=reason),
                LadderStep(
                    rung=SettledBy.PROVISIONAL_UNCERTAINTY,
                    settled=True,
                    reason=unused(len(contradiction.claims)),
                ),
            ),
        }
    )


def carried_over(
    found: Sequence[Contradiction],
    earlier: Sequence[Contradiction],
    claims_now: Mapping[str, Claim],
    claims_then: Mapping[str, Claim],
) -> tuple[Contradiction, ...]:
    """Keep what an earlier run settled, so that a follow-up asks nobody twice.

    The same contradiction is found again when the kind is the same and each of its values shares
    words with one of the earlier values, each with another one. What speaks for it most clearly is
    matched first: the same words about what differs, then the same claims, then any claims; what
    stays ambiguous is new. It keeps the whole settlement of the earlier run, with the values in the
    earlier order, so that letters and reasons go on to mean what they meant, under its new id. An
    earlier settlement that is not found again, or with fewer values, stands all the same while its
    claims do, since it was not withdrawn; what is found nowhere comes last.

    A value that nobody knew then makes it another question: who chose among two said nothing about
    a third. Such a contradiction is asked anew, and its first step says what was ruled before.

    A provisional one is kept as it is and nobody waits for it again: a late ruling still settles
    it. Only where the rules have settled it by now, with what the follow-up found, does that count.
    One that was still open then is asked anew.

    Args:
        found: contradictions of this run, before or after the rules were tried.
        earlier: those of the earlier run.
        claims_now: claims of this run by id.
        claims_then: claims of the earlier run by id.
    """
    rest = [each for each in earlier if not each.is_open]
    places = _Places(claims_now, claims_then)
    kept: dict[str, Contradiction] = {}
    for alike in (places.same_difference, places.same_claims, places.match):
        for one, other in _pairs([each for each in found if each.id not in kept], rest, alike):
            kept[one.id] = _kept(one, other, places)
            rest.remove(other)
    grown = {one.id: other for one in found for other in rest if places.grown(one, other)}
    unseen = [each for each in rest if not any(places.related(one, each) for one in found)]
    renamed = [moved for each in unseen if (moved := places.renamed(each)) is not None]
    return (
        *(kept.get(one.id) or _asked_anew(one, grown.get(one.id)) for one in found),
        *(
            moved.model_copy(update={"id": f"contradiction-{number}"})
            for number, moved in enumerate(renamed, start=len(found) + 1)
        ),
    )


def _pairs(
    found: Sequence[Contradiction],
    earlier: Sequence[Contradiction],
    alike: Callable[[Contradiction, Contradiction], bool],
) -> list[tuple[Contradiction, Contradiction]]:
    """Pair what is alike and like nothing else: a ruling must not land on another question."""
    pairs = [(one, other) for one in found for other in earlier if alike(one, other)]
    ones = Counter(one.id for one, _ in pairs)
    others = Counter(other.id for _, other in pairs)
    return [pair for pair in pairs if ones[pair[0].id] == others[pair[1].id] == 1]


class _Places(NamedTuple):
    """Finds claims of two runs that are the same words, whatever their ids are."""

    now: Mapping[str, Claim]
    then: Mapping[str, Claim]

    def same_difference(self, found: Contradiction, earlier: Contradiction) -> bool:
        """Whether they are alike and differ in the same thing, word for word."""
        return found.about == earlier.about and self.match(found, earlier)

    def same_claims(self, found: Contradiction, earlier: Contradiction) -> bool:
        """Whether they are alike and the same claims stand for the values."""
        here, there = _words(found.claims, self.now), _words(earlier.claims, self.then)
        return here == there and self.match(found, earlier)

    def match(self, found: Contradiction, earlier: Contradiction) -> bool:
        """Whether they may be the same contradiction, in any order of its values."""
        if found.kind is not earlier.kind or None in self._twins(found, earlier):
            return False
        whole = len(found.claims) == len(earlier.claims)
        return whole or self.renamed(earlier) is not None

    def grown(self, found: Contradiction, earlier: Contradiction) -> bool:
        """Whether it is an earlier contradiction with values that nobody knew then."""
        return None in self._twins(found, earlier) and self.related(found, earlier)

    def related(self, found: Contradiction, earlier: Contradiction) -> bool:
        """Whether two of the earlier values at least stand against each other here, too."""
        twins = self._twins(found, earlier)
        return found.kind is earlier.kind and len(twins) - twins.count(None) >= PAIR

    def settled_as(self, found: Contradiction, earlier: Contradiction) -> Contradiction:
        """Give what is found the earlier settlement, with the values in the earlier order."""
        if len(found.claims) < len(earlier.claims):
            whole = self.renamed(earlier) or earlier
            return whole.model_copy(update={"id": found.id})
        twins = self._twins(found, earlier)
        order = [twins.index(place) for place in range(len(earlier.claims))]
        now = reordered(found, order)
        return earlier.model_copy(
            update={
                "id": now.id, "claims": now.claims, "backing": now.backing, "values": now.values,
            }
        )  # fmt: skip

    def renamed(self, earlier: Contradiction) -> Contradiction | None:
        """Name the claims of an earlier contradiction as now; None when a value has none left."""
        names = {_place(claim): claim.id for claim in self.now.values()}
        left = [
            [
                names[_place(self.then[name])]
                for name in side
                if name in self.then and _place(self.then[name]) in names
            ]
            for side in members(earlier)
        ]
        if not all(left):
            return None
        return earlier.model_copy(
            update={
                "claims": tuple(side[0] for side in left),
                "backing": tuple(tuple(side[1:]) for side in left),
            }
        )

    def _twins(self, found: Contradiction, earlier: Contradiction) -> list[int | None]:
        """Find for each value the earlier one that shares most words with it, each of them once."""
        there = [_words(side, self.then) for side in members(earlier)]
        free = set(range(len(there)))
        twins: list[int | None] = []
        for side in members(found):
            here = _words(side, self.now)
            most = max(sorted(free), key=lambda place: len(here & there[place]), default=None)
            twin = most if most is not None and here & there[most] else None
            free.discard(-1 if twin is None else twin)
            twins.append(twin)
        return twins


def members(contradiction: Disagreement) -> tuple[tuple[str, ...], ...]:
    """Return the ids of the claims of each value, the one that states it best first."""
    return tuple(
        (best, *backing)
        for best, backing in zip(contradiction.claims, contradiction.backing, strict=True)
    )


def reordered(contradiction: Contradiction, order: Sequence[int]) -> Contradiction:
    """Put the values of an open contradiction in another order; it says the same."""
    return contradiction.model_copy(
        update={
            name: tuple(entries[place] for place in order) if entries else ()
            for name, entries in (
                ("claims", contradiction.claims),
                ("backing", contradiction.backing),
                ("values", contradiction.values),
            )
        }
    )


def unused(values: int) -> str:
    """Say what becomes of values that nobody can choose among."""
    if values == PAIR:
        return "both claims are uncertain and neither is used"
    return f"all {values} values are uncertain and none is used"


def _words(names: Collection[str], claims: Mapping[str, Claim]) -> set[tuple[str, int, int]]:
    return {_place(claims[name]) for name in names if name in claims}


def _place(claim: Claim) -> tuple[str, int, int]:
    return claim.source_id, claim.start, claim.end


def _kept(found: Contradiction, earlier: Contradiction, places: _Places) -> Contradiction:
    if earlier.state is ContradictionState.PROVISIONAL and not found.is_open:
        return found
    return places.settled_as(found, earlier)


def _asked_anew(found: Contradiction, earlier: Contradiction | None) -> Contradiction:
    """Tell whoever is asked what was ruled when fewer values were known."""
    if earlier is None or earlier.settled_by is not SettledBy.PERSON or not found.is_open:
        return found
    reason = (
        f"{earlier.decided_by} ruled “{earlier.ruling}” when {len(earlier.claims)} of the"
        f" {len(found.claims)} values were known: {earlier.reason}"
    )
    step = LadderStep(rung=SettledBy.PERSON, settled=False, reason=reason)
    return found.model_copy(update={"steps": (*found.steps, step)})


def _tried(
    contradiction: Contradiction, rung: SettledBy, finding: _Finding, at: datetime
) -> Contradiction:
    if not contradiction.is_open:
        return contradiction
    step = LadderStep(rung=rung, settled=finding.winner is not None, reason=finding.reason)
    steps = (*contradiction.steps, step)
    if finding.winner is None:
        return contradiction.model_copy(update={"steps": steps})
    return contradiction.model_copy(
        update={
            "state": ContradictionState.RESOLVED,
            "settled_by": rung,
            "ruling": letters(len(contradiction.claims))[finding.winner],
            "reason": finding.reason,
            "decided": at,
            "confidence": round(finding.confidence, DECIMALS),
            "steps": steps,
        }
    )


def _ruled(contradiction: Contradiction, ruling: Ruling, at: datetime) -> Contradiction:
    choice = canonical(ruling.ruling, len(contradiction.claims))
    reason = f"{ruling.decided_by} ruled “{choice}”: {ruling.reason}"
    step = LadderStep(rung=SettledBy.PERSON, settled=True, reason=reason)
    return contradiction.model_copy(
        update={
            "state": ContradictionState.RESOLVED,
            "settled_by": SettledBy.PERSON,
            "ruling": choice,
            "reason": ruling.reason,
            "decided_by": ruling.decided_by,
            "decided": at,
            "confidence": RULED,
            "requires_human_review": False,
            "steps": (*contradiction.steps, step),
        }
    )


def _nobody(contradiction: Contradiction) -> str:
    if contradiction.deadline is None:
        return "nobody was asked"
    return f"nobody ruled before {contradiction.deadline:%Y-%m-%d %H:%M} UTC"


def _against_each(sides: Sequence[Side], rule: Callable[[Side, Side], _Finding]) -> _Finding:
    """Look for the value that a rule favours against each of the others."""
    if len(sides) == PAIR:
        return rule(*sides)
    names = letters(len(sides))
    duels = {
        one: {other: rule(sides[one], sides[other]) for other in range(len(sides)) if other != one}
        for one in range(len(sides))
    }
    won = {
        one: [other for other, found in held.items() if found.winner == _A]
        for one, held in duels.items()
    }
    first = max(won, key=lambda one: len(won[one]))
    duel, others = duels[first], len(sides) - 1
    hardest = min(duel, key=lambda other: (duel[other].winner == _A, duel[other].confidence))
    nearest = f"{names[first]} and {names[hardest]}: {duel[hardest].reason}"
    if len(won[first]) == others:
        reason = f"{names[first]} is clearly ahead of each of the {others} others; {nearest}"
        return _Finding(first, duel[hardest].confidence, reason)
    count = len(won[first])
    ahead = f"{names[first]} is ahead of {count} of {others}; " if count else ""
    reason = f"no value is clearly ahead of each of the others; {ahead}{nearest}"
    return _Finding(None, UNSETTLED, reason)


def _evidence(a: Side, b: Side) -> _Finding:
    gap = round(a.claim.credibility - b.claim.credibility, DECIMALS)
    credible = _favoured(a=gap > CREDIBILITY_GAP, b=-gap > CREDIBILITY_GAP)
    stated = _favoured(
        a=a.corroboration >= CLEARLY_MORE * b.corroboration,
        b=b.corroboration >= CLEARLY_MORE * a.corroboration,
    )
    numbers = (
        f"credibility {a.claim.credibility:.2f} against {b.claim.credibility:.2f},"
        f" {a.corroboration} {'source' if a.corroboration == 1 else 'sources'}"
        f" against {b.corroboration}"
    )
    if credible is None and stated is None:
        return _Finding(None, UNSETTLED, f"{numbers}: no clear difference")
    if None not in (credible, stated) and credible != stated:
        return _Finding(None, UNSETTLED, f"{numbers}: they point to opposite sides")
    most = max(a.corroboration, b.corroboration) / (a.corroboration + b.corroboration)
    sure = max(
        UNSETTLED if credible is None else 0.5 + abs(gap) / 2,
        UNSETTLED if stated is None else most,
    )
    return _Finding(stated if credible is None else credible, sure, numbers)


def _track_records(a: Side, b: Side) -> _Finding:
    one, other = a.track_record, b.track_record
    if claimant(a.source).id == claimant(b.source).id:
        return _Finding(None, UNSETTLED, f"both claims are of {claimant(a.source).id}")
    numbers = (
        f"upheld in {one.upheld} of {one.ruled} rulings against {other.upheld} of {other.ruled}"
    )
    if not comparable(one, other):
        few = f"{numbers}: fewer than {MINIMUM_RULINGS} rulings on a side say too little"
        return _Finding(None, UNSETTLED, few)
    winner = _favoured(a=clearly_better(one, other), b=clearly_better(other, one))
    if winner is None:
        return _Finding(None, UNSETTLED, f"{numbers}: no clear margin")
    low, high = max(one.low, other.low), min(one.high, other.high)
    return _Finding(winner, low / (low + high), numbers)


def _favoured(*, a: bool, b: bool) -> int | None:
    if a:
        return _A
    return _B if b else None

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
    RulingChoice,
    RulingRecord,
    SettledBy,
    Side,
)
from caveat.contracts.source import SourceRef
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

DECIMALS = 4
"""Differences are rounded before they are compared, so that 0.8 − 0.6 is 0.2."""


class _Finding(NamedTuple):
    """What a rule says: which side, how surely (0.5 to 1), and in words."""

    choice: RulingChoice | None
    confidence: float
    reason: str


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
) -> tuple[Side, Side]:
    """Gather what speaks for each side, `a` first.

    Args:
        contradiction: which.
        claims: every claim of the run by id.
        sources: their sources by id.
        rulings: people's rulings on the claimants, in any run.

    Raises:
        KeyError: a claim or its source is missing.
    """
    a, b = (
        _side([claims[name] for name in (best, *backing)], sources, rulings)
        for best, backing in zip(contradiction.claims, contradiction.backing, strict=True)
    )
    return a, b


def _side(
    claims: Sequence[Claim], sources: Mapping[str, SourceRef], rulings: Sequence[RulingRecord]
) -> Side:
    best = claims[0]
    source = sources[best.source_id]
    return Side(
        claim=best,
        source=source,
        corroboration=_voices(claims),
        track_record=track_record(claimant(source).id, rulings),
    )


def _voices(claims: Sequence[Claim]) -> int:
    """Count independent sources: the same words in two of them are one voice."""
    words = {verbatim(claim.quote) for claim in claims}
    return min(len({claim.source_id for claim in claims}), len(words))


def by_evidence(
    contradiction: Contradiction, sides: tuple[Side, Side], at: datetime
) -> Contradiction:
    """First rung: the clearly more credible side, else the one that clearly more sources state.

    Where credibility clearly favours one side and corroboration the other, neither is settled.
    Confidence is 0.5 and half the gap of credibility, or the share of the sources that the side
    has, whichever is more of those that favour it.

    Args:
        contradiction: a settled one is returned as it is: the first answer wins.
        sides: as `sides` gathers them.
        at: now, UTC.
    """
    return _tried(contradiction, SettledBy.EVIDENCE, _evidence(*sides), at)


def by_track_record(
    contradiction: Contradiction, sides: tuple[Side, Side], at: datetime
) -> Contradiction:
    """Second rung: the claimant that people upheld clearly more often.

    Confidence is low / (low + high), the odds of the two where their intervals come nearest: the
    low end of the better one, the high end of the other (Luce's choice rule).

    Args:
        contradiction: a settled one is returned as it is: the first answer wins.
        sides: as `sides` gathers them.
        at: now, UTC.
    """
    return _tried(contradiction, SettledBy.TRACK_RECORD, _track_records(*sides), at)


def ruled(contradiction: Contradiction, ruling: Ruling, at: datetime) -> Contradiction:
    """Third rung: a person rules.

    Args:
        contradiction: still open.
        ruling: theirs, their reason with it.
        at: now, UTC.

    Raises:
        ValueError: it is settled.
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
        ValueError: it is resolved, or still open and waits for a ruling in time.
    """
    if contradiction.state is not ContradictionState.PROVISIONAL:
        raise ValueError(f"{contradiction.id} is {contradiction.state}, not provisional")
    return _ruled(contradiction, ruling, at)


def provisional(contradiction: Contradiction, at: datetime) -> Contradiction:
    """Last rung: nobody could say, so both claims are uncertain and neither is used.

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
                    reason="both claims are uncertain and neither is used",
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

    The same contradiction is found again when the kind is the same and each side shares words with
    a side of the earlier one. What speaks for it most clearly is matched first: the same words
    about what differs, then the same two claims, then any claims; what stays ambiguous is new. It
    keeps the whole settlement of the earlier run, with the sides in the earlier order, so that
    ruling and reasons go on to mean what they meant, under its new id. An earlier settlement that
    is not found again stands all the same while its claims do, since it was not withdrawn; it
    comes last.

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
    unseen = [each for each in rest if not any(places.match(one, each) for one in found)]
    renamed = [moved for each in unseen if (moved := places.renamed(each)) is not None]
    return (
        *(kept.get(one.id, one) for one in found),
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
        """Whether they are alike and the same two claims stand for the sides."""
        here, there = _words(found.claims, self.now), _words(earlier.claims, self.then)
        return here == there and self.match(found, earlier)

    def match(self, found: Contradiction, earlier: Contradiction) -> bool:
        """Whether they may be the same contradiction, in either order of its sides."""
        return found.kind is earlier.kind and (
            self._aligned(found, earlier) or self._aligned(turned(found), earlier)
        )

    def oriented(self, found: Contradiction, earlier: Contradiction) -> Contradiction:
        """Order the sides as in the earlier run."""
        return found if self._aligned(found, earlier) else turned(found)

    def renamed(self, earlier: Contradiction) -> Contradiction | None:
        """Name the claims of an earlier contradiction as now; None when a side has none left."""
        names = {_place(claim): claim.id for claim in self.now.values()}
        a, b = (
            [
                names[_place(self.then[name])]
                for name in side
                if name in self.then and _place(self.then[name]) in names
            ]
            for side in members(earlier)
        )
        if not a or not b:
            return None
        return earlier.model_copy(
            update={"claims": (a[0], b[0]), "backing": (tuple(a[1:]), tuple(b[1:]))}
        )

    def _aligned(self, found: Contradiction, earlier: Contradiction) -> bool:
        return all(
            _words(here, self.now) & _words(there, self.then)
            for here, there in zip(members(found), members(earlier), strict=True)
        )


def members(contradiction: Disagreement) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ids of the claims of each side, the one that states it best first."""
    (a, b), (backing_a, backing_b) = contradiction.claims, contradiction.backing
    return (a, *backing_a), (b, *backing_b)


def turned(contradiction: Contradiction) -> Contradiction:
    """Swap the sides of an open contradiction; it says the same."""
    return contradiction.model_copy(
        update={"claims": contradiction.claims[::-1], "backing": contradiction.backing[::-1]}
    )


def _words(names: Collection[str], claims: Mapping[str, Claim]) -> set[tuple[str, int, int]]:
    return {_place(claims[name]) for name in names if name in claims}


def _place(claim: Claim) -> tuple[str, int, int]:
    return claim.source_id, claim.start, claim.end


def _kept(found: Contradiction, earlier: Contradiction, places: _Places) -> Contradiction:
    if earlier.state is ContradictionState.PROVISIONAL and not found.is_open:
        return found
    oriented = places.oriented(found, earlier)
    return earlier.model_copy(
        update={"id": found.id, "claims": oriented.claims, "backing": oriented.backing}
    )


def _tried(
    contradiction: Contradiction, rung: SettledBy, finding: _Finding, at: datetime
) -> Contradiction:
    if not contradiction.is_open:
        return contradiction
    settled = finding.choice is not None
    step = LadderStep(rung=rung, settled=settled, reason=finding.reason)
    steps = (*contradiction.steps, step)
    if not settled:
        return contradiction.model_copy(update={"steps": steps})
    return contradiction.model_copy(
        update={
            "state": ContradictionState.RESOLVED,
            "settled_by": rung,
            "ruling": finding.choice,
            "reason": finding.reason,
            "decided": at,
            "confidence": round(finding.confidence, DECIMALS),
            "steps": steps,
        }
    )


def _ruled(contradiction: Contradiction, ruling: Ruling, at: datetime) -> Contradiction:
    reason = f"{ruling.decided_by} ruled “{ruling.ruling}”: {ruling.reason}"
    step = LadderStep(rung=SettledBy.PERSON, settled=True, reason=reason)
    return contradiction.model_copy(
        update={
            "state": ContradictionState.RESOLVED,
            "settled_by": SettledBy.PERSON,
            "ruling": ruling.ruling,
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
    if None not in (credible, stated) and credible is not stated:
        return _Finding(None, UNSETTLED, f"{numbers}: they point to opposite sides")
    most = max(a.corroboration, b.corroboration) / (a.corroboration + b.corroboration)
    sure = max(
        0.5 + abs(gap) / 2 if credible else UNSETTLED,
        most if stated else UNSETTLED,
    )
    return _Finding(credible or stated, sure, numbers)


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
    choice = _favoured(a=clearly_better(one, other), b=clearly_better(other, one))
    if choice is None:
        return _Finding(None, UNSETTLED, f"{numbers}: no clear margin")
    low, high = max(one.low, other.low), min(one.high, other.high)
    return _Finding(choice, low / (low + high), numbers)


def _favoured(*, a: bool, b: bool) -> RulingChoice | None:
    if a:
        return RulingChoice.A
    return RulingChoice.B if b else None

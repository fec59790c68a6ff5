"""The ladder: how a contradiction is settled, one rung after another.

Evidence, then the track records of the claimants, then a person, then honest uncertainty. A
contradiction is open until a rung settles it; `resolved` and `provisional` are terminal, the first
answer wins, and the steps only grow. The one way on from there is a person's: a late ruling on a
provisional one, or a change of what a person ruled. What rules settle never teaches the track
record: that is learned from people's rulings alone, since rules would otherwise confirm themselves.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import combinations, islice, permutations
from typing import NamedTuple

from caveat.contracts.contradiction import (
    Backing,
    Contradiction,
    ContradictionState,
    Disagreement,
    GivenRuling,
    LadderStep,
    Ruling,
    RulingRecord,
    SettledBy,
    Side,
    SideEvidence,
    Withdrawal,
)
from caveat.contracts.source import Claim, SourceRef
from caveat.rules.contradictions.choices import (
    PAIR,
    describe_unused_values,
    format_choice,
    list_letters,
    normalise_choice,
)
from caveat.rules.contradictions.track_record import (
    MINIMUM_RULINGS,
    compute_track_record,
    have_enough_rulings,
    identify_claimant,
    is_clearly_better,
)
from caveat.rules.lines import join_names
from caveat.rules.sentences.hints import is_reported
from caveat.rules.sources.credibility import compute_checked_score
from caveat.rules.sources.identity import are_editions, find_publisher, find_version, index_voices
from caveat.rules.text.wording import normalise_typography

CREDIBILITY_GAP = 0.2
"""Credibility must differ by more: publisher, recency or citations add 0.15 at most, and as much
lies between reviewed work and a preprint, so that no single one of them settles anything."""

CLEARLY_MORE = 3
"""Times as many independent sources, hence three against one at least. Two against one may be
chance, or a common origin that nobody sees; among sources that are right seven times in ten, three
against one are right five times as often as the one is."""

COMPATIBLE = 0.80
"""Confidence that values of several scopes or editions are all true: most are, each in its own."""

RULED = 0.95
"""Confidence in a person's ruling: they looked and gave a reason, and people err as well."""

UNSETTLED = 0.50
"""Confidence where nobody came: either side may hold."""

NAMED, QUOTED = 5, 300
"""Further sources shown for a value, and characters of each."""

DECIMALS = 4
"""Differences are rounded before they are compared, so that 0.8 − 0.6 is 0.2."""


class _Finding(NamedTuple):
    """A rule's result: the winner, its confidence (0.5 to 1), and the reason."""

    winner: int | None
    confidence: float
    reason: str


_A, _B = 0, 1
"""Of two values that are held against each other."""


def number_contradictions(
    disagreements: Sequence[Disagreement], after: Collection[str] = ()
) -> tuple[Contradiction, ...]:
    """Number disagreements in order of detection, behind others: `contradiction-1`, ..."""
    last = max((int(each.rpartition("-")[2]) for each in after), default=0)
    return tuple(
        Contradiction(id=f"contradiction-{number}", **dict(disagreement))
        for number, disagreement in enumerate(disagreements, start=1 + last)
    )


def gather_evidence(
    contradiction: Contradiction,
    claims: Mapping[str, Claim],
    sources: Mapping[str, SourceRef],
    rulings: Sequence[RulingRecord],
) -> tuple[SideEvidence, ...]:
    """Gather the evidence for each value, `a` first.

    Raises:
        KeyError: a claim or its source is missing.
    """
    stating = [[claims[name] for name in side.claims] for side in contradiction.sides]
    times = Counter(name for each in stating for name in {claim.source_id for claim in each})
    both = frozenset(name for name, count in times.items() if count > 1)
    return tuple(
        _gather_side_evidence(side, stated, sources, rulings, both)
        for side, stated in zip(contradiction.sides, stating, strict=True)
    )


def _gather_side_evidence(
    side: Side,
    claims: Sequence[Claim],
    sources: Mapping[str, SourceRef],
    rulings: Sequence[RulingRecord],
    both: Collection[str],
) -> SideEvidence:
    """Gather the evidence for one value; a source on both sides backs neither."""
    best = claims[0]
    source = sources[best.source_id]
    return SideEvidence(
        claim=best,
        value=side.value,
        scope=side.scope,
        source=source,
        credibility=compute_checked_score(source, best.credibility),
        corroboration=max(
            1, _count_independent([c for c in claims if c.source_id not in both], sources)
        ),
        track_record=compute_track_record(identify_claimant(source).id, rulings),
        backing=tuple(islice(_list_backing(claims, sources), NAMED)),
    )


def _list_backing(claims: Sequence[Claim], sources: Mapping[str, SourceRef]) -> Iterator[Backing]:
    """Name the other sources than that of the first claim, each with its first claim."""
    named = {claims[0].source_id}
    for claim in claims[1:]:
        if claim.source_id not in named:
            named.add(claim.source_id)
            source = sources[claim.source_id]
            year = source.published.year if source.published else None
            yield Backing(source=source.title, year=year, quote=claim.quote[:QUOTED])


def _count_independent(claims: Sequence[Claim], sources: Mapping[str, SourceRef]) -> int:
    """Count independent sources: the same words are one voice, too."""
    # All of whom nobody knows who wrote or published them are one voice: they may be of one owner.
    # A report of what another one says does not count: all may know it from that one.
    claims = [claim for claim in claims if not is_reported(claim.quote)]
    words = {normalise_typography(claim.quote) for claim in claims}
    known = (sources[name] for name in dict.fromkeys(claim.source_id for claim in claims))
    owned = [
        each if each.authors or find_publisher(each) else each.model_copy(update={"authors": ("",)})
        for each in known
    ]
    return min(len({*index_voices(owned).values()}), len(words))


def settle_by_evidence(
    contradiction: Contradiction, sides: Sequence[SideEvidence], at: datetime
) -> Contradiction:
    """First rung: the side with clearly more credibility or sources.

    A value must be ahead of each other one; where credibility favours one and corroboration
    another, nothing is settled. Confidence is 0.5 plus half the gap of credibility, or the side's
    share of both sides' sources, whichever is larger; of more than two values the lowest. What is
    settled stays: the first answer wins.
    """
    return _settle_by_rule(contradiction, SettledBy.EVIDENCE, _compare_evidence, sides, at)


def settle_compatible(
    contradiction: Contradiction, sides: Sequence[SideEvidence], at: datetime
) -> Contradiction:
    """Before all rungs: open values that can all be true hold, each in its scope or edition."""
    if not contradiction.is_open:
        return contradiction
    reason = "a second look at its quotes found that all its values can be true"
    if not contradiction.are_compatible:
        pairs = combinations([side.source for side in sides], PAIR)
        is_voiced_once = all(side.corroboration == 1 for side in sides)
        if not is_voiced_once or not all(are_editions(*pair) for pair in pairs):
            return contradiction
        versions = join_names([find_version(side.source) for side in sides])
        reason = f"each value is of an edition of one document ({versions})"
    held = contradiction.model_copy(update={"are_compatible": True})
    ruling = format_choice([True] * len(sides))
    return _settle(held, SettledBy.EVIDENCE, reason, at, COMPATIBLE, ruling=ruling)


def settle_by_track_record(
    contradiction: Contradiction, sides: Sequence[SideEvidence], at: datetime
) -> Contradiction:
    """Second rung: the claimant whom people upheld clearly more often than each other one.

    Confidence is low / (low + high): the low end of the better interval and the high end of the
    other (Luce's choice rule). What is settled stays.
    """
    rung = SettledBy.TRACK_RECORD
    return _settle_by_rule(contradiction, rung, _compare_track_records, sides, at)


def apply_ruling(contradiction: Contradiction, answer: Withdrawal, at: datetime) -> Contradiction:
    """Third rung: apply a person's ruling, change or withdrawal, in time or late."""
    choice = answer.ruling if isinstance(answer, Ruling) else None
    facts = {"choice": choice, "reason": answer.reason, "decided_by": answer.decided_by}
    return apply_given_ruling(contradiction, GivenRuling.model_validate({**facts, "decided": at}))


def apply_given_ruling(contradiction: Contradiction, given: GivenRuling) -> Contradiction:
    """Apply a ruling as it is kept.

    A withdrawn ruling puts all values back against each other, for a person's review.

    Raises:
        ValueError: rules settled it, there is no ruling to withdraw, or the value is unknown.
    """
    before, who = contradiction.ruling, contradiction.decided_by
    is_settled = contradiction.state is ContradictionState.RESOLVED
    if who is None and is_settled and not contradiction.are_compatible:
        raise ValueError(f"{contradiction.id} was settled by a rule, not by a ruling")
    choice, by, why = given.choice, given.decided_by, given.reason
    if choice is not None:
        choice = normalise_choice(choice, len(contradiction.sides))
    given = GivenRuling.model_validate({**dict(given), "choice": choice, "run_id": None})
    if choice is not None:
        had = "" if who is None else f"{who} had ruled “{before}”, and "
        return settle_by_person(contradiction, given, f"{had}{by} ruled “{choice}”: {why}")
    if who is None:
        raise ValueError(f"{contradiction.id} has no ruling that could be withdrawn")
    reason = f"{by} withdrew the ruling “{before}” of {who}: {why}"
    stands = "all values stand again, until a person rules anew"
    return _leave_unsettled(contradiction, reason, stands, given.decided).model_copy(
        update={
            "ruling": None,
            "decided_by": None,
            "signed": given.signed,
            "rulings": (*contradiction.rulings, given),
        }
    )


def settle_provisionally(contradiction: Contradiction, at: datetime) -> Contradiction:
    """Last rung: every value is uncertain, and none is used.

    Raises:
        ValueError: it is settled.
    """
    if not contradiction.is_open:
        raise ValueError(f"{contradiction.id} is settled: the first answer wins")
    unused, reason = describe_unused_values(len(contradiction.sides)), "nobody was asked"
    if contradiction.deadline is not None:
        reason = f"nobody ruled before {contradiction.deadline:%Y-%m-%d %H:%M} UTC"
    return _leave_unsettled(contradiction, reason, unused, at)


def _leave_unsettled(
    contradiction: Contradiction, reason: str, fate: str, at: datetime
) -> Contradiction:
    tried = LadderStep(rung=SettledBy.PERSON, settled=False, reason=reason)
    left = contradiction.model_copy(update={"steps": (*contradiction.steps, tried)})
    facts = {"state": ContradictionState.PROVISIONAL, "requires_human_review": True}
    rung = SettledBy.PROVISIONAL_UNCERTAINTY
    return _settle(left, rung, reason, at, UNSETTLED, fate, **facts)


_Rule = Callable[[SideEvidence, SideEvidence], _Finding]


def _settle_by_rule(
    contradiction: Contradiction,
    rung: SettledBy,
    rule: _Rule,
    sides: Sequence[SideEvidence],
    at: datetime,
) -> Contradiction:
    if not contradiction.is_open:
        return contradiction
    winner, confidence, reason = _find_winner(sides, rule)
    if winner is None:
        step = LadderStep(rung=rung, settled=False, reason=reason)
        return contradiction.model_copy(update={"steps": (*contradiction.steps, step)})
    ruling = list_letters(len(sides))[winner]
    return _settle(contradiction, rung, reason, at, round(confidence, DECIMALS), ruling=ruling)


def settle_by_person(contradiction: Contradiction, given: GivenRuling, told: str) -> Contradiction:
    """Let the values hold that a person upheld, whatever was said before.

    Args:
        told: who ruled and why, as the step has it.
    """
    facts = {
        "ruling": given.choice,
        "decided_by": given.decided_by,
        "requires_human_review": False,
        "signed": given.signed,
        "rulings": (*contradiction.rulings, given),
    }
    rung = SettledBy.PERSON
    return _settle(contradiction, rung, given.reason, given.decided, RULED, told, **facts)


def _settle(
    contradiction: Contradiction,
    rung: SettledBy,
    reason: str,
    at: datetime,
    confidence: float,
    told: str = "",
    **facts: object,
) -> Contradiction:
    """Settle by a rung; `told` is what its step says, where that is not the reason alone."""
    step = LadderStep(rung=rung, settled=True, reason=told or reason)
    update = {
        "state": ContradictionState.RESOLVED,
        "settled_by": rung,
        "reason": reason,
        "decided": at,
        "confidence": confidence,
        "steps": (*contradiction.steps, step),
    }
    return contradiction.model_copy(update=update | facts)


def _find_winner(sides: Sequence[SideEvidence], rule: _Rule) -> _Finding:
    """Find the value that a rule favours against each other one."""
    if len(sides) == PAIR:
        return rule(*sides)
    names = dict(zip(list_letters(len(sides)), sides, strict=True))
    duels: dict[str, list[tuple[bool, float, str, str]]] = defaultdict(list)
    for (one, side), (other, rival) in permutations(names.items(), PAIR):
        finding = rule(side, rival)
        duels[one].append((finding.winner == _A, finding.confidence, other, finding.reason))
    wins = {one: sum(won for won, *_ in held) for one, held in duels.items()}
    first, others = max(wins, key=wins.__getitem__), len(sides) - 1
    is_ahead, confidence, hardest, reason = min(duels[first])
    nearest = f"{first} and {hardest}: {reason}"
    if is_ahead:
        reason = f"{first} is clearly ahead of each of the {others} others; {nearest}"
        return _Finding([*names].index(first), confidence, reason)
    ahead = f"{first} is ahead of {wins[first]} of {others}; " if wins[first] else ""
    reason = f"no value is clearly ahead of each of the others; {ahead}{nearest}"
    return _Finding(None, UNSETTLED, reason)


def _compare_evidence(a: SideEvidence, b: SideEvidence) -> _Finding:
    gap = round(a.credibility - b.credibility, DECIMALS)
    credible = _select_side(a=gap > CREDIBILITY_GAP, b=-gap > CREDIBILITY_GAP)
    stated = _select_side(
        a=a.corroboration >= CLEARLY_MORE * b.corroboration,
        b=b.corroboration >= CLEARLY_MORE * a.corroboration,
    )
    one, other = format_credibility(a), format_credibility(b)
    numbers = (
        f"credibility {one} {'on both sides' if one == other else f'against {other}'},"
        f" {a.corroboration} independent {'source' if a.corroboration == 1 else 'sources'}"
        f" against {b.corroboration}"
    )
    if credible is None and stated is None:
        return _Finding(None, UNSETTLED, f"{numbers}: no clear difference")
    if None not in (credible, stated) and credible != stated:
        return _Finding(None, UNSETTLED, f"{numbers}: they point to opposite sides")
    most = max(a.corroboration, b.corroboration) / (a.corroboration + b.corroboration)
    sure = max(
        UNSETTLED if credible is None else 0.5 + abs(gap) / 2, UNSETTLED if stated is None else most
    )
    return _Finding(stated if credible is None else credible, sure, numbers)


def format_credibility(side: SideEvidence) -> str:
    """Format the credibility that counts, with the document's own word for it."""
    counted, stated = side.credibility, side.claim.credibility
    own = f" ({stated:.2f} by what it says of itself)" if counted < stated else ""
    return f"{counted:.2f}{own}"


def _compare_track_records(a: SideEvidence, b: SideEvidence) -> _Finding:
    one, other = a.track_record, b.track_record
    if identify_claimant(a.source).id == identify_claimant(b.source).id:
        return _Finding(None, UNSETTLED, f"both claims are of {identify_claimant(a.source).id}")
    numbers = (
        f"upheld in {one.upheld} of {one.ruled} rulings against {other.upheld} of {other.ruled}"
    )
    if not have_enough_rulings(one, other):
        few = f"{numbers}: fewer than {MINIMUM_RULINGS} rulings on a side say too little"
        return _Finding(None, UNSETTLED, few)
    winner = _select_side(a=is_clearly_better(one, other), b=is_clearly_better(other, one))
    if winner is None:
        return _Finding(None, UNSETTLED, f"{numbers}: no clear margin")
    low, high = max(one.low, other.low), min(one.high, other.high)
    return _Finding(winner, low / (low + high), numbers)


def _select_side(*, a: bool, b: bool) -> int | None:
    if a:
        return _A
    return _B if b else None

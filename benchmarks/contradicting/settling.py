"""What becomes of what was detected: evidence, track record, a simulated person, uncertainty.

The person is a stand-in that knows the gold values: it rules for the value that is nearer, for both
where the two claims are not about the same thing, and does not come where there is no gold value.
As in a run, everything that one task brings up is asked at once, so a ruling teaches the track
records of the next tasks and not those of its own.
"""

import datetime as dt
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.contradicting.detection import Detected
from benchmarks.contradicting.statements import Sort, Statement
from caveat.contracts.contradiction import (
    Contradiction,
    Ruling,
    RulingChoice,
    RulingRecord,
    SettledBy,
    SideEvidence,
)
from caveat.rules.contradictions.ladder import (
    apply_ruling,
    gather_evidence,
    number_contradictions,
    settle_by_evidence,
    settle_by_track_record,
    settle_provisionally,
)
from caveat.rules.contradictions.track_record import identify_claimant

NOW = dt.datetime(2026, 11, 1, 12, tzinfo=dt.UTC)  # nothing here depends on the hour
Gold = Mapping[tuple[str, str], float]  # the value held to be true, by entity and attribute


@dataclass(frozen=True)
class Settled:
    """A contradiction at its end."""

    detected: Detected  # what it began as
    contradiction: Contradiction  # resolved or provisional


def settled(found: Sequence[Sequence[Detected]], gold: Gold) -> list[Settled]:
    """Take what every task brought up down the ladder, task after task."""
    done: list[Settled] = []
    rulings: list[RulingRecord] = []
    for number, of_task in enumerate(found):
        known = tuple(rulings)
        opening = number_contradictions([each.disagreement for each in of_task])
        for each, contradiction in zip(of_task, opening, strict=True):
            both = _sides(each, contradiction, known)
            tried = settle_by_track_record(settle_by_evidence(contradiction, both, NOW), both, NOW)
            if tried.is_open:
                tried = _heard(tried, oracle(each, gold))
            if tried.settled_by is SettledBy.PERSON:
                rulings.append(_record(tried, both, number))
            done.append(Settled(each, tried))
    return done


def _sides(
    each: Detected, contradiction: Contradiction, rulings: Sequence[RulingRecord]
) -> tuple[SideEvidence, ...]:
    claims = {claim.id: claim for claim in each.task.claims}
    sources = {source.id: source for source in each.task.sources}
    return gather_evidence(contradiction, claims, sources, rulings)


def _heard(contradiction: Contradiction, choice: RulingChoice | None) -> Contradiction:
    if choice is None:
        return settle_provisionally(contradiction, NOW)
    ruling = Ruling(ruling=choice, reason="The gold value says so.", decided_by="gold values")
    return apply_ruling(contradiction, ruling, NOW)


def _record(contradiction: Contradiction, both: tuple[SideEvidence, ...], run: int) -> RulingRecord:
    claimants = tuple(identify_claimant(side.source) for side in both)
    if contradiction.ruling is None:
        raise ValueError(f"{contradiction.id} was not ruled on")
    return RulingRecord(
        run_id=f"research-benchmark-{run}",
        contradiction_id=contradiction.id,
        claimants=claimants,
        choice=contradiction.ruling,
        reason=contradiction.reason,
        decided_by=contradiction.decided_by or "gold values",
        decided=NOW,
    )


def oracle(each: Detected, gold: Gold) -> RulingChoice | None:
    """Say which claim holds by the gold value, None where there is none."""
    if each.pair is None:
        return RulingChoice.BOTH
    statement = each.pair.one
    known = gold.get((statement.entity, statement.attribute))
    if known is None or statement.sort is Sort.NAME:
        return None
    a, b = _apart(statement, known), _apart(each.pair.other, known)
    if a == b:
        return RulingChoice.BOTH
    return RulingChoice.A if a < b else RulingChoice.B


def _apart(statement: Statement, known: float) -> float:
    return min(abs(value.number - known) for value in statement.values)


@dataclass(frozen=True)
class Tally:
    """How contradictions ended."""

    by_rung: Counter[SettledBy | None]  # how many each rung settled
    checked: Counter[SettledBy]  # of those settled by a rule, how many can be judged, by rule
    # of those, how many were settled for the claim that is nearer to the gold value
    right: Counter[SettledBy]
    # of those that are not right, how many were between claims that are not about the same thing,
    # so that a rule overruled one that holds
    unrelated: int

    def __add__(self, other: "Tally") -> "Tally":
        """Count two runs together."""
        return Tally(
            by_rung=self.by_rung + other.by_rung,
            checked=self.checked + other.checked,
            right=self.right + other.right,
            unrelated=self.unrelated + other.unrelated,
        )

    @property
    def settled_right(self) -> float | None:
        """Share of what rules settled, as far as it can be judged, that is right."""
        checked = sum(self.checked.values())
        return sum(self.right.values()) / checked if checked else None


RULES = (SettledBy.EVIDENCE, SettledBy.TRACK_RECORD)


def tally(done: Sequence[Settled], gold: Gold) -> Tally:
    """Count; the person is the gold value itself and says nothing about how right they are."""
    checked: Counter[SettledBy] = Counter()
    right: Counter[SettledBy] = Counter()
    unrelated = 0
    for each in done:
        rung, choice = each.contradiction.settled_by, oracle(each.detected, gold)
        if rung not in RULES or choice is None:
            continue
        checked[rung] += 1
        right[rung] += each.contradiction.ruling == choice
        unrelated += each.detected.pair is None
    by_rung = Counter(each.contradiction.settled_by for each in done)
    return Tally(by_rung=by_rung, checked=checked, right=right, unrelated=unrelated)

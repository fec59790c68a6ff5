"""What an arbitration knows, and what is read off it."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from caveat.contracts.contradiction import (
    Case,
    Contradiction,
    ContradictionState,
    Hearing,
    Rejection,
    Ruling,
    RulingRecord,
)
from caveat.contracts.report import ReportedFailure
from caveat.rules.contradictions import ladder
from caveat.rules.contradictions.track_record import identify_speaker
from caveat.workflows.answers import format_given, read_answer

LATEST = 20  # rejected answers that are kept word for word: a screen of them; all are counted
SHOWN = 200  # characters of the ruling's reason that somebody is told who comes too late


@dataclass
class CaseState:
    """One case, open or settled; the first answer wins."""

    case: Case
    contradiction: Contradiction  # as it stands now
    deadline: datetime  # until when a person may rule, UTC
    ruling: Ruling | None = None  # what a person ruled, None while nobody has
    rejections: deque[Rejection] = field(default_factory=lambda: deque(maxlen=LATEST))
    rejected: int = 0  # how many were not accepted in all
    # tasks that failed, none of which changes the settlement
    failures: tuple[ReportedFailure, ...] = ()

    def rule(self, ruling: Ruling, now: datetime) -> None:
        """Settle by a person's ruling, unless it is settled."""
        if self.contradiction.is_open:
            self.ruling = ruling
            self.contradiction = ladder.apply_ruling(self.contradiction, ruling, now)

    def close(self, now: datetime) -> None:
        """Settle provisionally if nobody ruled."""
        if self.contradiction.is_open:
            self.contradiction = ladder.settle_provisionally(self.contradiction, now)

    def note_record(self, record: RulingRecord | None) -> None:
        """Note whose ruling it was, as far as that was checked."""
        ours = self.build_ruling_record()
        is_ours = record is not None and ours is not None and record.repeats(ours)
        signed = record.signed if record and is_ours else None
        self.contradiction = self.contradiction.mark_signature(signed=signed)

    def reject(self, reason: str, given: Sequence[Any], now: datetime) -> None:
        """Keep an answer that is not accepted."""
        self.rejected += 1
        self.rejections.append(Rejection(received=now, reason=reason, given=format_given(given)))

    def build_hearing(self) -> Hearing:
        """The case as it stands, for people."""
        return Hearing(
            case=self.case,
            contradiction=self.contradiction,
            deadline=self.deadline,
            rejections=tuple(self.rejections),
            rejected=self.rejected,
        )

    def read(self, given: Sequence[Any]) -> Ruling | str:
        """Read an answer that can be accepted, or say in one sentence why none can."""
        answer = read_answer(given, len(self.case.sides))
        settled = self.contradiction
        if isinstance(answer, str) or settled.is_open or answer == self.ruling:
            return answer
        if settled.state is ContradictionState.PROVISIONAL:
            return (
                f"The time to rule ended at {self.deadline:%Y-%m-%d %H:%M:%S} UTC: "
                "`caveat rule` takes late rulings as soon as the arbitration has ended."
            )
        return (
            f"This is settled already, and the first answer counts: {settled.decided_by} ruled "
            f"`{settled.ruling}`, because “{settled.reason[:SHOWN]}”."
        )

    def build_ruling_record(self) -> RulingRecord | None:
        """What memory keeps of the ruling, None when nobody ruled."""
        settled, ruling = self.contradiction, self.ruling
        if ruling is None or settled.decided is None:
            return None
        return RulingRecord(
            run_id=self.case.run_id,
            contradiction_id=settled.id,
            claimants=tuple(identify_speaker(side.source, side.claim) for side in self.case.sides),
            choice=ruling.ruling,
            reason=ruling.reason,
            decided_by=ruling.decided_by,
            decided=settled.decided,
        )

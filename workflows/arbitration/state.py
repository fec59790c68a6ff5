"""The state of an arbitration, every change to it, and what is read off it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple, Self

from caveat.contracts.contradiction import (
    Case,
    Contradiction,
    ContradictionState,
    Hearing,
    Rejection,
    Ruling,
    RulingRecord,
)
from caveat.contracts.outcome import Settlement
from caveat.contracts.report import ReportedFailure
from caveat.rules.contradictions import ladder
from caveat.rules.contradictions.track_record import speaker
from caveat.workflows.answers import read_answer, shortened

LATEST = 20  # rejected answers that are kept word for word: a screen of them; all are counted
SHOWN = 200  # characters of the ruling's reason that somebody is told who comes too late


class Rejected(NamedTuple):
    """An answer that was not accepted, not yet written down: thousands may come at once."""

    received: datetime
    reason: str
    given: Sequence[Any]


@dataclass(frozen=True)
class CaseState:
    """One case, open or settled; the first answer wins."""

    # It is frozen: each change returns the state after it.

    case: Case
    contradiction: Contradiction
    deadline: datetime  # until when a person may rule, UTC
    ruling: Ruling | None = None  # what a person ruled, None while nobody has
    latest: tuple[Rejected, ...] = ()  # the answers that were not accepted, as far as they are kept
    rejected: int = 0  # how many were not accepted in all
    # tasks that failed, none of which changes the settlement
    failures: tuple[ReportedFailure, ...] = ()

    @classmethod
    def opened(cls, case: Case, arbitration: str, now: datetime) -> "CaseState":
        """Begin to wait for a person."""
        deadline = now + case.timeout
        where = {"arbitration": arbitration, "deadline": deadline}
        return cls(case, case.contradiction.model_copy(update=where), deadline)

    def ruled(self, ruling: Ruling, now: datetime) -> Self:
        """Settle by a person's ruling, which must be without objection."""
        if not self.is_open:
            return self
        settled = ladder.ruled(self.contradiction, ruling, now)
        return replace(self, ruling=ruling, contradiction=settled)

    def closed(self, now: datetime) -> Self:
        """Settle provisionally if nobody ruled."""
        if not self.is_open:
            return self
        return replace(self, contradiction=ladder.provisional(self.contradiction, now))

    def recorded(self, record: RulingRecord | None) -> Self:
        """Note whose ruling it was, as far as that was checked."""
        ours = self.ruling_record()
        is_ours = record is not None and ours is not None and record.repeats(ours)
        signed = record.signed if record and is_ours else None
        return replace(self, contradiction=self.contradiction.checked(signed=signed))

    def rejecting(self, reason: str, given: Sequence[Any], now: datetime) -> Self:
        """Keep an answer that is not accepted; of very many the latest, and how many there were."""
        latest = (*self.latest, Rejected(now, reason, given))[-LATEST:]
        return replace(self, latest=latest, rejected=self.rejected + 1)

    def booked(self, failed: ReportedFailure) -> Self:
        """Keep a task that failed."""
        return replace(self, failures=(*self.failures, failed))

    @property
    def is_open(self) -> bool:
        """Whether an answer can still settle it."""
        return self.contradiction.is_open

    def hearing(self) -> Hearing:
        """The case as it stands, for people."""
        return Hearing(
            case=self.case,
            contradiction=self.contradiction,
            deadline=self.deadline,
            rejections=tuple(
                Rejection(received=each.received, reason=each.reason, given=shortened(each.given))
                for each in self.latest
            ),
            rejected=self.rejected,
        )

    def read(self, given: Sequence[Any]) -> Ruling | str:
        """Read an answer to this case, or say in one sentence what is wrong with it."""
        return read_answer(given, len(self.case.sides))

    def objection(self, answer: Ruling | str) -> str | None:
        """Say why an answer cannot be accepted, None when it can; the accepted one can again."""
        if isinstance(answer, str):
            return answer
        settled = self.contradiction
        if settled.is_open or answer == self.ruling:
            return None
        if settled.state is ContradictionState.PROVISIONAL:
            return (
                f"The time to rule ended at {self.deadline:%Y-%m-%d %H:%M:%S} UTC: "
                "`caveat rule` takes late rulings as soon as the arbitration has ended."
            )
        return (
            f"This is settled already, and the first answer counts: {settled.decided_by} ruled "
            f"`{settled.ruling}`, because “{settled.reason[:SHOWN]}”."
        )

    def ruling_record(self) -> RulingRecord | None:
        """What memory keeps of the ruling, None when nobody ruled."""
        settled, ruling = self.contradiction, self.ruling
        if ruling is None or settled.decided is None:
            return None
        return RulingRecord(
            run_id=self.case.run_id,
            contradiction_id=settled.id,
            claimants=tuple(speaker(side.source, side.claim) for side in self.case.sides),
            choice=ruling.ruling,
            reason=ruling.reason,
            decided_by=ruling.decided_by,
            decided=settled.decided,
        )

    def settlement(self) -> Settlement:
        """What the arbitration hands back."""
        return Settlement(contradiction=self.contradiction, failures=self.failures)

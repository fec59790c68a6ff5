"""The bench: what an arbitration knows, and what an answer changes in it."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from temporalio import workflow

from workflows.answers import read_answer, shortened

with workflow.unsafe.imports_passed_through():
    from caveat.contracts.contradiction import (
        Case,
        Contradiction,
        ContradictionState,
        Hearing,
        Rejection,
        Ruling,
        RulingRecord,
    )
    from caveat.contracts.envelope import SubagentResult
    from caveat.contracts.report import ReportedFailure
    from caveat.contracts.settlement import Settlement
    from caveat.rules import ladder
    from caveat.rules.claimants import claimant

LATEST = 20
"""Rejected answers that are kept word for word: a screen of them; all are counted."""

SHOWN = 200
"""Characters of the ruling's reason that somebody is told who comes too late."""


class Rejected(NamedTuple):
    """An answer that was not accepted, not yet written down: thousands may come at once."""

    received: datetime
    reason: str
    given: Sequence[Any]


@dataclass
class Bench:
    """One case, open or settled; the first answer wins.

    Attributes:
        case: what is asked.
        contradiction: as it stands.
        deadline: until when a person may rule, UTC.
        ruling: what a person ruled, None while nobody has.
        latest: the answers that were not accepted, as far as they are kept.
        rejected: how many were not accepted in all.
        failures: tasks that failed, none of which changes the settlement.
        changed: whether anything changed since it was last shown.
    """

    case: Case
    contradiction: Contradiction
    deadline: datetime
    ruling: Ruling | None = None
    latest: deque[Rejected] = field(default_factory=lambda: deque(maxlen=LATEST))
    rejected: int = 0
    failures: list[ReportedFailure] = field(default_factory=list)
    changed: bool = True

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

    def accept(self, ruling: Ruling, at: datetime) -> None:
        """Settle by a person's ruling, which must be without objection."""
        if self.is_open:
            self.ruling = ruling
            self.contradiction = ladder.ruled(self.contradiction, ruling, at)
            self.changed = True

    def recorded(self, record: RulingRecord | None) -> None:
        """Note whose ruling it was, as far as that was checked."""
        signed = record.signed if record else None
        self.contradiction = self.contradiction.model_copy(update={"signed": signed})
        self.changed = True

    def close(self, at: datetime) -> None:
        """Settle provisionally if nobody ruled."""
        if self.is_open:
            self.contradiction = ladder.provisional(self.contradiction, at)
            self.changed = True

    def reject(self, reason: str, given: Sequence[Any], at: datetime) -> None:
        """Keep an answer that is not accepted; of very many the latest, and how many there were."""
        self.latest.append(Rejected(at, reason, given))
        self.rejected += 1
        self.changed = True

    def count(self, envelope: SubagentResult[Any]) -> None:
        """Keep the failure of a task, if it failed."""
        if envelope.failure is None:
            return
        self.failures.append(
            ReportedFailure(
                task_id=envelope.task_id,
                agent_type=envelope.agent_type,
                task_description=envelope.task_description,
                attempts=envelope.attempts,
                failure=envelope.failure,
                completeness=envelope.completeness,
                failed_at=workflow.now(),
            )
        )
        self.changed = True

    def ruling_record(self) -> RulingRecord | None:
        """What memory keeps of the ruling, None when nobody ruled."""
        settled, ruling = self.contradiction, self.ruling
        if ruling is None or settled.decided is None:
            return None
        return RulingRecord(
            run_id=self.case.run_id,
            contradiction_id=settled.id,
            claimants=tuple(claimant(side.source) for side in self.case.sides),
            choice=ruling.ruling,
            reason=ruling.reason,
            decided_by=ruling.decided_by,
            decided=settled.decided,
        )

    def settlement(self) -> Settlement:
        """What the arbitration hands back."""
        return Settlement(contradiction=self.contradiction, failures=tuple(self.failures))

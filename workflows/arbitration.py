"""Arbitration: one contradiction waits for one person."""

import asyncio
import math
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import RawValue

from caveat.contracts.contradiction import (
    Case,
    Contradiction,
    ContradictionState,
    Hearing,
    Ruling,
    RulingRecord,
)
from caveat.contracts.envelope import SubagentResult
from caveat.contracts.outcome import Settlement
from caveat.contracts.report import ReportedFailure
from caveat.contracts.tasks import Notice, NoticeKind, NotificationTask, RulingTask
from caveat.rendering.amounts import format_span
from caveat.rendering.commands import format_ruling_command
from caveat.rendering.details import render_arbitration_details
from caveat.rules.contradictions import ladder
from caveat.rules.contradictions.choices import PAIR
from caveat.rules.contradictions.track_record import identify_speaker
from caveat.workflows.answers import EXAMPLE, Refused, Rejections, describe_answer_form, read_answer
from caveat.workflows.delegation import delegate, describe_failure
from caveat.workflows.names import ARBITRATION, Handler
from caveat.workflows.options import NOTIFY, RECORD_RULING

SUMMARY = 80
"""Characters of what differs in a timer's summary: about as many as a timeline shows in a line."""

APART = timedelta(minutes=5)
"""Between two notices: one that follows sooner tells nobody anything new."""

REASON = 200  # characters of the ruling's reason that somebody is told who comes too late
ABOUT = 300  # characters of what differs: with it and the commands a notice stays under its 1,000


# What is no case ends by name: nothing else here raises a `RuntimeError`.
@workflow.defn(name=ARBITRATION, failure_exception_types=[RuntimeError])
class Arbitration:
    """Waits for a person to rule on a contradiction, for as long as the case says."""

    # The first answer wins and both ends are terminal. What counts is the order in which answer and
    # deadline reach the arbitration: an answer that the server took in while no worker ran counts
    # when a worker sees it together with the deadline. No handler waits, so that none is cut short.

    @workflow.init
    def __init__(self, case: Case) -> None:
        self._case = case
        self._deadline = workflow.now() + case.timeout  # until when a person may rule, UTC
        where = {"arbitration": workflow.info().workflow_id, "deadline": self._deadline}
        self._contradiction = case.contradiction.model_copy(update=where)  # as it stands now
        self._ruling: Ruling | None = None  # what a person ruled, None while nobody has
        self._rejections = Rejections()
        self._failures: tuple[ReportedFailure, ...] = ()  # none changes the settlement
        self._deliveries: list[asyncio.Task[None]] = []

    @workflow.run
    async def run(self, case: Case) -> Settlement:
        """Settle a contradiction: by a person, or provisionally when nobody came."""
        waits = f"{format_span(case.timeout)} for a person to rule"
        reminding = asyncio.create_task(self._remind())
        try:
            with suppress(TimeoutError):
                await workflow.wait_condition(
                    lambda: not self._contradiction.is_open,
                    timeout=case.timeout,
                    timeout_summary=f"{waits}: {case.contradiction.about[:SUMMARY]}",
                )
        except asyncio.CancelledError:
            self._require_ruling()
        finally:
            reminding.cancel()  # a delivery under way is not stopped
        if self._contradiction.is_open:
            self._contradiction = ladder.settle_provisionally(self._contradiction, workflow.now())
        closing = asyncio.gather(self._keep_ruling(), asyncio.gather(*self._deliveries))
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:
            self._require_ruling()
            await closing
        return Settlement(contradiction=self._contradiction, failures=self._failures)

    @workflow.update(name=Handler.RULE, description=f"Rule: {EXAMPLE}")
    def rule(self, *args: Any) -> Contradiction:
        """Rule: `{"ruling": "both", "reason": "why", "decided_by": "who"}`."""
        self._answer(args)
        return self._contradiction

    @rule.validator
    def _may_rule(self, *args: Any) -> None:
        self._read(args)

    @workflow.signal(description=f"Rule without waiting for an answer: {EXAMPLE}")
    def resolve(self, *args: Any) -> None:
        """Rule without waiting for an answer; what is not accepted is recorded and shown."""
        self._answer(args)

    @workflow.signal(dynamic=True, description="Any other signal is recorded as refused.")
    def unknown(self, name: str, args: Sequence[RawValue]) -> None:
        how = describe_answer_form(len(self._case.sides))
        refused = Refused(f"There is no signal `{name[:40]}`: signal `resolve`, and {how}.")
        self._rejections.add(args, refused)

    @workflow.query(name=Handler.HEARING, description="What is asked, and how it stands.")
    def hearing(self) -> Hearing:
        return Hearing(
            case=self._case,
            contradiction=self._contradiction,
            deadline=self._deadline,
            rejections=tuple(self._rejections.latest),
            rejected=self._rejections.number,
        )

    def details(self) -> str:
        """Draw what the Web UI shows of the arbitration (`caveat.workers.worker`)."""
        info = workflow.info()
        return render_arbitration_details(
            self.hearing(), info.workflow_id, info.namespace, self._failures
        )

    def _answer(self, args: Sequence[Any]) -> None:
        """Settle by a person's answer, unless it is settled; keep one that is not accepted."""
        try:
            ruling = self._read(args)
        except Refused as refused:
            self._rejections.add(args, refused)
        else:
            if self._contradiction.is_open:
                self._ruling = ruling
                now = workflow.now()
                self._contradiction = ladder.apply_ruling(self._contradiction, ruling, now)

    def _read(self, args: Sequence[Any]) -> Ruling:
        """Read an answer that can be accepted; `Refused` says in one sentence why none can."""
        answer = read_answer(args, len(self._case.sides))
        settled = self._contradiction
        if settled.is_open or answer == self._ruling:
            return answer
        if settled.state is ContradictionState.PROVISIONAL:
            raise Refused(
                f"The time to rule ended at {self._deadline:%Y-%m-%d %H:%M:%S} UTC: "
                "`caveat rule` takes late rulings as soon as the arbitration has ended."
            )
        raise Refused(
            f"This is settled already, and the first answer counts: {settled.decided_by} ruled "
            f"`{settled.ruling}`, because “{settled.reason[:REASON]}”."
        )

    def _count(self, envelope: SubagentResult[Any]) -> None:
        """Keep the failure of a task, if it failed."""
        if (failed := describe_failure(envelope)) is not None:
            self._failures += (failed,)

    def _require_ruling(self) -> None:
        """Go on although the run is cancelled where a person was told that their ruling counts."""
        if self._ruling is None:
            raise asyncio.CancelledError

    async def _remind(self) -> None:
        """Tell people that somebody waits for them, and again at half-time."""
        half = self._case.timeout / 2
        self._deliveries.append(asyncio.create_task(self._tell(1, "opened")))
        if half >= APART:
            await workflow.sleep(half, summary="Remind people: half-time")
            # A worker that was away for long finds the reminder due and the deadline behind it.
            if workflow.now() < self._deadline:
                self._deliveries.append(asyncio.create_task(self._tell(2, "half-time")))

    async def _tell(self, number: int, name: str) -> None:
        case, deadline = self._case, self._deadline
        arbitration = workflow.info().workflow_id
        minutes = math.ceil((deadline - workflow.now()) / timedelta(minutes=1))
        about = " ".join(case.contradiction.about.split())
        values = len(case.sides)
        who = "Two sources disagree" if values == PAIR else f"Sources give {values} values"
        notice = Notice(
            id=f"{arbitration}-notify-{number}",
            kind=NoticeKind.PERSON_NEEDED,
            run_id=case.run_id,
            topic=case.topic,
            message=(
                f"{who}: {about[:ABOUT].rstrip('.')}. A person may rule until "
                f"{deadline:%Y-%m-%d %H:%M} UTC ({format_span(timedelta(minutes=minutes))} left): "
                f"{format_ruling_command(arbitration, values)[:500]}"
            ),
            created=workflow.now(),
            arbitration=arbitration,
        )
        task = NotificationTask(
            task_id=f"{case.contradiction.id}-notify-{number}",
            description=f"Tell people: a contradiction waits for them ({name})",
            notice=notice,
        )
        self._count(await delegate(NOTIFY, task, case.route))

    async def _keep_ruling(self) -> None:
        """Let a person's ruling teach the track records, and note whose it was."""
        settled, ruling = self._contradiction, self._ruling
        if ruling is None:
            return
        key = {"run_id": self._case.run_id, "contradiction_id": settled.id}
        speakers = tuple(identify_speaker(side.source, side.claim) for side in self._case.sides)
        record = RulingRecord(**dict(settled.rulings[-1]) | key, claimants=speakers)
        task = RulingTask(
            task_id=f"{record.contradiction_id}-ruling",
            description=f"Keep the ruling on {record.contradiction_id[:80]}",
            record=record,
            signature=ruling.signature,
        )
        envelope = await delegate(RECORD_RULING, task, self._case.route)
        self._count(envelope)
        recorded = envelope.result
        signed = recorded.signed if recorded is not None and recorded.repeats(record) else None
        self._contradiction = settled.mark_signature(signed=signed)

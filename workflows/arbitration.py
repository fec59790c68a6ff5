"""Arbitration: one contradiction waits for one person."""

import asyncio
import math
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from pydantic import ValidationError
from temporalio import workflow
from temporalio.common import RawValue

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
from caveat.contracts.notice import Notice, NoticeKind
from caveat.contracts.outcome import Settlement
from caveat.contracts.report import ReportedFailure
from caveat.contracts.tasks import NotificationTask, RulingTask
from caveat.rendering.amounts import format_span
from caveat.rendering.commands import format_ruling_command
from caveat.rendering.details import render_arbitration_details
from caveat.rendering.mistakes import describe_first_mistake
from caveat.rules.contradictions import ladder
from caveat.rules.contradictions.choices import PAIR
from caveat.rules.contradictions.track_record import identify_speaker
from caveat.workflows.answers import (
    EXAMPLE,
    Refused,
    build_rejection,
    describe_answer_form,
    read_answer,
)
from caveat.workflows.delegation import delegate, describe_failure
from caveat.workflows.names import ARBITRATION, Handler
from caveat.workflows.options import NOTIFY, RECORD_RULING

SUMMARY = 80
"""Characters of what differs in a timer's summary: about as many as a timeline shows in a line."""

APART = timedelta(minutes=5)
"""Between two notices: one that follows sooner tells nobody anything new."""

LATEST = 20  # rejected answers that are kept word for word: a screen of them; all are counted
REASON = 200  # characters of the ruling's reason that somebody is told who comes too late
ABOUT = 300  # characters of what differs: with it and the commands a notice stays under its 1,000


@dataclass
class CaseState:
    """One case, open or settled; the first answer wins."""

    case: Case
    contradiction: Contradiction  # as it stands now
    deadline: datetime  # until when a person may rule, UTC
    ruling: Ruling | None = None  # what a person ruled, None while nobody has
    rejections: deque[Rejection] = field(default_factory=lambda: deque(maxlen=LATEST))
    rejected: int = 0  # how many were not accepted in all
    failures: tuple[ReportedFailure, ...] = ()  # of tasks; none changes the settlement

    def answer(self, args: Sequence[Any], now: datetime) -> None:
        """Settle by a person's answer, unless it is settled; keep one that is not accepted."""
        try:
            ruling = self.read(args)
        except Refused as refused:
            self.reject(refused, args, now)
        else:
            if self.contradiction.is_open:
                self.ruling = ruling
                self.contradiction = ladder.apply_ruling(self.contradiction, ruling, now)

    def reject(self, refused: Refused, args: Sequence[Any], now: datetime) -> None:
        self.rejected += 1
        self.rejections.append(build_rejection(args, refused, now))

    def build_hearing(self) -> Hearing:
        return Hearing(**vars(self))

    def read(self, args: Sequence[Any]) -> Ruling:
        """Read an answer that can be accepted; `Refused` says in one sentence why none can."""
        answer = read_answer(args, len(self.case.sides))
        settled = self.contradiction
        if settled.is_open or answer == self.ruling:
            return answer
        if settled.state is ContradictionState.PROVISIONAL:
            raise Refused(
                f"The time to rule ended at {self.deadline:%Y-%m-%d %H:%M:%S} UTC: "
                "`caveat rule` takes late rulings as soon as the arbitration has ended."
            )
        raise Refused(
            f"This is settled already, and the first answer counts: {settled.decided_by} ruled "
            f"`{settled.ruling}`, because “{settled.reason[:REASON]}”."
        )


@workflow.defn(name=ARBITRATION)
class Arbitration:
    """Waits for a person to rule on a contradiction, for as long as the case says."""

    # The first answer wins and both ends are terminal. What counts is the order in which answer and
    # deadline reach the arbitration: an answer that the server took in while no worker ran counts
    # when a worker sees it together with the deadline. No handler waits, so that none is cut short.

    @workflow.init
    def __init__(self, *args: Any) -> None:
        self._state: CaseState | None = None
        self._deliveries: list[asyncio.Task[None]] = []
        try:
            case = _parse_case(args)
        except Refused as refused:
            self._refused = refused  # which `run` raises: here it would leave signals unheard
            return
        deadline = workflow.now() + case.timeout
        where = {"arbitration": workflow.info().workflow_id, "deadline": deadline}
        self._state = CaseState(case, case.contradiction.model_copy(update=where), deadline)

    @workflow.run
    async def run(self, *args: Any) -> Settlement:
        """Settle a contradiction: by a person, or provisionally when nobody came.

        Args:
            args: one `Case`; raw, because an arbitration whose input cannot be decoded is stuck
                on the server, and one that can say what is wrong with it ends by name.
        """
        state = self._current
        waits = f"{format_span(state.case.timeout)} for a person to rule"
        reminding = asyncio.create_task(self._remind())
        try:
            with suppress(TimeoutError):
                await workflow.wait_condition(
                    lambda: not state.contradiction.is_open,
                    timeout=state.case.timeout,
                    timeout_summary=f"{waits}: {state.case.contradiction.about[:SUMMARY]}",
                )
        except asyncio.CancelledError:
            self._require_ruling()
        finally:
            reminding.cancel()  # a delivery under way is not stopped
        if state.contradiction.is_open:
            state.contradiction = ladder.settle_provisionally(state.contradiction, workflow.now())
        closing = asyncio.gather(self._keep_ruling(), asyncio.gather(*self._deliveries))
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:
            self._require_ruling()
            await closing
        return Settlement(contradiction=state.contradiction, failures=state.failures)

    @workflow.update(name=Handler.RULE, description=f"Rule: {EXAMPLE}")
    def rule(self, *args: Any) -> Contradiction:
        """Rule: `{"ruling": "both", "reason": "why", "decided_by": "who"}`."""
        self._current.answer(args, workflow.now())
        return self._current.contradiction

    @rule.validator
    def _may_rule(self, *args: Any) -> None:
        self._current.read(args)

    @workflow.signal(description=f"Rule without waiting for an answer: {EXAMPLE}")
    def resolve(self, *args: Any) -> None:
        """Rule without waiting for an answer; what is not accepted is recorded and shown."""
        if self._state is not None:
            self._state.answer(args, workflow.now())

    @workflow.signal(dynamic=True, description="Any other signal is recorded as refused.")
    def unknown(self, name: str, args: Sequence[RawValue]) -> None:
        if self._state is not None:
            how = describe_answer_form(len(self._state.case.sides))
            reason = f"There is no signal `{name[:40]}`: signal `resolve`, and {how}."
            self._state.reject(Refused(reason), args, workflow.now())

    @workflow.query(name=Handler.HEARING, description="What is asked, and how it stands.")
    def hearing(self) -> Hearing:
        return self._current.build_hearing()

    def details(self) -> str:
        """Draw what the Web UI shows of the arbitration (`caveat.workers.worker`)."""
        info, state = workflow.info(), self._state
        if state is None:
            return ""
        return render_arbitration_details(
            state.build_hearing(), info.workflow_id, info.namespace, state.failures
        )

    @property
    def _current(self) -> CaseState:
        """The state; of an arbitration that was given no case, why not."""
        if self._state is None:
            raise self._refused
        return self._state

    def _count(self, envelope: SubagentResult[Any]) -> None:
        """Keep the failure of a task, if it failed."""
        if envelope.failure is not None:
            failed = describe_failure(envelope, envelope.failure, workflow.now())
            self._current.failures = (*self._current.failures, failed)

    def _require_ruling(self) -> None:
        """Go on although the run is cancelled where a person was told that their ruling counts."""
        if self._current.ruling is None:
            raise asyncio.CancelledError

    async def _remind(self) -> None:
        """Tell people that somebody waits for them, and again at half-time."""
        half = self._current.case.timeout / 2
        self._deliveries.append(asyncio.create_task(self._tell(1, "opened")))
        if half >= APART:
            await workflow.sleep(half, summary="Remind people: half-time")
            # A worker that was away for long finds the reminder due and the deadline behind it.
            if workflow.now() < self._current.deadline:
                self._deliveries.append(asyncio.create_task(self._tell(2, "half-time")))

    async def _tell(self, number: int, name: str) -> None:
        case, deadline = self._current.case, self._current.deadline
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
        state = self._current
        settled, ruling = state.contradiction, state.ruling
        if ruling is None or settled.decided is None:
            return
        record = RulingRecord(
            run_id=state.case.run_id,
            contradiction_id=settled.id,
            claimants=tuple(identify_speaker(side.source, side.claim) for side in state.case.sides),
            choice=ruling.ruling,
            reason=ruling.reason,
            decided_by=ruling.decided_by,
            decided=settled.decided,
        )
        task = RulingTask(
            task_id=f"{record.contradiction_id}-ruling",
            description=f"Keep the ruling on {record.contradiction_id[:80]}",
            record=record,
            signature=ruling.signature,
        )
        envelope = await delegate(RECORD_RULING, task, state.case.route)
        self._count(envelope)
        recorded = envelope.result
        signed = recorded.signed if recorded is not None and recorded.repeats(record) else None
        state.contradiction = settled.mark_signature(signed=signed)


def _parse_case(args: Sequence[Any]) -> Case:
    if len(args) != 1 or not isinstance(args[0], dict):
        refusal = "An arbitration takes one JSON object: a case, which runs make themselves."
        raise Refused(refusal, "invalid_case")
    try:
        return Case.model_validate(args[0])
    except ValidationError as error:
        wrong = describe_first_mistake(error, "case")
        raise Refused(f"The case is not valid: {wrong}.", "invalid_case") from None

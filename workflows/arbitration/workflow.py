"""Arbitration: one contradiction waits for one person."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

from pydantic import ValidationError
from temporalio import workflow
from temporalio.common import RawValue
from temporalio.exceptions import ApplicationError

from caveat.contracts.contradiction import Case, Contradiction, Hearing
from caveat.contracts.envelope import SubagentResult
from caveat.contracts.outcome import Settlement
from caveat.contracts.tasks import RulingTask
from caveat.rendering.amounts import format_span
from caveat.rendering.details import render_arbitration_details
from caveat.rendering.mistakes import describe_first_mistake
from caveat.workflows.answers import EXAMPLE, build_refusal, describe_answer_form, is_larger
from caveat.workflows.arbitration.reminders import Reminders
from caveat.workflows.arbitration.state import CaseState
from caveat.workflows.delegation import delegate, describe_failure
from caveat.workflows.names import ARBITRATION, Handler
from caveat.workflows.options import RECORD_RULING

LONGEST = timedelta(days=30)  # as a research request may ask for at most
LARGEST = 100_000  # values in a case: one with a thousand claims has fewer

SUMMARY = 80
"""Characters of what differs in a timer's summary: about as many as a timeline shows in a line."""


@workflow.defn(name=ARBITRATION)
class Arbitration:
    """Waits for a person to rule on a contradiction, for as long as the case says."""

    # The first answer wins and both ends are terminal. What counts is the order in which answer and
    # deadline reach the arbitration: an answer that the server took in while no worker ran counts
    # when a worker sees it together with the deadline. No handler waits, so that none is cut short.

    @workflow.init
    def __init__(self, *given: Any) -> None:
        self._state: CaseState | None = None
        try:
            case = _parse_case(given)
        except ApplicationError as refused:
            self._refused = refused  # which `run` raises: here it would leave signals unheard
            return
        deadline = workflow.now() + case.timeout
        where = {"arbitration": workflow.info().workflow_id, "deadline": deadline}
        self._state = CaseState(case, case.contradiction.model_copy(update=where), deadline)

    @workflow.run
    async def run(self, *given: Any) -> Settlement:
        """Settle a contradiction: by a person, or provisionally when nobody came.

        Args:
            given: one `Case`; raw, because an arbitration whose input cannot be decoded is stuck
                on the server, and one that can say what is wrong with it ends by name.
        """
        state = self._current
        reminders = Reminders(state.build_hearing(), on_told=self._count)
        reminders.start()
        try:
            await self._answer_or_deadline(state.case)
        except asyncio.CancelledError:
            self._require_ruling()
        finally:
            reminders.stop()
        state.close(workflow.now())
        closing = asyncio.gather(self._keep_ruling(), reminders.wait_for_deliveries())
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:
            self._require_ruling()
            await closing
        return Settlement(contradiction=state.contradiction, failures=state.failures)

    @workflow.update(name=Handler.RULE, description=f"Rule: {EXAMPLE}")
    def rule(self, *given: Any) -> Contradiction:
        """Rule: `{"ruling": "both", "reason": "why", "decided_by": "who"}`."""
        self._answer(given)
        return self._current.contradiction

    @rule.validator
    def _may_rule(self, *given: Any) -> None:
        answer = self._current.read(given)
        if isinstance(answer, str):
            raise build_refusal(answer, "ruling_refused")

    @workflow.signal(description=f"Rule without waiting for an answer: {EXAMPLE}")
    def resolve(self, *given: Any) -> None:
        """Rule without waiting for an answer; what is not accepted is recorded and shown."""
        if self._state is not None:
            self._answer(given)

    @workflow.signal(dynamic=True, description="Any other signal is recorded as refused.")
    def unknown(self, name: str, given: Sequence[RawValue]) -> None:
        """Record a signal that nobody here sends."""
        if self._state is not None:
            how = describe_answer_form(len(self._state.case.sides))
            reason = f"There is no signal `{name[:40]}`: signal `resolve`, and {how}."
            self._state.reject(reason, given, workflow.now())

    @workflow.query(name=Handler.HEARING, description="What is asked, and how it stands.")
    def hearing(self) -> Hearing:
        """What is asked, how it stands, and the answers that were not accepted."""
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

    def _answer(self, given: Sequence[Any]) -> None:
        """Take an answer, or record why it is refused."""
        answer, now = self._current.read(given), workflow.now()
        if isinstance(answer, str):
            self._current.reject(answer, given, now)
        else:
            self._current.rule(answer, now)

    def _count(self, envelope: SubagentResult[Any]) -> None:
        """Keep the failure of a task, if it failed."""
        if envelope.failure is not None:
            failed = describe_failure(envelope, envelope.failure, workflow.now())
            self._current.failures = (*self._current.failures, failed)

    async def _answer_or_deadline(self, case: Case) -> None:
        waits = f"{format_span(case.timeout)} for a person to rule"
        with suppress(TimeoutError):
            await workflow.wait_condition(
                lambda: not self._current.contradiction.is_open,
                timeout=case.timeout,
                timeout_summary=f"{waits}: {case.contradiction.about[:SUMMARY]}",
            )

    def _require_ruling(self) -> None:
        """Go on although the run is cancelled where a person was told that their ruling counts."""
        if self._current.ruling is None:
            raise asyncio.CancelledError

    async def _keep_ruling(self) -> None:
        """Let a person's ruling teach the track records."""
        state = self._current
        record = state.build_ruling_record()
        if record is None:
            return
        task = RulingTask(
            task_id=f"{record.contradiction_id}-ruling",
            description=f"Keep the ruling on {record.contradiction_id[:80]}",
            record=record,
            signature=state.ruling.signature if state.ruling else None,
        )
        envelope = await delegate(RECORD_RULING, task, state.case.route)
        self._count(envelope)
        state.note_record(envelope.result)


def _parse_case(given: Sequence[Any]) -> Case:
    """Validate the arguments that an arbitration was started with."""
    if len(given) != 1 or not isinstance(given[0], dict):
        raise _build_refusal(
            "An arbitration takes one JSON object: a case, which runs make themselves."
        )
    if is_larger(given[0], LARGEST):
        raise _build_refusal(f"The case has more than {LARGEST:,} values.")
    try:
        case = Case.model_validate(given[0])
    except ValidationError as error:
        wrong = describe_first_mistake(error, "case")
        raise _build_refusal(f"The case is not valid: {wrong}.") from None
    if not case.contradiction.is_open:
        raise _build_refusal(f"{case.contradiction.id[:60]} is settled already.")
    if case.timeout > LONGEST:
        raise _build_refusal(f"A person may take {format_span(LONGEST)} at most.")
    return case


def _build_refusal(message: str) -> ApplicationError:
    return build_refusal(message, "invalid_case")

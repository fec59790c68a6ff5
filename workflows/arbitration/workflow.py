"""Arbitration: one contradiction waits for one person."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any, Concatenate, ParamSpec

from pydantic import ValidationError
from temporalio import workflow
from temporalio.common import RawValue
from temporalio.exceptions import ApplicationError

from caveat.contracts.contradiction import Case, Contradiction, Hearing, Ruling
from caveat.contracts.envelope import SubagentResult
from caveat.contracts.outcome import Settlement
from caveat.contracts.tasks import RulingTask
from caveat.rendering.amounts import span_words
from caveat.rendering.details import arbitration_details
from caveat.rendering.mistakes import first_mistake
from caveat.workflows.answers import form, is_larger, refusal
from caveat.workflows.arbitration.reminders import Reminders
from caveat.workflows.arbitration.state import CaseState
from caveat.workflows.delegation import delegate, reported
from caveat.workflows.names import ARBITRATION, Handler
from caveat.workflows.options import RECORD_RULING

P = ParamSpec("P")

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
        self._shown: CaseState | None = None
        try:
            case = _case(given)
        except ApplicationError as refused:
            self._refused = refused  # which `run` raises: here it would leave signals unheard
            return
        self._state = CaseState.opened(case, workflow.info().workflow_id, workflow.now())

    @workflow.run
    async def run(self, *given: Any) -> Settlement:
        """Settle a contradiction: by a person, or provisionally when nobody came.

        Args:
            given: one `Case`; raw, because an arbitration whose input cannot be decoded is stuck
                on the server, and one that can say what is wrong with it ends by name.
        """
        opened = self._current
        drawing = asyncio.create_task(self._keep_details())
        reminders = Reminders(opened.case, opened.deadline, on_told=self._count)
        reminders.start()
        try:
            await self._answer_or_deadline(opened.case)
        except asyncio.CancelledError:
            self._require_ruling()
        finally:
            reminders.stop()
        self._apply(CaseState.closed, workflow.now())
        closing = asyncio.gather(self._keep_ruling(), reminders.delivered())
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:
            self._require_ruling()
            await closing
        drawing.cancel()
        self._draw()
        await workflow.wait_condition(workflow.all_handlers_finished)
        return self._current.settlement()

    @workflow.update(name=Handler.RULE)
    def rule(self, *given: Any) -> Contradiction:
        """Rule: `{"ruling": "both", "reason": "why", "decided_by": "who"}`."""
        answer = self._current.read(given)
        if isinstance(answer, Ruling):
            self._apply(CaseState.ruled, answer, workflow.now())
        return self._current.contradiction

    @rule.validator
    def _may_rule(self, *given: Any) -> None:
        state = self._current
        objection = state.objection(state.read(given))
        if objection is not None:
            raise refusal(objection, "ruling_refused")

    @workflow.signal
    def resolve(self, *given: Any) -> None:
        """Rule without waiting for an answer; what is not accepted is recorded and shown."""
        if self._state is None:
            return
        answer = self._state.read(given)
        objection = self._state.objection(answer)
        if objection is not None:
            self._apply(CaseState.rejecting, objection, given, workflow.now())
        elif isinstance(answer, Ruling):
            self._apply(CaseState.ruled, answer, workflow.now())

    @workflow.signal(dynamic=True)
    def unknown(self, name: str, given: Sequence[RawValue]) -> None:
        """Record a signal that nobody here sends."""
        if self._state is not None:
            how = form(len(self._state.case.sides))
            reason = f"There is no signal `{name[:40]}`: signal `resolve`, and {how}."
            self._apply(CaseState.rejecting, reason, given, workflow.now())

    @workflow.query(name=Handler.HEARING)
    def hearing(self) -> Hearing:
        """What is asked, how it stands, and the answers that were not accepted."""
        return self._current.hearing()

    @property
    def _current(self) -> CaseState:
        """The state; of an arbitration that was given no case, why not."""
        if self._state is None:
            raise self._refused
        return self._state

    def _apply(
        self,
        change: Callable[Concatenate[CaseState, P], CaseState],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> None:
        """Make a change; `_keep_details` shows it."""
        before = self._current
        self._state = change(before, *args, **kwargs)
        if before.is_open and not self._state.is_open:
            settled = self._state.contradiction
            workflow.logger.info("arbitration %s: %s", settled.arbitration, settled.state)

    def _count(self, envelope: SubagentResult[Any]) -> None:
        """Keep the failure of a task, if it failed."""
        if envelope.failure is not None:
            failed = reported(envelope, envelope.failure, workflow.now())
            self._apply(CaseState.booked, failed)

    async def _answer_or_deadline(self, case: Case) -> None:
        waits = f"{span_words(case.timeout)} for a person to rule"
        with suppress(TimeoutError):
            await workflow.wait_condition(
                lambda: not self._current.is_open,
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
        record = state.ruling_record()
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
        self._apply(CaseState.recorded, envelope.result)

    async def _keep_details(self) -> None:
        """Draw the details once for all that came at once: thousands of signals may."""
        while True:
            await workflow.wait_condition(lambda: self._shown is not self._state)
            self._draw()

    def _draw(self) -> None:
        info, state = workflow.info(), self._current
        workflow.set_current_details(
            arbitration_details(state.hearing(), info.workflow_id, info.namespace, state.failures)
        )
        self._shown = state


def _case(given: Sequence[Any]) -> Case:
    """Validate the arguments that an arbitration was started with."""
    if len(given) != 1 or not isinstance(given[0], dict):
        raise _refusal("An arbitration takes one JSON object: a case, which runs make themselves.")
    if is_larger(given[0], LARGEST):
        raise _refusal(f"The case has more than {LARGEST:,} values.")
    try:
        case = Case.model_validate(given[0])
    except ValidationError as error:
        wrong = first_mistake(error, "case")
        raise _refusal(f"The case is not valid: {wrong}.") from None
    if not case.contradiction.is_open:
        raise _refusal(f"{case.contradiction.id[:60]} is settled already.")
    if case.timeout > LONGEST:
        raise _refusal(f"A person may take {span_words(LONGEST)} at most.")
    return case


def _refusal(message: str) -> ApplicationError:
    return refusal(message, "invalid_case")

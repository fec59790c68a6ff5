"""Arbitration: one contradiction waits for one person."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from pydantic import ValidationError
from temporalio import workflow
from temporalio.common import RawValue
from temporalio.exceptions import ApplicationError

from workflows.answers import form
from workflows.bench import Bench
from workflows.delegation import delegate
from workflows.hearing_board import hearing_board
from workflows.options import RECORD_RULING
from workflows.reminders import Bell
from workflows.spans import in_words

with workflow.unsafe.imports_passed_through():
    from activities.rulings import Clerk
    from caveat.contracts.contradiction import Case, Contradiction, Hearing, Ruling
    from caveat.contracts.settlement import Settlement
    from caveat.contracts.tasks import RulingTask

LONGEST = timedelta(days=30)
"""As a research request may ask for at most."""

SUMMARY = 80
"""Characters of what differs in a timer's summary: about as many as a timeline shows in a line."""


@workflow.defn
class Arbitration:
    """Waits for a person to rule on a contradiction, for as long as the case says.

    The first answer wins and both ends are terminal. What counts is the order in which answer and
    deadline reach the arbitration: an answer that the server took in while no worker ran counts
    when a worker sees it together with the deadline. No handler waits, so that none is cut short.
    """

    @workflow.init
    def __init__(self, *given: Any) -> None:
        self._bench: Bench | None = None
        try:
            case = _case(given)
        except ApplicationError as refused:
            self._refused = refused  # which `run` raises: here it would leave signals unheard
            return
        deadline = workflow.now() + case.timeout
        asked = case.contradiction.model_copy(
            update={"arbitration": workflow.info().workflow_id, "deadline": deadline}
        )
        self._bench = Bench(case, asked, deadline)

    @workflow.run
    async def run(self, *given: Any) -> Settlement:
        """Settle a contradiction: by a person, or provisionally when nobody came.

        Args:
            given: one `Case`; raw, so that whatever else a client sends ends the arbitration by
                name instead of wedging it.

        Raises:
            ApplicationError: the input is not an open case; its type is `invalid_case`.
        """
        bench = self._sitting()
        board = asyncio.create_task(_keep_board(bench))
        bell = Bell(bench.case, bench.deadline, on_told=bench.count)
        bell.start()
        try:
            await _answer_or_deadline(bench)
        finally:
            bell.stop()
        bench.close(workflow.now())
        await asyncio.gather(_keep_ruling(bench), bell.delivered())
        board.cancel()
        _show(bench)
        return bench.settlement()

    @workflow.update
    def rule(self, *given: Any) -> Contradiction:
        """Rule: `{"ruling": "both", "reason": "why", "decided_by": "who"}`."""
        bench = self._sitting()
        answer = bench.read(given)
        if isinstance(answer, Ruling):
            bench.accept(answer, workflow.now())
        return bench.contradiction

    @rule.validator
    def _may_rule(self, *given: Any) -> None:
        bench = self._sitting()
        objection = bench.objection(bench.read(given))
        if objection is not None:
            raise ApplicationError(objection, type="ruling_refused", non_retryable=True)

    @workflow.signal
    def resolve(self, *given: Any) -> None:
        """Rule without waiting for an answer; what is not accepted is recorded and shown."""
        if self._bench is None:
            return
        answer = self._bench.read(given)
        objection = self._bench.objection(answer)
        if objection is not None:
            self._bench.reject(objection, given, workflow.now())
        elif isinstance(answer, Ruling):
            self._bench.accept(answer, workflow.now())

    @workflow.signal(dynamic=True)
    def unknown(self, name: str, given: Sequence[RawValue]) -> None:
        """Record a signal that nobody here sends."""
        if self._bench is not None:
            how = form(len(self._bench.case.sides))
            reason = f"There is no signal `{name[:40]}`: signal `resolve`, and {how}."
            self._bench.reject(reason, given, workflow.now())

    @workflow.query
    def hearing(self) -> Hearing:
        """What is asked, how it stands, and the answers that were not accepted."""
        return self._sitting().hearing()

    def _sitting(self) -> Bench:
        if self._bench is None:
            raise self._refused
        return self._bench


async def _answer_or_deadline(bench: Bench) -> None:
    case = bench.case
    waits = f"{in_words(case.timeout)} for a person to rule"
    try:
        await workflow.wait_condition(
            lambda: not bench.is_open,
            timeout=case.timeout,
            timeout_summary=f"{waits}: {case.contradiction.about[:SUMMARY]}",
        )
    except TimeoutError:
        return


async def _keep_ruling(bench: Bench) -> None:
    """Let a person's ruling teach the track records."""
    record = bench.ruling_record()
    if record is None:
        return
    task = RulingTask(
        task_id=f"{record.contradiction_id}-ruling",
        description=f"Keep the ruling on {record.contradiction_id[:80]}",
        record=record,
        signature=bench.ruling.signature if bench.ruling else None,
    )
    envelope = await delegate(Clerk.record_ruling, task, RECORD_RULING, bench.case.route)
    bench.count(envelope)
    bench.recorded(envelope.result)


async def _keep_board(bench: Bench) -> None:
    """Draw the board once for all that came at once: thousands of signals may."""
    while True:
        await workflow.wait_condition(lambda: bench.changed)
        _show(bench)


def _show(bench: Bench) -> None:
    info = workflow.info()
    workflow.set_current_details(
        hearing_board(bench.hearing(), info.workflow_id, info.namespace, bench.failures)
    )
    bench.changed = False


def _case(given: Sequence[Any]) -> Case:
    """Validate the arguments that an arbitration was started with."""
    if len(given) != 1 or not isinstance(given[0], dict):
        raise _refusal("An arbitration takes one JSON object: a case, which runs make themselves.")
    try:
        case = Case.model_validate(given[0])
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in wrong["loc"])[:60] or "case"
        raise _refusal(f"The case is not valid: {place}: {wrong['msg']}.") from None
    if not case.contradiction.is_open:
        raise _refusal(f"{case.contradiction.id[:60]} is settled already.")
    if case.timeout > LONGEST:
        raise _refusal(f"A person may take {in_words(LONGEST)} at most.")
    return case


def _refusal(message: str) -> ApplicationError:
    return ApplicationError(message, type="invalid_case", non_retryable=True)

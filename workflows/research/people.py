"""What people decide of a run: its plan before anything is sought, and rulings that come late."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from pydantic import ValidationError
from temporalio import workflow
from temporalio.workflow import ParentClosePolicy

from caveat.contracts.contradiction import (
    Contradiction,
    ContradictionState,
    LateRuling,
    RulingRecord,
)
from caveat.contracts.outcome import Ending, Evidence
from caveat.contracts.phase import Phase
from caveat.contracts.plan import Approval, Plan, Proposal, ResearchRequest
from caveat.contracts.tasks import NoticeKind, RulingsTask, RulingTask
from caveat.rendering.amounts import format_count, format_span
from caveat.rendering.commands import format_command
from caveat.rendering.mistakes import describe_first_mistake
from caveat.rules.contradictions import ladder
from caveat.rules.contradictions.choices import NotOfferedError
from caveat.rules.contradictions.track_record import identify_speaker
from caveat.rules.evidence.claims import list_claims
from caveat.rules.run.approval import NotApplicableError, apply_approval
from caveat.workflows.answers import Refused, parse_late_ruling
from caveat.workflows.names import MEMO, REVISES, SHOWN, build_route
from caveat.workflows.options import RECORD_RULING, RULINGS
from caveat.workflows.research.run import Run, RunEnded
from caveat.workflows.research.tasks import Tasks

EXAMPLE = '{"drop": ["a2"], "edit": {"a1": "How wide is it?"}, "add": ["Who says so?"]}'


async def obtain_approval(run: Run, request: ResearchRequest, plan: Plan) -> Plan:
    """Wait for a person's decision on a new plan, where the request wants one."""
    # Without a decision the run ends by name: nobody agreed to what it would cost.
    if not request.approve_plan or run.earlier is not None:
        return plan
    began = workflow.now()
    deadline = began + request.approval_timeout
    run.proposal = Proposal(plan=plan, deadline=deadline)
    run.enter_phase(Phase.AWAITING_APPROVAL)
    how = format_command("resume", run.run_id, options="--approve")
    run.notify(
        NoticeKind.PERSON_NEEDED,
        f"A plan of {format_count(len(plan.assignments), 'angle')} waits for approval until "
        f"{deadline:%Y-%m-%d %H:%M} UTC: {how}",
    )
    span = format_span(request.approval_timeout)
    try:
        await workflow.wait_condition(
            lambda: run.proposal is None,
            timeout=request.approval_timeout,
            timeout_summary=f"{span} for a person to approve the plan",
        )
    except TimeoutError:
        raise RunEnded(
            Ending.PLAN_NOT_APPROVED,
            f"Nobody approved the plan within {span}, so nothing was spent on it.",
        ) from None
    run.waited += workflow.now() - began
    return run.plan or plan


def check_approval(run: Run, args: Sequence[Any]) -> Plan:
    """Read a decision, and say what it makes of the plan."""
    proposal = run.proposal
    if proposal is None:
        raise Refused(f"No plan of {run.run_id} waits for approval.")
    fields = args[0] if len(args) == 1 and isinstance(args[0], dict) else None
    try:
        decision = Approval.parse_sent({} if not args else fields)
        return apply_approval(proposal.plan, decision)
    except ValidationError as error:
        wrong = f"The decision is not valid: {describe_first_mistake(error, 'decision')}."
        raise Refused(f"{wrong} For example {EXAMPLE}.") from None
    except NotApplicableError as refused:
        raise Refused(str(refused)) from None


def accept_approval(run: Run, args: Sequence[Any]) -> str:
    """Take a decision: the first one counts."""
    run.start_plan(check_approval(run, args))
    run.proposal = None
    return "The plan is approved, and the run goes on."


def check_late_ruling(run: Run, args: Sequence[Any]) -> LateRuling:
    """Read a late ruling; `Refused` says why none can be taken."""
    late = parse_late_ruling(args, run.contradictions)
    pending = [one for one in run.late if one.contradiction_id == late.contradiction_id]
    contradiction = _find_dispute(late, run.contradictions, is_ruled=bool(pending))
    if not late.replaces and not contradiction.needs_review:
        raise Refused(
            f"{contradiction.id} is {contradiction.state}, so no ruling on it can be late."
        )
    if run.phase in {Phase.FAILED, Phase.CANCELLED}:  # what was ruled is applied by now
        raise Refused(f"{run.run_id} ends without a report: rule once more when it has ended.")
    for ruling in pending:
        if not late.replaces and ruling.choice != late.choice:
            raise Refused(f"{contradiction.id} was ruled on by {ruling.ruling.decided_by} already.")
    return late


def accept_late_ruling(run: Run, args: Sequence[Any]) -> None:
    """Keep a late ruling until the run has ended; the first stays, and changes follow it."""
    late = check_late_ruling(run, args)
    is_known = any(ruling.contradiction_id == late.contradiction_id for ruling in run.late)
    if late not in run.late and (late.replaces or not is_known):
        run.late = (*run.late, late)


async def revise_by_late_rulings(run: Run, request: ResearchRequest) -> None:
    """Start a revision of the report for what has come so far, and leave it to itself."""
    while rulings := run.take_late_rulings():
        run.revisions += 1
        run_id = f"{run.run_id}-revision-{run.revisions}"
        revision = request.model_copy(
            update={"follow_up_of": run.run_id, "rulings": rulings, "backend": run.route.backend}
        )
        await workflow.start_child_workflow(
            "Research",
            revision.write_sent(),
            id=run_id,
            parent_close_policy=ParentClosePolicy.ABANDON,
            memo={MEMO: build_route(revision), SHOWN: run.topic, REVISES: run.run_id},
            static_summary=f"Revision of {run.run_id}"[:200],
        )


async def apply_late_rulings(run: Run, tasks: Tasks) -> None:
    """Apply what has come so far: the next report follows it, or what is kept without one."""
    while late := run.take_late_rulings():
        reopening = _Reopened(run.build_evidence(), tasks)
        await reopening.recall()
        for ruling in late:
            with suppress(Refused):  # it names a value that is not there
                run.contradictions[ruling.contradiction_id] = await reopening.apply(ruling)


async def reopen(
    earlier: Evidence, late: Sequence[LateRuling], tasks: Tasks
) -> dict[str, Contradiction]:
    """Apply late rulings to the contradictions of an earlier run.

    What other late rulings settled before, each with a revision of its own, is applied with them:
    the newest revision knows all.
    """
    reopening = _Reopened(earlier, tasks)
    await reopening.recall()
    try:
        for answer in late:
            await reopening.apply(answer)
    except Refused as refused:
        raise RunEnded(Ending.NOTHING_TO_FOLLOW_UP, refused.message) from None
    return reopening.contradictions


class _Reopened:
    """The contradictions of an earlier run as they stand now, and what people ruled since."""

    def __init__(self, earlier: Evidence, tasks: Tasks) -> None:
        self.contradictions = {dispute.id: dispute for dispute in earlier.contradictions}
        self._run_id = earlier.run_id
        self._tasks = tasks
        sources = {entry.source.id: entry.source for entry in earlier.shelf}
        self._owners = {  # who made each claim
            claim.id: identify_speaker(sources[claim.source_id], claim)
            for claim in list_claims(earlier.findings)
            if claim.source_id in sources
        }
        self._rulings: list[RulingRecord] = []

    async def recall(self) -> None:
        """Apply what memory knows and the run does not, in the order in which it was given."""
        disputes = tuple(self.contradictions.values())
        named = [name for dispute in disputes for name in dispute.claims if name in self._owners]
        claimants = (self._owners[name].id for name in named)
        self._rulings += await recall_rulings(self._tasks, claimants, self._run_id)
        for dispute in disputes:
            known = sum(ruling.run_id is None for ruling in dispute.rulings)
            for record in self._list_rulings(dispute)[known:]:
                now = self.contradictions[dispute.id]
                self.contradictions[dispute.id] = ladder.apply_given_ruling(now, record)

    async def apply(self, late: LateRuling) -> Contradiction:
        dispute = _find_dispute(late, self.contradictions)
        if not late.replaces and dispute.state is ContradictionState.RESOLVED:
            by = dispute.decided_by or "the rules"
            raise Refused(f"{dispute.id} was settled by {by} before.")
        try:
            settled = ladder.apply_ruling(dispute, late.ruling, workflow.now())
        except NotOfferedError as refused:
            raise Refused(str(refused)) from None
        if not self._owners.keys() >= set(dispute.claims):
            again = "`caveat follow-up` looks for it again"
            raise Refused(f"What {dispute.id} is about was not kept: {again}.")
        run_id, contradiction_id = self._build_key(dispute)
        before = self._list_rulings(dispute)
        number = 1 + max((one.number for one in before), default=0)
        key = {"run_id": run_id, "contradiction_id": contradiction_id, "number": number}
        owners = tuple(self._owners[name] for name in dispute.claims)
        task = RulingTask(
            task_id=f"record-ruling-{dispute.id}" + (f"-{number}" if number > 1 else ""),
            description=f"Keep the late ruling on {dispute.id}",
            record=RulingRecord(**dict(settled.rulings[-1]) | key, claimants=owners),
            signature=late.ruling.signature,
        )
        if any(one.repeats(task.record) for one in before):  # or an old signature would serve again
            raise Refused(f"{dispute.id} was ruled on that way already: say again why it holds.")
        recorded = (await self._tasks.do(RECORD_RULING, task)).result
        if recorded is not None and not recorded.repeats(task.record):
            # By another revision, meanwhile.
            raise Refused(f"{dispute.id} was settled by {recorded.decided_by} before.")
        self._rulings.append(task.record)
        settled = settled.mark_signature(signed=recorded.signed if recorded else None)
        self.contradictions[dispute.id] = settled
        return settled

    def _list_rulings(self, dispute: Contradiction) -> list[RulingRecord]:
        key = self._build_key(dispute)
        own = (one for one in self._rulings if (one.run_id, one.contradiction_id) == key)
        return sorted(own, key=lambda one: one.number)

    def _build_key(self, dispute: Contradiction) -> tuple[str, str]:
        """Name the question as it was first asked: a revision continues what it revises."""
        run_id, _, contradiction_id = (dispute.arbitration or "").rpartition("/")
        return (run_id, contradiction_id) if run_id else (self._run_id, dispute.id)


async def recall_rulings(
    tasks: Tasks, claimants: Iterable[str], whose: str
) -> tuple[RulingRecord, ...]:
    """Recall how people ruled on claimants; a memory that fails knows of nothing."""
    task = RulingsTask(
        task_id="recall-rulings",
        description=f"Recall the rulings on {whose}"[:400],
        claimants=tuple(dict.fromkeys(claimants)),
    )
    return (await tasks.do(RULINGS, task)).result or ()


def _find_dispute(
    late: LateRuling, known: Mapping[str, Contradiction], *, is_ruled: bool = False
) -> Contradiction:
    """Find what a ruling is about; one that changes a person's needs one, and no withdrawn one."""
    dispute = known.get(late.contradiction_id)
    if dispute is None:
        name, names = late.contradiction_id[:60], ", ".join(known) or "none"
        raise Refused(f"This run has no contradiction {name!r}; it has: {names}.")
    was_given = bool(dispute.rulings) or dispute.are_compatible  # which a model said, and no rule
    may_change = dispute.decided_by is not None or (was_given and late.choice is not None)
    if late.replaces and not (is_ruled or may_change):
        raise Refused(
            f"Nobody's ruling settles {dispute.id}, so there is none to change or withdraw."
        )
    return dispute

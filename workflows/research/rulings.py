"""Late rulings: answers outside of an arbitration, for the next report or a revision."""

from collections.abc import Iterable, Sequence
from contextlib import suppress

from temporalio import workflow
from temporalio.workflow import ParentClosePolicy

from caveat.contracts.contradiction import (
    Contradiction,
    ContradictionState,
    LateRuling,
    Ruling,
    RulingRecord,
    Withdrawal,
)
from caveat.contracts.outcome import Ending, Evidence
from caveat.contracts.phase import Phase
from caveat.contracts.plan import ResearchRequest
from caveat.contracts.tasks import RulingsTask, RulingTask
from caveat.rules.contradictions import ladder
from caveat.rules.contradictions.choices import NotOfferedError
from caveat.rules.contradictions.track_record import identify_speaker
from caveat.workflows.answers import Refused
from caveat.workflows.names import MEMO, REVISES, SHOWN, build_route
from caveat.workflows.options import RECORD_RULING, RULINGS
from caveat.workflows.research.run import Run
from caveat.workflows.research.tasks import Tasks
from caveat.workflows.research.views import RunEnded, build_evidence


def check_late_ruling(run: Run, late: LateRuling) -> None:
    contradiction = run.contradictions.get(late.contradiction_id)
    if contradiction is None:
        raise Refused(_describe_unknown(late.contradiction_id, run.contradictions))
    pending = [ruling for ruling in run.late if ruling.contradiction_id == contradiction.id]
    if late.replaces and not pending and not _may_change(contradiction, late):
        raise Refused(explain_no_change(contradiction.id))
    if not late.replaces and not contradiction.needs_review:
        raise Refused(
            f"{contradiction.id} is {contradiction.state}, so that no ruling on it can be late."
        )
    if run.phase in {Phase.FAILED, Phase.CANCELLED}:  # what was ruled is applied by now
        raise Refused(f"{run.run_id} ends without a report: rule once more when it has ended.")
    for ruling in pending:
        if not late.replaces and ruling.choice != late.choice:
            raise Refused(f"{contradiction.id} was ruled on by {ruling.ruling.decided_by} already.")


def accept_late_ruling(run: Run, late: LateRuling) -> None:
    """Keep a late ruling until the run has ended; the first stays, and changes follow it."""
    check_late_ruling(run, late)
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
        earlier = build_evidence(run, workflow.now(), None, None)
        reopening = _Reopened(earlier, tasks)
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
        raise RunEnded(Ending.NOTHING_TO_FOLLOW_UP, str(refused)) from None
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
            for finding in earlier.findings
            for claim in finding.claims
            if claim.source_id in sources
        }
        self._rulings: dict[tuple[str, str], list[RulingRecord]] = {}

    async def recall(self) -> None:
        """Apply what memory knows and the run does not, in the order in which it was given."""
        named = (name for dispute in self.contradictions.values() for name in dispute.claims)
        speakers = {self._owners[name].id: None for name in named if name in self._owners}
        task = RulingsTask(
            task_id="recall-rulings",
            description=f"Recall the rulings on {self._run_id}"[:400],
            claimants=tuple(speakers),
        )
        rulings = (await self._tasks.do(RULINGS, task)).result or ()
        for dispute in tuple(self.contradictions.values()):
            key = self._build_key(dispute)
            own = [one for one in rulings if (one.run_id, one.contradiction_id) == key]
            self._rulings[key] = sorted(own, key=lambda one: one.number)
            known = sum(ruling.run_id is None for ruling in dispute.rulings)
            for record in self._rulings[key][known:]:
                facts = {"reason": record.reason, "decided_by": record.decided_by}
                ruling = (
                    Withdrawal.model_validate(facts)
                    if record.choice is None
                    else Ruling.model_validate({**facts, "ruling": record.choice})
                )
                now = self.contradictions[dispute.id]
                settled = ladder.apply_ruling(now, ruling, record.decided)
                self.contradictions[dispute.id] = settled.mark_signature(signed=record.signed)

    async def apply(self, late: LateRuling) -> Contradiction:
        dispute = self.contradictions.get(late.contradiction_id)
        if dispute is None:
            raise Refused(_describe_unknown(late.contradiction_id, self.contradictions))
        if not late.replaces and dispute.state is ContradictionState.RESOLVED:
            by = dispute.decided_by or "the rules"
            raise Refused(f"{dispute.id} was settled by {by} before.")
        if late.replaces and not _may_change(dispute, late):
            raise Refused(explain_no_change(dispute.id))
        try:
            settled = ladder.apply_ruling(dispute, late.ruling, workflow.now())
        except NotOfferedError as refused:
            raise Refused(str(refused)) from None
        if not self._owners.keys() >= set(dispute.claims):
            again = "`caveat follow-up` looks for it again"
            raise Refused(f"What {dispute.id} is about was not kept: {again}.")
        run_id, contradiction_id = key = self._build_key(dispute)
        before = self._rulings.setdefault(key, [])
        number = 1 + max((one.number for one in before), default=0)
        task = RulingTask(
            task_id=f"record-ruling-{dispute.id}" + (f"-{number}" if number > 1 else ""),
            description=f"Keep the late ruling on {dispute.id}",
            record=RulingRecord(
                run_id=run_id,
                contradiction_id=contradiction_id,
                number=number,
                claimants=tuple(self._owners[name] for name in dispute.claims),
                choice=settled.ruling,
                reason=late.ruling.reason,
                decided_by=late.ruling.decided_by,
                decided=workflow.now(),
            ),
            signature=late.ruling.signature,
        )
        if any(one.repeats(task.record) for one in before):  # or an old signature would serve again
            raise Refused(f"{dispute.id} was ruled on so before: say anew why it holds now.")
        recorded = (await self._tasks.do(RECORD_RULING, task)).result
        if recorded is not None and not recorded.repeats(task.record):
            # By another revision, meanwhile.
            raise Refused(f"{dispute.id} was settled by {recorded.decided_by} before.")
        before.append(task.record)
        settled = settled.mark_signature(signed=recorded.signed if recorded else None)
        self.contradictions[dispute.id] = settled
        return settled

    def _build_key(self, dispute: Contradiction) -> tuple[str, str]:
        """Name the question as it was first asked: a revision continues what it revises."""
        run_id, _, contradiction_id = (dispute.arbitration or "").rpartition("/")
        return (run_id, contradiction_id) if run_id else (self._run_id, dispute.id)


def _may_change(dispute: Contradiction, late: LateRuling) -> bool:
    """Say whether a person's ruling is there to change; what was withdrawn is not twice."""
    is_given = bool(dispute.rulings) or dispute.are_compatible  # which a model said, and no rule
    return dispute.decided_by is not None or (is_given and late.choice is not None)


def explain_no_change(contradiction_id: str) -> str:
    return f"Nobody's ruling settles {contradiction_id}, so there is none to change or withdraw."


def _describe_unknown(contradiction_id: str, known: Iterable[str]) -> str:
    names = ", ".join(known) or "none"
    return f"This run has no contradiction {contradiction_id[:60]!r}; it has: {names}."

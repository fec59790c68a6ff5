"""The state of a run, and every change to it."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from caveat.contracts.backend import Backend, Route
from caveat.contracts.contradiction import Contradiction, LateRuling, Rejection
from caveat.contracts.debate import Debate
from caveat.contracts.envelope import AgentType, SubagentResult, Usage
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.contracts.inventory import Inventory
from caveat.contracts.investigation import Findings, Shelved
from caveat.contracts.outcome import Artifact, Ending, Evidence
from caveat.contracts.plan import Answerers, GivenAdvice, Plan, Proposal, ResearchRequest
from caveat.contracts.progress import AssignmentProgress, Phase
from caveat.contracts.report import LeftOut, Method, Methods, Remedy, Report, ReportedFailure
from caveat.contracts.spending import Step
from caveat.rules.run.budget import GATHERING
from caveat.rules.run.recovery import COMPARERS, FIELDWORKERS
from caveat.workflows.research.ending import RunEnded

if TYPE_CHECKING:
    from dataclasses import replace
else:

    def replace(state: "State", **changes: Any) -> "State":
        """Copy a state with changes; `dataclasses.replace` sets each of its fifty facts by itself.

        A run makes fifteen changes a source.
        """
        changed = object.__new__(type(state))
        changed.__dict__.update(state.__dict__, **changes)
        return changed


AGAIN = "-again"  # ends the id of the task that a changed input makes of another one

KEPT_REJECTIONS = 20
"""The latest answers that were not accepted, in words; the others are counted. Nobody reads more,
and thousands would fill the run's memory."""


@dataclass(frozen=True)
class State:
    """What a run knows."""

    # It is frozen: each method is one change and returns the state after it, and `Run.apply` alone
    # puts that in the place of the state before.

    run_id: str
    started: dt.datetime  # when the run began, UTC
    topic: str = ""
    request: ResearchRequest | None = None
    route: Route = field(default_factory=Route)
    phase: Phase = Phase.TAKING_STOCK
    problem: str | None = None  # what ended it before it had a report, in words
    inventory: Inventory | None = None
    earlier: Evidence | None = None  # the evidence of the run that it follows up
    since: Report | None = None  # the report of its schedule's run before
    asked: Evidence | None = None  # of the run to which one more question is put
    plan: Plan | None = None
    proposal: Proposal | None = None
    # how far each assignment is, by its id
    lines: Mapping[str, AssignmentProgress] = field(default_factory=dict)
    # whether a document was; before, the budget keeps what one analysis takes
    is_analysed: bool = False
    # the sources that were found, by id, of which so many were admitted
    shelf: Mapping[str, Shelved] = field(default_factory=dict)
    admitted: int = 0
    findings: tuple[Findings, ...] = ()
    contradictions: Mapping[str, Contradiction] = field(default_factory=dict)
    debate: Debate | None = None
    # which steps were not carried out by the reasoner
    methods: Methods = field(default_factory=Methods)
    # rulings that wait for a revision, of which so many were begun
    late: tuple[LateRuling, ...] = ()
    revisions: int = 0
    rejections: tuple[Rejection, ...] = ()  # the latest answers that were not accepted, of so many
    rejected: int = 0
    # what people told it while it looked for evidence, of which so much was taken up
    advice: tuple[GivenAdvice, ...] = ()
    heeded: int = 0
    failures: tuple[ReportedFailure, ...] = ()  # tasks that failed, those made good among them
    tasks: int = 0
    usage: Usage = field(default_factory=Usage)
    used: Mapping[Step, Usage] = field(default_factory=dict)
    answered: Answerers = field(default_factory=Answerers)
    # what each bound of the budget left out
    left_out: Mapping[str, LeftOut] = field(default_factory=dict)
    unwritten_for: str | None = None  # the bound for which code wrote the synthesis
    ids: Mapping[str, int] = field(default_factory=dict)  # how often each name of a task was given
    waited: dt.timedelta = dt.timedelta(0)
    writes_again: bool = False  # whether another report follows the one that is being written
    # whether there is a provisional report, and its files; if not, why, and what failed
    provisional: bool = False
    provisional_files: tuple[Artifact, ...] = ()
    provisional_problem: str | None = None
    provisional_failures: tuple[ReportedFailure, ...] = ()
    report: Report | None = None
    confidence: float | None = None  # of the report that was published last

    # The run as a whole.

    def accepted(self, request: ResearchRequest, route: Route) -> Self:
        """Take what is asked, and which workers do it as far as that decides it."""
        return replace(self, request=request, topic=request.topic, route=route)

    def scheduled_after(self, report: Report) -> Self:
        """Keep what the schedule's run before reported."""
        return replace(self, since=report)

    def entered(self, phase: Phase) -> Self:
        """Begin a phase."""
        return replace(self, phase=phase)

    def stopped(self, problem: str) -> Self:
        """Keep why there will be no report."""
        return replace(self, problem=problem)

    def recalled(self, earlier: Evidence) -> Self:
        """Go on with an earlier run, and with its reasoner unless another one is asked for."""
        route = self.route
        if self.request is not None and self.request.reasoner is None and earlier.backend:
            route = route.model_copy(update={"reasoner": earlier.backend.reasoner})
        return replace(self, earlier=earlier, route=route)

    def asking(self, asked: Evidence) -> Self:
        """Put one more question to what an earlier run has kept."""
        return replace(self, asked=asked)

    def decided(self, backend: Backend) -> Self:
        """Keep who reasons and searches, from now on and to the end."""
        return replace(self, route=self.route.model_copy(update={"backend": backend}))

    def stock_taken(self, inventory: Inventory) -> Self:
        """Keep what can be read; each broken document was a task."""
        return replace(self, inventory=inventory, tasks=self.tasks + len(inventory.broken))

    def planned(self, plan: Plan) -> Self:
        """Keep the plan and open a line for each assignment."""
        lines = {
            each.id: AssignmentProgress(id=each.id, title=each.title) for each in plan.assignments
        }
        return replace(self, plan=plan, lines=lines, is_analysed=self.earlier is not None)

    def proposed(self, proposal: Proposal | None) -> Self:
        """Keep a plan that waits for approval; None when it waits no more."""
        return replace(self, proposal=proposal)

    def waited_for(self, span: dt.timedelta) -> Self:
        """Count time for which people were waited for."""
        return replace(self, waited=self.waited + span)

    def advised(self, advice: GivenAdvice) -> Self:
        """Keep what a person says, for each angle's next turn."""
        return replace(self, advice=(*self.advice, advice))

    def heeding(self) -> Self:
        """Take up the next piece of advice."""
        return replace(self, heeded=self.heeded + 1)

    # Its tasks.

    def named(self, base: str) -> Self:
        """Give a name to a task once more; `Run.new_id` makes each different."""
        return replace(self, ids={**self.ids, base: self.ids.get(base, 0) + 1})

    def counted(self, envelope: SubagentResult[Any]) -> Self:
        """Count a task that ended, and who answered it."""
        models = envelope.usage.models
        named = (envelope.reasoner,) if envelope.reasoner else ()
        answered = Answerers(
            models=models, with_model=named if models else (), without_model=() if models else named
        )
        return replace(self, tasks=self.tasks + 1, answered=self.answered + answered)

    def spent(self, step: Step | None, usage: Usage) -> Self:
        """Book what a task took."""
        used = self.used
        if step is not None:
            used = {**used, step: used.get(step, Usage()) + usage}
        return replace(self, usage=self.usage + usage, used=used)

    def booked(self, *failed: ReportedFailure) -> Self:
        """Keep failures."""
        return replace(self, failures=(*self.failures, *failed))

    def made_good(self, *task_ids: str) -> Self:
        """Note that a later attempt made failed tasks good, or failed on its own account."""
        good = {"recovered": True, "remedy": Remedy.LATER}
        failures = tuple(
            each.model_copy(update=good) if each.task_id in task_ids else each
            for each in self.failures
        )
        return replace(self, failures=failures)

    def dropped(self, task_id: str) -> Self:
        """Forget a failure that another entry tells of now."""
        kept = tuple(each for each in self.failures if each.task_id != task_id)
        return replace(self, failures=kept)

    def bounded(self, bound: str, step: Step | None = None) -> Self:
        """Note that a bound of the budget is reached.

        Args:
            step: what the call would have been made for; None of a task that fetches.
        """
        before = self.left_out.get(bound)
        gathers = step is None or step in GATHERING or (before is not None and before.gathering)
        reached = LeftOut(bound=bound, gathering=gathers)
        return replace(self, left_out={**self.left_out, bound: reached})

    def task_left_out(self, bound: str, agent: str, task_id: str, description: str) -> Self:
        """Name a task that is left out, so that a follow-up takes it up; once a task."""
        if any(failed.task_id == task_id for failed in self.failures):
            return self
        failure = Failure(
            category=FailureCategory.BUSINESS,
            failure_type=FailureType.PERMANENT,
            message=f"Left out: the budget of {bound} was reached.",
            retry_recommended=True,
        )
        return self.booked(
            ReportedFailure(
                task_id=task_id,
                agent_type=agent,
                task_description=description,
                attempts=0,
                failure=failure,
                left_out=bound,
            )
        )

    def carried_out(self, **steps: Method) -> Self:
        """Note how steps were carried out that the reasoner did not do."""
        # A reasoner without a language model does by rules whatever it does.
        if self.plan is not None and not self.plan.reasoner.uses_language_model:
            steps = {name: how for name, how in steps.items() if how is not Method.RULES}
        return replace(self, methods=self.methods.model_copy(update=steps))

    # Its investigation.

    def line(self, assignment_id: str, /, **changes: object) -> Self:
        """Change one assignment's line."""
        line = self.lines[assignment_id].model_copy(update=changes)
        return replace(self, lines={**self.lines, assignment_id: line})

    def analysed(self) -> Self:
        """Keep nothing of the budget any longer for a first analysis."""
        return replace(self, is_analysed=True)

    def shelved(self, source_id: str, kept: Shelved) -> Self:
        """Put a source on the shelf, or another word on one that stands there."""
        before = self.shelf.get(source_id)
        more = kept.admitted - (before is not None and before.admitted)
        shelf = {**self.shelf, source_id: kept}
        return replace(self, shelf=shelf, admitted=self.admitted + more)

    def unshelved(self, source_id: str) -> Self:
        """Take a source off the shelf that is a copy of another one."""
        shelf = {name: kept for name, kept in self.shelf.items() if name != source_id}
        return replace(self, shelf=shelf, admitted=_admitted(shelf))

    def restored(self) -> Self:
        """Begin with what the earlier run found, and with what failed in it."""
        if self.earlier is None:
            return self
        failed = [each for each in self.earlier.failures if each.agent_type in FIELDWORKERS]
        restored = self.booked(*failed)
        for each in failed:  # a task of this run must not go by the name of one of that
            restored = restored.named(each.task_id.removesuffix(AGAIN))
        shelf = {**self.shelf, **{kept.source.id: kept for kept in self.earlier.shelf}}
        return replace(restored, shelf=shelf, admitted=_admitted(shelf))

    def found(self, findings: Sequence[Findings]) -> Self:
        """Keep what the assignments brought."""
        return replace(self, findings=tuple(findings))

    # Its contradictions.

    def put(self, contradiction: Contradiction) -> Self:
        """Keep a contradiction as it stands now."""
        known = {**self.contradictions, contradiction.id: contradiction}
        return replace(self, contradictions=known)

    def debated(self, debate: Debate | None) -> Self:
        """Keep what was said of the claims."""
        return replace(self, debate=debate)

    def compared_before(self) -> Self:
        """Take over how the earlier run compared and debated, and what failed in that."""
        if self.earlier is None:
            return self
        report = self.earlier.report
        failed = (each for each in self.earlier.failures if each.agent_type in COMPARERS)
        return replace(
            self.booked(*failed),
            debate=self.earlier.debate,
            methods=report.methods if report is not None else self.methods,
        )

    def reopened(self, contradictions: Mapping[str, Contradiction]) -> Self:
        """Take over the contradictions of an earlier run, as they stand now."""
        return replace(self, contradictions=contradictions)

    def rejecting(self, rejection: Rejection) -> Self:
        """Keep an answer to a contradiction that was not accepted."""
        latest = (*self.rejections, rejection)[-KEPT_REJECTIONS:]
        return replace(self, rejections=latest, rejected=self.rejected + 1)

    def ruled_late(self, late: LateRuling) -> Self:
        """Keep a late ruling until the run has ended; the first stays, and changes follow it."""
        known = {each.contradiction_id for each in self.late}
        if late in self.late or (late.contradiction_id in known and not late.replaces):
            return self
        return replace(self, late=(*self.late, late))

    def revising(self) -> Self:
        """Begin a revision with all late rulings that wait."""
        return replace(self, late=(), revisions=self.revisions + 1)

    # Its reports.

    def writing(self, *, again: bool) -> Self:
        """Note whether another report follows the one that is written next."""
        return replace(self, writes_again=again)

    def unwritten(self, bound: str | None) -> Self:
        """Keep the bound for which a synthesis is left out; None for a synthesis that is made."""
        return replace(self, unwritten_for=bound)

    def rated(self, confidence: float) -> Self:
        """Keep the confidence of the report that is published next."""
        return replace(self, confidence=confidence)

    def published(self, report: Report) -> Self:
        """Keep a report that can be read."""
        return replace(self, report=report)

    def provisionally_written(self, files: tuple[Artifact, ...], before: int) -> Self:
        """Note that people can read a provisional report, and what failed while it was written.

        Args:
            files: where its worker wrote it.
        """
        return replace(
            self,
            provisional=True,
            provisional_files=files,
            provisional_failures=_of_writing(self.failures[before:]),
        )

    def provisionally_unwritten(self, ended: RunEnded, before: int, now: dt.datetime) -> Self:
        """Keep why there is no provisional report, as a failure and in words.

        Args:
            ended: what would have ended the run, had this been its last report.
            before: how many failures were booked when its writing began; an audit that finds
                something is no task that failed, and is booked here.
        """
        audits = (each.agent_type == AgentType.AUDITOR for each in self.failures[before:])
        is_missing = ended.ending is Ending.AUDIT_FAILED and not any(audits)
        failures = (*self.failures, _audited(ended, now)) if is_missing else self.failures
        problem = f"The provisional report could not be written: {ended.message}"
        return replace(
            self,
            failures=failures,
            provisional_problem=problem,
            provisional_failures=_of_writing(failures[before:]),
        )

    def failed_again(self, before: Sequence[ReportedFailure]) -> Self:
        """Take back what was taken as made good: the final report could not be written either."""
        return replace(self, failures=(*before, *self.failures[len(before) :]))


_BESIDE = frozenset(
    {AgentType.DEBATER, AgentType.RESPONDENT, AgentType.HERALD, AgentType.MESSENGER}
)
"""Who works while a provisional report is written, and not on it."""


def _of_writing(failures: Sequence[ReportedFailure]) -> tuple[ReportedFailure, ...]:
    return tuple(each for each in failures if each.agent_type not in _BESIDE)


def _admitted(shelf: Mapping[str, Shelved]) -> int:
    return sum(kept.admitted for kept in shelf.values())


def broken(inventory: Inventory, failed_at: dt.datetime) -> tuple[ReportedFailure, ...]:
    """Say of each broken document what a report says of a task that failed."""
    return tuple(
        ReportedFailure(
            task_id=f"take-stock-{number}",
            agent_type=AgentType.LIBRARIAN,
            task_description=f"Read {document.path}",
            attempts=1,
            failure=document.failure,
            failed_at=failed_at,
        )
        for number, document in enumerate(inventory.broken, start=1)
    )


def _audited(ended: RunEnded, now: dt.datetime) -> ReportedFailure:
    failure = Failure(
        category=FailureCategory.VALIDATION,
        failure_type=FailureType.PERMANENT,
        message=ended.message[:500],
        retry_recommended=False,
    )
    return ReportedFailure(
        task_id="audit-provisional",
        agent_type=AgentType.AUDITOR,
        task_description="Audit the provisional report",
        attempts=1,
        failure=failure,
        failed_at=now,
    )

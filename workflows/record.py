"""The record: everything that a run knows, and what it tells of itself while it goes on."""

import datetime as dt
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from temporalio import workflow

from workflows.endings import RunEnded

with workflow.unsafe.imports_passed_through():
    from caveat.contracts.backend import Backend, Route
    from caveat.contracts.claim import Claim
    from caveat.contracts.contradiction import Contradiction, Rejection
    from caveat.contracts.debate import Debate
    from caveat.contracts.envelope import AgentType, SubagentResult, Usage
    from caveat.contracts.failure import Failure, FailureCategory, FailureType
    from caveat.contracts.investigation import Findings, Shelved
    from caveat.contracts.outcome import Ending, Evidence, RunRecord
    from caveat.contracts.plan import Answerers, Plan, ResearchRequest
    from caveat.contracts.progress import AssignmentProgress, Phase, Progress
    from caveat.contracts.report import Method, Methods, Remedy, Report, ReportedFailure
    from caveat.contracts.source import SourceRef
    from caveat.contracts.spending import Step
    from caveat.contracts.tasks import Inventory
    from caveat.rules.assembly import Material
    from caveat.rules.budget import by_step
    from caveat.rules.derivation import lost_readings
    from caveat.rules.ordering import as_counted

R = TypeVar("R")

KEPT_REJECTIONS = 20
"""The latest answers that were not accepted, in words; the others are counted. Nobody reads more,
and thousands would fill the run's memory."""


@dataclass
class Record:
    """What a run knows so far; every change is told to `on_change`.

    Attributes:
        run_id: workflow id.
        started: when the run began, UTC.
        on_change: called after every change.
        on_unforeseen: called with each failure of this run that nobody foresaw.
    """

    run_id: str
    started: dt.datetime
    on_change: Callable[["Record"], None]
    on_unforeseen: Callable[[ReportedFailure], None]
    topic: str = ""
    request: ResearchRequest | None = None
    route: Route = field(default_factory=Route)
    phase: Phase = Phase.TAKING_STOCK
    inventory: Inventory | None = None
    plan: Plan | None = None
    lines: dict[str, AssignmentProgress] = field(default_factory=dict)
    shelf: dict[str, Shelved] = field(default_factory=dict)
    findings: list[Findings] = field(default_factory=list)
    contradictions: dict[str, Contradiction] = field(default_factory=dict)
    debate: Debate | None = None
    methods: Methods = field(default_factory=Methods)
    rejections: deque[Rejection] = field(default_factory=lambda: deque(maxlen=KEPT_REJECTIONS))
    rejected: int = 0
    failures: list[ReportedFailure] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    used: dict[Step, Usage] = field(default_factory=dict)
    unanalysed: set[str] = field(default_factory=set)
    will_write_again: bool = False
    unwritten_for: str | None = None
    answered: Answerers = field(default_factory=Answerers)
    tasks: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    ids: Counter[str] = field(default_factory=Counter)
    earlier: Evidence | None = None
    waited: dt.timedelta = dt.timedelta(0)
    provisional: bool = False
    provisional_problem: str | None = None
    provisional_failures: list[ReportedFailure] = field(default_factory=list)
    confidence: float | None = None
    problem: str | None = None

    def enter(self, phase: Phase) -> None:
        """Begin a phase."""
        self.phase = phase
        self.on_change(self)

    def asked_for(self, reasoner: str) -> None:
        """Keep which reasoner is wanted, where its models and account are not decided yet."""
        self.route = self.route.model_copy(update={"reasoner": reasoner})

    def decided(self, backend: Backend) -> None:
        """Keep who reasons and searches, from now on and to the end."""
        self.route = self.route.model_copy(update={"backend": backend})
        self.on_change(self)

    def stock_taken(self, inventory: Inventory) -> None:
        """Keep the inventory, and book each broken document as a failed task."""
        self.inventory = inventory
        self.tasks += len(inventory.broken)
        broken = [
            ReportedFailure(
                task_id=f"take-stock-{number}",
                agent_type=AgentType.LIBRARIAN,
                task_description=f"Read {document.path}",
                attempts=1,
                failure=document.failure,
                failed_at=workflow.now(),
            )
            for number, document in enumerate(inventory.broken, start=1)
        ]
        self.book(*broken)
        self.on_change(self)

    def plan_made(self, plan: Plan) -> None:
        """Keep the plan and open a line for each assignment."""
        self.plan = plan
        self.lines = {
            assignment.id: AssignmentProgress(id=assignment.id, title=assignment.title)
            for assignment in plan.assignments
        }
        self.unanalysed = set(self.lines) if self.earlier is None else set()
        self.on_change(self)

    def line(self, assignment_id: str, **changes: object) -> None:
        """Change one assignment's line."""
        self.lines[assignment_id] = self.lines[assignment_id].model_copy(update=changes)
        self.on_change(self)

    def count(
        self,
        envelope: SubagentResult[R],
        *,
        remedy: Remedy | None = None,
        cause: SubagentResult[R] | None = None,
    ) -> SubagentResult[R]:
        """Book how a task ended, and hand its envelope on.

        Args:
            envelope: how it ended.
            remedy: what was done about its first failure, if anything.
            cause: the envelope of that first failure, where another one followed.
        """
        self.tasks += 1
        self.answered += _answerers(envelope)
        if envelope.failure is not None:
            self.book(_reported(envelope, envelope.failure, remedy))
        elif cause is not None and cause.failure is not None:
            made_good = _reported(cause, cause.failure, remedy)
            self.book(made_good.model_copy(update={"recovered": True}))
        self.on_change(self)
        return envelope

    def spend(self, step: Step | None, usage: Usage) -> None:
        """Book what a task took."""
        self.usage += usage
        if step is not None:
            self.used[step] = self.used.get(step, Usage()) + usage

    def book(self, *failed: ReportedFailure) -> None:
        """Keep failures of this run, and pass on what nobody foresaw."""
        self.failures += failed
        for each in failed:
            if each.failure.category is FailureCategory.UNKNOWN:
                self.on_unforeseen(each)

    def _answered(self) -> Answerers:
        """Who gave answers, in this run and in the one that it follows up."""
        earlier = self.earlier.answered if self.earlier else Answerers()
        return self.answered + earlier

    def make_good(self, task_id: str) -> None:
        """Note that a later attempt made a failed task good, or failed on its own account."""
        self.failures = [
            failed.model_copy(update={"recovered": True, "remedy": Remedy.LATER})
            if failed.task_id == task_id
            else failed
            for failed in self.failures
        ]
        self.on_change(self)

    def provisional_missing(self, ended: RunEnded, before: int) -> None:
        """Keep why there is no provisional report, as a failure and in words.

        Args:
            ended: what would have ended the run, had this been its last report.
            before: how many failures were booked when its writing began; an audit that finds
                something is no task that failed, and is booked here.
        """
        audits = (failed.agent_type is AgentType.AUDITOR for failed in self.failures[before:])
        if ended.ending is Ending.AUDIT_FAILED and not any(audits):
            self.failures.append(_audited(self.new_id("audit-provisional"), ended))
        self.provisional_problem = f"The provisional report could not be written: {ended.message}"
        self.on_change(self)

    def tried_again(self) -> tuple[ReportedFailure, ...]:
        """Take what a provisional report lacked as made good, since the final one does it anew.

        Returns:
            The failures as they were, for `failed_again`.
        """
        before = tuple(self.failures)
        for failed in self.provisional_failures:
            self.make_good(failed.task_id)
        return before

    def failed_again(self, before: Sequence[ReportedFailure]) -> None:
        """Take that back: the final report could not be written either."""
        self.failures[: len(before)] = before

    def drop(self, task_id: str) -> None:
        """Forget a failure that another entry tells of now."""
        self.failures = [failed for failed in self.failures if failed.task_id != task_id]

    def new_id(self, base: str) -> str:
        """Return a task id that no other task of the run has."""
        self.ids[base] += 1
        return base if self.ids[base] == 1 else f"{base}-{self.ids[base]}"

    def claims(self) -> tuple[Claim, ...]:
        """Every claim of the run once, in the order of their names."""
        named = {claim.id: claim for found in self.findings for claim in found.claims}
        return tuple(named.values())

    def sources(self) -> dict[str, SourceRef]:
        """The sources of the claims, by id."""
        cited = {claim.source_id for claim in self.claims()}
        return {
            kept.source.id: kept.reading.source if kept.reading else kept.source
            for kept in self._shelved()
            if kept.source.id in cited
        }

    def put(self, contradiction: Contradiction) -> None:
        """Keep a contradiction as it stands now."""
        self.contradictions[contradiction.id] = contradiction
        self.on_change(self)

    def open_contradictions(self) -> tuple[Contradiction, ...]:
        """Those that are not settled yet, in order of detection."""
        return tuple(each for each in self.contradictions.values() if each.is_open)

    def reject(self, rejection: Rejection) -> None:
        """Keep an answer to a contradiction that was not accepted."""
        self.rejections.append(rejection)
        self.rejected += 1
        self.on_change(self)

    def carried_out(self, **steps: Method) -> None:
        """Note how steps were carried out that the reasoner did not do.

        A reasoner without a language model does by rules whatever it does.
        """
        plan = self.plan
        if plan is not None and not plan.reasoner.uses_language_model:
            steps = {name: how for name, how in steps.items() if how is not Method.RULES}
        self.methods = self.methods.model_copy(update=steps)

    def leave_out(self, bound: str) -> None:
        """Count a task that is left out because a bound of the budget is reached."""
        self.left_out[bound] += 1
        self.on_change(self)

    def book_left_out(self, bound: str, agent: AgentType, task_id: str, description: str) -> None:
        """Name a task that is left out, so that a follow-up takes it up; once a task."""
        if any(failed.task_id == task_id for failed in self.failures):
            return
        failure = Failure(
            category=FailureCategory.BUSINESS,
            failure_type=FailureType.PERMANENT,
            message=f"Left out: the budget of {bound} was reached.",
            retry_recommended=True,
        )
        self.failures.append(
            ReportedFailure(
                task_id=task_id,
                agent_type=agent,
                task_description=description,
                attempts=0,
                failure=failure,
                left_out=bound,
            )
        )
        self.on_change(self)

    def progress(self) -> Progress:
        """The run at a glance."""
        return Progress(
            run_id=self.run_id,
            topic=self.topic,
            phase=self.phase,
            started=self.started,
            backend=self.route.backend,
            documents=self.inventory.documents if self.inventory else None,
            unread=self.inventory.unread if self.inventory else (),
            assignments=tuple(self.lines.values()),
            failures=tuple(self.failures),
            contradictions=tuple(self.contradictions.values()),
            rejections=tuple(self.rejections),
            rejected=self.rejected,
            provisional=self.provisional,
            provisional_problem=self.provisional_problem,
            confidence=self.confidence,
            problem=self.problem,
            model_calls=self.usage.model_calls,
            tokens=self.usage.input_tokens + self.usage.output_tokens,
            cost_usd=self.usage.cost_usd,
            usage_by_step=by_step(self.used),
        )

    def material(self) -> Material:
        """Everything that a report is assembled from.

        Raises:
            RuntimeError: there is no plan yet.
        """
        if self.request is None or self.inventory is None or self.plan is None:
            raise RuntimeError("a report cannot be assembled before there is a plan")
        return Material(
            run_id=self.run_id,
            request=self.request,
            plan=self.plan,
            findings=tuple(self.findings),
            shelf=self._shelved(),
            contradictions=tuple(self.contradictions.values()),
            debate=self.debate,
            methods=self.methods,
            waiting_seconds=self.waited.total_seconds(),
            failures=tuple(sorted(self.failures, key=lambda failed: as_counted(failed.task_id))),
            documents=max(0, self._known_documents() - lost_readings(self.failures)),
            unread=self.inventory.unread,
            usage=self.usage,
            usage_by_step=by_step(self.used),
            answered=self._answered(),
            tasks=self.tasks,
            left_out=tuple(self.left_out.items()),
            unwritten_for=self.unwritten_for,
            earlier=(self.earlier.run_id, self.earlier.report) if self.earlier else None,
            started=self.started,
            now=workflow.now(),
        )

    def evidence(self, report: Report | None, ended: RunEnded | None) -> Evidence:
        """Everything found, for people to look at and for a follow-up to go on with.

        Raises:
            RuntimeError: the request was not accepted.
        """
        if self.request is None:
            raise RuntimeError("a run without a request has no evidence")
        return Evidence(
            run_id=self.run_id,
            topic=self.topic,
            ending=ended.ending if ended else None,
            reason=ended.message if ended else "",
            created=workflow.now(),
            started=self.started,
            request=self.request,
            corpus=self.inventory.corpus if self.inventory else (),
            documents=self.inventory.documents if self.inventory else 0,
            plan=self.plan,
            findings=tuple(self.findings),
            shelf=self._shelved(),
            contradictions=tuple(self.contradictions.values()),
            debate=self.debate,
            failures=tuple(self.failures),
            report=report,
            backend=self.route.backend,
            answered=self._answered(),
        )

    def closed(self, ending: Ending | None) -> RunRecord:
        """What memory keeps of a run; `ending` is None when it has a report."""
        return RunRecord(
            run_id=self.run_id,
            topic=self.topic,
            ending=ending,
            started=self.started,
            finished=workflow.now(),
            confidence=self.confidence,
            sources_read=sum(kept.reading is not None for kept in self.shelf.values()),
            claims=sum(len(found.claims) for found in self.findings),
            failures=tuple(self.failures),
        )

    def _shelved(self) -> tuple[Shelved, ...]:
        """The shelf by id: in which order its sources were found is chance, and models see it."""
        return tuple(self.shelf[name] for name in sorted(self.shelf))

    def _known_documents(self) -> int:
        """Documents of the corpus or, where the web is searched, the pages that were wanted."""
        if self.inventory is None or not self.inventory.beyond:
            return self.inventory.documents if self.inventory else 0
        read = sum(kept.reading is not None for kept in self.shelf.values())
        return read + lost_readings(self.failures)


def _answerers(envelope: SubagentResult[Any]) -> Answerers:
    models = envelope.usage.models
    named = (envelope.reasoner,) if envelope.reasoner else ()
    return Answerers(
        models=models,
        with_model=named if models else (),
        without_model=() if models else named,
    )


def _reported(
    envelope: SubagentResult[R], failure: Failure, remedy: Remedy | None
) -> ReportedFailure:
    return ReportedFailure(
        task_id=envelope.task_id,
        agent_type=envelope.agent_type,
        task_description=envelope.task_description,
        attempts=envelope.attempts,
        failure=failure,
        completeness=envelope.completeness,
        remedy=remedy,
        failed_at=workflow.now(),
    )


def _audited(task_id: str, ended: RunEnded) -> ReportedFailure:
    failure = Failure(
        category=FailureCategory.VALIDATION,
        failure_type=FailureType.PERMANENT,
        message=ended.message[:500],
        retry_recommended=False,
    )
    return ReportedFailure(
        task_id=task_id,
        agent_type=AgentType.AUDITOR,
        task_description="Audit the provisional report",
        attempts=1,
        failure=failure,
        failed_at=workflow.now(),
    )

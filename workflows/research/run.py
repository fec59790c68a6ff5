"""A run: all that is known of it, every change to that, its views, and what the world is told."""

import asyncio
import datetime as dt
from dataclasses import dataclass, field
from typing import Any

from temporalio import workflow
from temporalio.common import SearchAttributeUpdate
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

from caveat.contracts.backend import Route
from caveat.contracts.contradiction import Contradiction, LateRuling
from caveat.contracts.envelope import AgentType, Failure, FailureCategory, R, SubagentResult, Usage
from caveat.contracts.message import EventBody, Priority, SteeringBody
from caveat.contracts.outcome import (
    Artifact,
    AssignmentProgress,
    Ending,
    Evidence,
    Findings,
    FoundSource,
    Material,
    NamedEnd,
    Progress,
    ProviderWait,
)
from caveat.contracts.phase import Entered, Phase
from caveat.contracts.plan import Answerers, Assignment, Inventory, Plan, Proposal, ResearchRequest
from caveat.contracts.report import LeftOut, Method, Methods, Remedy, Report, ReportedFailure
from caveat.contracts.source import Claim, SourceRef
from caveat.contracts.synthesis import Debate, WrittenProse
from caveat.contracts.tasks import NOTICE_LIMIT, Notice, NoticeKind, NotificationTask, PostTask
from caveat.problem import InternalError
from caveat.rules.evidence.claims import build_sort_key, list_claims, select_cited_sources
from caveat.rules.report.appraisal import count_lost_readings
from caveat.rules.run.budget import build_left_out_failure
from caveat.rules.run.recovery import COMPARERS, FIELDWORKERS, Scope, count_recovered
from caveat.workflows.answers import Rejections
from caveat.workflows.delegation import delegate, describe_failure
from caveat.workflows.names import PHASE
from caveat.workflows.options import NOTIFY, POST

AGAIN = "-again"  # ends the id of the task that a changed input makes of another one


NO_FAILURE = frozenset(
    {
        Ending.INVALID_REQUEST,
        Ending.CORPUS_UNUSABLE,
        Ending.BUDGET_TOO_SMALL,
        Ending.PLAN_NOT_APPROVED,
        Ending.NOTHING_TO_FOLLOW_UP,
        Ending.INSUFFICIENT_EVIDENCE,
        Ending.CANCELLED,
    }
)
"""Ends in which all was done that could be: it lay with what was asked, or there was nothing to be
found. Rates of failing runs leave them out; in the others something could not be done."""


class RunEnded(InternalError):
    """A step of the run cannot go on; the subject is whom its end is about, if anybody."""

    def __init__(self, ending: Ending, message: str, subject: str | None = None) -> None:
        super().__init__(message)
        self.ending = ending
        self.message = message
        self.subject = subject


def require_result(envelope: SubagentResult[R], ending: Ending) -> R:
    if envelope.result is None:
        raise RunEnded(ending, envelope.failure.message if envelope.failure else "Nothing came.")
    return envelope.result


@dataclass(eq=False)
class Run:
    """All that is known of a run, and what the world is told when it changes."""

    run_id: str
    started: dt.datetime  # when the run began, UTC
    topic: str = ""
    request: ResearchRequest = field(init=False)  # once it is known to be one
    route: Route = field(default_factory=Route)
    phase: Phase = Phase.TAKING_STOCK
    phases: tuple[Entered, ...] = ()  # those that it came to, in order
    problem: str | None = None  # what ended it before it had a report, in words
    inventory: Inventory | None = None
    earlier: Evidence | None = None  # the evidence of the run that it follows up
    since: Report | None = None  # the report of its schedule's run before
    scope: Scope | None = None  # what it tries again of that
    kept: Evidence | None = None  # of the run to which one more question is put
    plan: Plan | None = None
    proposal: Proposal | None = None
    angle_progress: dict[str, AssignmentProgress] = field(default_factory=dict)  # by angle
    shelf: dict[str, FoundSource] = field(default_factory=dict)  # sources found, by id
    findings: tuple[Findings, ...] = ()
    contradictions: dict[str, Contradiction] = field(default_factory=dict)
    unsettled: frozenset[str] = frozenset()  # contradictions of the run whose evidence is kept
    debate: Debate | None = None
    methods: Methods = field(default_factory=Methods)  # of steps that the reasoner did not do
    late: tuple[LateRuling, ...] = ()  # that wait for a revision
    revisions: int = 0
    refused: Rejections = field(default_factory=Rejections)
    failures: tuple[ReportedFailure, ...] = ()  # tasks that failed, those made good among them
    tasks: int = 0
    usage: Usage = field(default_factory=Usage)
    is_reworded: bool = False  # whether a question to what is kept was put anew
    answered: Answerers = field(default_factory=Answerers)
    left_out: dict[str, LeftOut] = field(default_factory=dict)  # by bound
    prose: WrittenProse | None = None  # what a model wrote so far
    unwritten_for: str | None = None  # the bound for which code wrote the synthesis
    ids: dict[str, int] = field(default_factory=dict)  # how often each name of a task was given
    waited: dt.timedelta = dt.timedelta(0)  # for people
    # why and since when the provider of the models is waited for, and how long it was before
    provider_wait: ProviderWait | None = None
    waited_for_provider: dt.timedelta = dt.timedelta(0)
    writes_again: bool = False  # whether another report follows the one that is being written
    # whether there is a provisional report; if not, why, and what failed
    provisional: bool = False
    provisional_problem: str | None = None
    provisional_failures: tuple[ReportedFailure, ...] = ()
    report: Report | None = None
    confidence: float | None = None  # of the report that was published last
    _deliveries: list[asyncio.Task[SubagentResult[Any]]] = field(default_factory=list)
    _told: set[tuple[str, str | None]] = field(default_factory=set)
    _shown: dict[str, object] = field(default_factory=dict)

    @property
    def admitted(self) -> int:
        return sum(entry.admitted for entry in self.shelf.values())

    # The run as a whole.

    @property
    def is_compared(self) -> bool:
        """Whether every contradiction of the run is known, or none will be found any more."""
        reached = {entered.phase for entered in self.phases}
        return not reached.isdisjoint({Phase.SETTLING, Phase.FAILED, Phase.CANCELLED})

    def recall(self, earlier: Evidence) -> None:
        """Go on with an earlier run, and with its reasoner unless another one is asked for."""
        self.earlier = earlier
        if self.request.reasoner is None and earlier.backend:
            self.route = self.route.model_copy(update={"reasoner": earlier.backend.reasoner})

    @property
    def answers_from_kept(self) -> bool:
        """Whether a model answers one more question from what another run has kept."""
        return self.kept is not None and self.has_model and not self.request.searches

    @property
    def has_model(self) -> bool:
        return self.plan is not None and self.plan.reasoner.uses_language_model

    @property
    def assignments(self) -> tuple[Assignment, ...]:
        return self.plan.assignments if self.plan is not None else ()

    def start_plan(self, plan: Plan) -> None:
        self.plan = plan
        self.angle_progress = {
            each.id: AssignmentProgress(id=each.id, title=each.title) for each in plan.assignments
        }

    # Its tasks.

    def create_id(self, base: str) -> str:
        """Return a task id that no other task of the run has."""
        self.ids[base] = number = self.ids.get(base, 0) + 1
        return base if number == 1 else f"{base}-{number}"

    def make_good(self, *task_ids: str) -> None:
        """Note that a later attempt made failed tasks good, or failed on its own account."""
        good = {"recovered": True, "remedy": Remedy.LATER}
        self.failures = tuple(
            failure.model_copy(update=good) if failure.task_id in task_ids else failure
            for failure in self.failures
        )

    def drop_failure(self, task_id: str) -> None:
        """Forget a failure that another entry tells of now."""
        self.failures = tuple(failure for failure in self.failures if failure.task_id != task_id)

    def reach_bound(self, bound: str) -> None:
        """Note that a bound of the budget is reached."""
        self.left_out[bound] = LeftOut(bound=bound)

    def record_loss(
        self,
        task_id: str,
        agent: str,
        description: str,
        failure: Failure,
        attempts: int = 1,
        left_out: str | None = None,
    ) -> None:
        """Keep the failure of work that has no envelope."""
        self.record_failures(
            ReportedFailure(
                task_id=task_id,
                agent_type=agent,
                task_description=description,
                attempts=attempts,
                failure=failure,
                left_out=left_out,
                failed_at=workflow.now() if left_out is None else None,
            )
        )

    def leave_out(self, bound: str, agent: str, task_id: str, description: str) -> None:
        """Name a task that is left out, so that a follow-up takes it up; once a task."""
        self.reach_bound(bound)
        if all(failed.task_id != task_id for failed in self.failures):
            failure = build_left_out_failure(bound)
            self.record_loss(task_id, agent, description, failure, attempts=0, left_out=bound)

    def note_methods(self, **steps: Method) -> None:
        """Note how steps were carried out that the reasoner did not do."""
        # A reasoner without a language model does by rules whatever it does.
        if self.plan is not None and not self.plan.reasoner.uses_language_model:
            steps = {name: how for name, how in steps.items() if how is not Method.RULES}
        self.methods = self.methods.model_copy(update=steps)

    # Its investigation.

    def update_progress(self, assignment_id: str, /, **changes: object) -> None:
        line = self.angle_progress[assignment_id]
        self.angle_progress[assignment_id] = line.model_copy(update=changes)

    def restore(self, earlier: Evidence) -> None:
        """Begin with what an earlier run found, and with what failed in it."""
        failed = [each for each in earlier.failures if each.agent_type in FIELDWORKERS]
        self.failures += tuple(failed)
        for failure in failed:  # a task of this run must not go by the name of one of that
            self.create_id(failure.task_id.removesuffix(AGAIN))
        self.shelf |= {entry.source.id: entry for entry in earlier.shelf}

    # Its contradictions.

    def restore_comparison(self, earlier: Evidence) -> None:
        """Take over how an earlier run compared and debated, and what failed in that."""
        self.failures += tuple(each for each in earlier.failures if each.agent_type in COMPARERS)
        self.debate, self.prose = earlier.debate, earlier.prose
        if earlier.report is not None:
            self.methods = earlier.report.methods

    def take_late_rulings(self) -> tuple[LateRuling, ...]:
        late, self.late = self.late, ()
        return late

    # What is read off it.

    @property
    def claims(self) -> dict[str, Claim]:
        """Every claim once, in the order of their names, by id."""
        return {claim.id: claim for claim in list_claims(self.findings)}

    @property
    def cited(self) -> dict[str, SourceRef]:
        """The sources of the claims, by id."""
        return select_cited_sources(list_claims(self.findings), self._sort_shelf())

    @property
    def open_contradictions(self) -> tuple[Contradiction, ...]:
        return tuple(each for each in self.contradictions.values() if each.is_open)

    def build_claims_input(self) -> dict[str, Any]:
        """What a task that looks through all claims is given."""
        return {"claims": list_claims(self.findings), "sources": tuple(self.cited.values())}

    def build_progress(self) -> Progress:
        return Progress(**self._collect_facts())

    def build_material(self, contradictions: tuple[Contradiction, ...]) -> Material:
        """What a report is made of, with the contradictions as they stood when that began."""
        facts = self._collect_facts() | {"contradictions": contradictions}
        facts["failures"] = sorted(self.failures, key=lambda failed: build_sort_key(failed.task_id))
        lost = count_lost_readings(self.failures)
        if self.inventory is not None and self.inventory.beyond:  # the pages that were wanted
            facts["documents"] = sum(entry.reading is not None for entry in self.shelf.values())
        else:
            facts["documents"] = max(0, (facts["documents"] or 0) - lost)
        facts["earlier"] = (self.earlier.run_id, self.earlier.report) if self.earlier else None
        waited = (self.waited + self.waited_for_provider).total_seconds()
        return Material(**facts, waiting_seconds=waited, now=workflow.now())

    def build_evidence(
        self, report: Report | None = None, ended: "RunEnded | None" = None
    ) -> Evidence:
        """Everything found, for people to look at and for a follow-up to go on with."""
        ending = {"ending": ended and ended.ending, "reason": ended.message if ended else ""}
        facts = {**self._collect_facts(), **ending, "created": workflow.now(), "report": report}
        return Evidence(**facts)

    def build_named_end(self, ended: "RunEnded", evidence: Artifact | None) -> ApplicationError:
        """What Temporal shows: its type is the ending and its subject, its detail typed."""
        facts = self._collect_facts()
        detail = NamedEnd(**facts, ending=ended.ending, message=ended.message, evidence=evidence)
        name = f"{ended.ending}: {ended.subject}" if ended.subject else ended.ending
        kinds = ApplicationErrorCategory
        category = kinds.BENIGN if ended.ending in NO_FAILURE else kinds.UNSPECIFIED
        return ApplicationError(
            ended.message, detail, type=name, non_retryable=True, category=category
        )

    def _collect_facts(self) -> dict[str, Any]:
        """The one record: each view takes the fields that it has, and ignores the others."""
        inventory, usage = self.inventory, self.usage
        return vars(self) | {
            "shelf": self._sort_shelf(),
            "contradictions": tuple(self.contradictions.values()),
            "assignments": tuple(self.angle_progress.values()),
            "left_out": tuple(self.left_out.values()),
            "rejections": tuple(self.refused.latest),
            "rejected": self.refused.number,
            "answered": self.answered + (self.earlier.answered if self.earlier else Answerers()),
            "backend": self.route.backend,
            "documents": inventory.documents if inventory else None,
            "unread": inventory.unread if inventory else (),
            "model_calls": usage.model_calls,
            "tokens": usage.input_tokens + usage.output_tokens,
            "cost_usd": usage.cost_usd,
        }

    def _sort_shelf(self) -> tuple[FoundSource, ...]:
        """The shelf by id: in which order its sources were found is chance, and models see it."""
        return tuple(self.shelf[name] for name in sorted(self.shelf))

    # How it ends.

    def require_better(self, done: frozenset[AgentType]) -> None:
        """End a follow-up by name that has nothing to say beyond the report that it revises."""
        scope = self.scope
        if scope is None or self.earlier is None or self.earlier.report is None or scope.writes:
            return
        waits = any(failed.agent_type not in done for failed in scope.retried)
        if waits or count_recovered(scope, self.failures) > 0:
            return
        if self.left_out:
            bounds = ", ".join(self.left_out)
            why = f"The budget of {bounds} left out what was to be tried again."
        else:
            last = next(failure for failure in reversed(self.failures) if not failure.recovered)
            why = f"What was tried again failed again: {last.failure.message}"
        stays = f"The report of {self.earlier.run_id} stays as it was."
        raise RunEnded(Ending.NOTHING_RECOVERED, f"{why} {stays}")

    def announce_end(self, ended: "RunEnded", evidence: Artifact | None) -> None:
        """Tell people how it ended without a report, and where its evidence lies."""
        is_cancelled = ended.ending is Ending.CANCELLED
        where = f" What it found is in {evidence.path}" if evidence else ""
        words = "was cancelled." if is_cancelled else f"ended as {ended.ending}: {ended.message}"
        kind = NoticeKind.CANCELLED if is_cancelled else NoticeKind.FAILED
        self.notify(kind, f"{self.run_id} {words}{where}"[:NOTICE_LIMIT])
        self.emit_event("run.ended", ending=ended.ending, message=ended.message)

    # What the world is told.

    def enter_phase(self, phase: Phase) -> None:
        """Begin a phase, by which runs are found and operators follow them."""
        self.phase = phase
        self.phases = (*self.phases, Entered(phase=phase, at=workflow.now()))
        if self.provider_wait is None:
            self.show_attributes(PHASE.value_set(phase))
        workflow.logger.info("run %s: %s", self.run_id, phase)
        if phase is not Phase.DONE:  # of the end of a run its own event tells
            self.emit_event("phase.entered", phase=phase)

    def note_wait(self, failure: Failure | None) -> None:
        """Let people see that the provider of the models is waited for, or is no more."""
        now = workflow.now()
        if failure is not None:
            self.provider_wait = ProviderWait(since=now, why=failure.message)
            workflow.logger.warning("run %s waits: %s", self.run_id, failure.message)
        elif self.provider_wait is not None:
            self.waited_for_provider += now - self.provider_wait.since
            self.provider_wait = None
        self.show_attributes(PHASE.value_set(Phase.AWAITING_PROVIDER if failure else self.phase))

    def show_attributes(self, *updates: SearchAttributeUpdate[Any]) -> None:
        """Let the server's list find the run by values, those that have changed."""
        changed = [update for update in updates if self._shown.get(update.key.name) != update.value]
        self._shown.update((update.key.name, update.value) for update in changed)
        if changed:
            workflow.upsert_search_attributes(changed)

    def emit_event(self, name: str, **facts: str | None) -> None:
        """Publish an event, where the worker that began says that events go out."""
        labels = {key: value for key, value in facts.items() if key in _LABELS and value}
        count("caveat_events", "What happened to runs", event=name, **labels)
        inventory, body = self.inventory, EventBody(name=name, facts=dict(facts))
        if inventory is not None and inventory.events:
            self.post_message(None, body)

    def record_task(
        self,
        envelope: SubagentResult[R],
        *,
        remedy: Remedy | None = None,
        cause: SubagentResult[R] | None = None,
    ) -> SubagentResult[R]:
        """Book how a task ended, and hand its envelope on.

        Args:
            remedy: what was done about its first failure, if anything.
            cause: the envelope of that first failure, where another one followed.
        """
        models = envelope.usage.models
        named = (envelope.reasoner,) if envelope.reasoner else ()
        self.answered += Answerers(
            models=models, with_model=named if models else (), without_model=() if models else named
        )
        self.tasks += 1
        self.usage += envelope.usage
        count_usage(envelope.usage, envelope.agent_type)
        if (failed := describe_failure(envelope, remedy)) is not None:
            self.record_failures(failed)
        elif cause is not None and (failed := describe_failure(cause, remedy)) is not None:
            self.record_failures(failed.model_copy(update={"recovered": True}))
        return envelope

    def record_failures(self, *failed: ReportedFailure) -> None:
        """Keep failures, and tell people of those that nobody foresaw."""
        self.failures += failed
        for failure in failed:
            if failure.left_out is not None:
                continue
            count(
                "caveat_failures",
                "Tasks that failed, with those made good",
                type=str(failure.failure.failure_type),
                category=str(failure.failure.category),
                role=str(failure.agent_type),
                recovered=str(failure.recovered).lower(),
            )
            # Once a role and provider; of a notice that failed, no notice.
            kind = (failure.agent_type, failure.failure.provider)
            is_unforeseen = failure.failure.category is FailureCategory.UNKNOWN
            if is_unforeseen and failure.agent_type != AgentType.HERALD and kind not in self._told:
                self._told.add(kind)
                self.notify(
                    NoticeKind.UNKNOWN_FAILURE,
                    f"The {failure.agent_type} failed in an unforeseen way: "
                    f"{failure.failure.message} (`caveat status {self.run_id}`)",
                )

    def notify(self, kind: NoticeKind, message: str, arbitration: str | None = None) -> None:
        """Tell people, of an arbitration if it is about one, without waiting or recovering."""
        task_id = self.create_id("notify")
        notice = Notice(
            id=f"{self.run_id}-{task_id}",
            kind=kind,
            run_id=self.run_id,
            topic=self.topic,
            message=message,
            created=workflow.now(),
            arbitration=arbitration,
        )
        task = NotificationTask(task_id=task_id, description=f"Tell people: {kind}", notice=notice)
        self._deliveries.append(asyncio.create_task(delegate(NOTIFY, task, self.route)))

    def post_message(self, recipient: str | None, body: SteeringBody | EventBody) -> None:
        """Send a message to an agent elsewhere, without waiting for it."""
        subject = body.name if isinstance(body, EventBody) else f"{body.order} {body.task_id}"
        task = PostTask(
            task_id=self.create_id("post"),
            description=f"Tell {recipient or 'everybody'}: {subject}",
            run_id=self.run_id,
            recipient=recipient,
            body=body,
            priority=Priority.CRITICAL if isinstance(body, SteeringBody) else Priority.LOW,
        )
        self._deliveries.append(asyncio.create_task(delegate(POST, task, self.route)))

    async def wait_for_deliveries(self) -> None:
        """Wait until everybody is told, and count the deliveries and what their failures tell."""
        while self._deliveries:
            deliveries, self._deliveries = self._deliveries, []
            for envelope in await asyncio.gather(*deliveries):
                self.record_task(envelope)


_LABELS = frozenset({"ending", "by", "phase", "status"})
"""Facts of an event that have a few values each and hold nobody's words."""


def count_usage(usage: Usage, role: str) -> None:
    if not usage.model_calls:
        return
    count("caveat_model_calls", "Calls to language models", usage.model_calls, role=role)
    for direction, number in (("input", usage.input_tokens), ("output", usage.output_tokens)):
        count("caveat_tokens", "Tokens of language models", number, role=role, direction=direction)
    if usage.cost_usd is not None:
        meter = workflow.metric_meter()
        spent = meter.create_histogram_float("caveat_cost_usd", "Cost of a task", "USD")
        spent.record(usage.cost_usd, {"role": role})


def count(name: str, description: str, number: int = 1, /, **labels: str) -> None:
    workflow.metric_meter().create_counter(name, description).add(number, labels)

"""The state of a run, every change to it, how it ends by name, and what is read off it."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

from caveat.contracts.backend import Route
from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import Contradiction, LateRuling, Rejection
from caveat.contracts.debate import Debate
from caveat.contracts.envelope import AgentType, R, SubagentResult, Usage
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.contracts.inventory import Inventory
from caveat.contracts.investigation import Findings, FoundSource
from caveat.contracts.notice import LONGEST, NoticeKind
from caveat.contracts.outcome import (
    Artifact,
    AssignmentProgress,
    Ending,
    Evidence,
    Material,
    NamedEnd,
    Progress,
    ProviderWait,
    RunRecord,
)
from caveat.contracts.phase import Entered, Phase
from caveat.contracts.plan import Answerers, Plan, Proposal, ResearchRequest
from caveat.contracts.report import LeftOut, Method, Methods, Remedy, Report, ReportedFailure
from caveat.contracts.source import SourceRef
from caveat.contracts.spending import Step
from caveat.contracts.synthesis import WrittenProse
from caveat.problem import InternalError
from caveat.rules.evidence import build_sort_key, list_claims, select_cited_sources
from caveat.rules.report import count_lost_readings
from caveat.rules.run.budget import GATHERING, build_left_out_failure, list_step_usage
from caveat.rules.run.recovery import COMPARERS, FIELDWORKERS

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
    """A step of the run found that it cannot go on.

    Args:
        subject: whom or what the name is about, where it says more than the name alone.
    """

    def __init__(self, ending: Ending, message: str, subject: str | None = None) -> None:
        super().__init__(message)
        self.ending = ending
        self.message = message
        self.subject = subject


def require_result(envelope: SubagentResult[R], ending: Ending) -> R:
    """Take the result without which the run cannot go on."""
    if envelope.result is None:
        raise RunEnded(ending, envelope.failure.message if envelope.failure else "Nothing came.")
    return envelope.result


def describe_end(run_id: str, ended: RunEnded, evidence: Artifact | None) -> tuple[NoticeKind, str]:
    """Say how a run ended that has no report, and where its evidence lies."""
    is_cancelled = ended.ending is Ending.CANCELLED
    where = f" What it found is in {evidence.path}" if evidence else ""
    words = "was cancelled." if is_cancelled else f"ended as {ended.ending}: {ended.message}"
    kind = NoticeKind.CANCELLED if is_cancelled else NoticeKind.FAILED
    return kind, f"{run_id} {words}{where}"[:LONGEST]


AGAIN = "-again"  # ends the id of the task that a changed input makes of another one

KEPT_REJECTIONS = 20
"""The latest answers that were not accepted, in words; the others are counted. Nobody reads more,
and thousands would fill the run's memory."""


@dataclass(eq=False)
class State:
    run_id: str
    started: dt.datetime  # when the run began, UTC
    topic: str = ""
    request: ResearchRequest | None = None
    route: Route = field(default_factory=Route)
    phase: Phase = Phase.TAKING_STOCK
    phases: tuple[Entered, ...] = ()  # those that it came to, in order
    problem: str | None = None  # what ended it before it had a report, in words
    inventory: Inventory | None = None
    earlier: Evidence | None = None  # the evidence of the run that it follows up
    since: Report | None = None  # the report of its schedule's run before
    asked: Evidence | None = None  # of the run to which one more question is put
    plan: Plan | None = None
    proposal: Proposal | None = None
    # how far each assignment is, by its id
    angle_progress: Mapping[str, AssignmentProgress] = field(default_factory=dict)
    # the sources that were found, by id
    shelf: Mapping[str, FoundSource] = field(default_factory=dict)
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
    failures: tuple[ReportedFailure, ...] = ()  # tasks that failed, those made good among them
    tasks: int = 0
    usage: Usage = field(default_factory=Usage)
    used: Mapping[Step, Usage] = field(default_factory=dict)
    answered: Answerers = field(default_factory=Answerers)
    # what each bound of the budget left out
    left_out: Mapping[str, LeftOut] = field(default_factory=dict)
    prose: WrittenProse | None = None  # what a model wrote so far
    unwritten_for: str | None = None  # the bound for which code wrote the synthesis
    ids: Mapping[str, int] = field(default_factory=dict)  # how often each name of a task was given
    waited: dt.timedelta = dt.timedelta(0)  # for people
    # why and since when the provider of the models is waited for, and how long it was before
    provider_wait: ProviderWait | None = None
    waited_for_provider: dt.timedelta = dt.timedelta(0)
    writes_again: bool = False  # whether another report follows the one that is being written
    # whether there is a provisional report, and its files; if not, why, and what failed
    provisional: bool = False
    provisional_files: tuple[Artifact, ...] = ()
    provisional_problem: str | None = None
    provisional_failures: tuple[ReportedFailure, ...] = ()
    report: Report | None = None
    confidence: float | None = None  # of the report that was published last

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
        if self.request is not None and self.request.reasoner is None and earlier.backend:
            self.route = self.route.model_copy(update={"reasoner": earlier.backend.reasoner})

    @property
    def answers_from_kept(self) -> bool:
        """Whether a model answers one more question from what another run has kept."""
        searches = self.request is not None and self.request.searches
        return self.asked is not None and self.has_model and not searches

    @property
    def has_model(self) -> bool:
        """Whether the reasoner of its plan uses a language model."""
        return self.plan is not None and self.plan.reasoner.uses_language_model

    def start_plan(self, plan: Plan) -> None:
        """Keep the plan and open a line for each assignment."""
        self.plan = plan
        self.angle_progress = {
            each.id: AssignmentProgress(id=each.id, title=each.title) for each in plan.assignments
        }

    # Its tasks.

    def create_id(self, base: str) -> str:
        """Return a task id that no other task of the run has."""
        self.ids = {**self.ids, base: self.ids.get(base, 0) + 1}
        return base if self.ids[base] == 1 else f"{base}-{self.ids[base]}"

    def spend(self, step: Step | None, usage: Usage) -> None:
        self.usage += usage
        if step is not None:
            self.used = {**self.used, step: self.used.get(step, Usage()) + usage}

    def add_failures(self, *failed: ReportedFailure) -> None:
        self.failures = (*self.failures, *failed)

    def make_good(self, *task_ids: str) -> None:
        """Note that a later attempt made failed tasks good, or failed on its own account."""
        good = {"recovered": True, "remedy": Remedy.LATER}
        self.failures = tuple(
            failure.model_copy(update=good) if failure.task_id in task_ids else failure
            for failure in self.failures
        )

    def drop(self, task_id: str) -> None:
        """Forget a failure that another entry tells of now."""
        self.failures = tuple(failure for failure in self.failures if failure.task_id != task_id)

    def reach_bound(self, bound: str, step: Step | None = None) -> None:
        """Note that a bound of the budget is reached.

        Args:
            step: what the call would have been made for; None of a task that fetches.
        """
        before = self.left_out.get(bound)
        gathers = step is None or step in GATHERING or (before is not None and before.gathering)
        self.left_out = {**self.left_out, bound: LeftOut(bound=bound, gathering=gathers)}

    def leave_out(self, bound: str, agent: str, task_id: str, description: str) -> None:
        """Name a task that is left out, so that a follow-up takes it up; once a task."""
        if any(failed.task_id == task_id for failed in self.failures):
            return
        self.add_failures(
            ReportedFailure(
                task_id=task_id,
                agent_type=agent,
                task_description=description,
                attempts=0,
                failure=build_left_out_failure(bound),
                left_out=bound,
            )
        )

    def note_methods(self, **steps: Method) -> None:
        """Note how steps were carried out that the reasoner did not do."""
        # A reasoner without a language model does by rules whatever it does.
        if self.plan is not None and not self.plan.reasoner.uses_language_model:
            steps = {name: how for name, how in steps.items() if how is not Method.RULES}
        self.methods = self.methods.model_copy(update=steps)

    # Its investigation.

    def update_progress(self, assignment_id: str, /, **changes: object) -> None:
        line = self.angle_progress[assignment_id].model_copy(update=changes)
        self.angle_progress = {**self.angle_progress, assignment_id: line}

    def shelve(self, source_id: str, entry: FoundSource) -> None:
        """Put a source on the shelf, or another word on one that stands there."""
        self.shelf = {**self.shelf, source_id: entry}

    def unshelve(self, source_id: str) -> None:
        """Take a source off the shelf that is a copy of another one."""
        self.shelf = {name: entry for name, entry in self.shelf.items() if name != source_id}

    def restore(self) -> None:
        """Begin with what the earlier run found, and with what failed in it."""
        if self.earlier is None:
            return
        failed = [each for each in self.earlier.failures if each.agent_type in FIELDWORKERS]
        self.add_failures(*failed)
        for failure in failed:  # a task of this run must not go by the name of one of that
            self.create_id(failure.task_id.removesuffix(AGAIN))
        self.shelf = {**self.shelf, **{entry.source.id: entry for entry in self.earlier.shelf}}

    # Its contradictions.

    def put(self, contradiction: Contradiction) -> None:
        self.contradictions = {**self.contradictions, contradiction.id: contradiction}

    def restore_comparison(self) -> None:
        """Take over how the earlier run compared and debated, and what failed in that."""
        if self.earlier is None:
            return
        self.add_failures(*(each for each in self.earlier.failures if each.agent_type in COMPARERS))
        self.debate, self.prose = self.earlier.debate, self.earlier.prose
        if self.earlier.report is not None:
            self.methods = self.earlier.report.methods

    def reject(self, rejection: Rejection) -> None:
        """Keep an answer to a contradiction that was not accepted."""
        self.rejections = (*self.rejections, rejection)[-KEPT_REJECTIONS:]
        self.rejected += 1

    def take_late_rulings(self) -> tuple[LateRuling, ...]:
        late, self.late = self.late, ()
        return late

    # Its reports.

    def write_provisional(self, files: tuple[Artifact, ...], before: int) -> None:
        """Note that people can read a provisional report, and what failed while it was written.

        Args:
            files: where its worker wrote it.
        """
        self.provisional, self.provisional_files = True, files
        self.provisional_failures = _select_writing_failures(self.failures[before:])

    def miss_provisional(self, ended: RunEnded, before: int, now: dt.datetime) -> None:
        """Keep why there is no provisional report, as a failure and in words.

        Args:
            ended: what would have ended the run, had this been its last report.
            before: how many failures were booked when its writing began; an audit that finds
                something is no task that failed, and is booked here.
        """
        audits = (failure.agent_type == AgentType.AUDITOR for failure in self.failures[before:])
        is_missing = ended.ending is Ending.AUDIT_FAILED and not any(audits)
        if is_missing:
            failure = Failure(
                category=FailureCategory.VALIDATION,
                failure_type=FailureType.PERMANENT,
                message=ended.message[:500],
                retry_recommended=False,
            )
            self.add_failures(
                ReportedFailure(
                    task_id="audit-provisional",
                    agent_type=AgentType.AUDITOR,
                    task_description="Audit the provisional report",
                    attempts=1,
                    failure=failure,
                    failed_at=now,
                )
            )
        self.provisional_problem = f"The provisional report could not be written: {ended.message}"
        self.provisional_failures = _select_writing_failures(self.failures[before:])

    def fail_again(self, before: Sequence[ReportedFailure]) -> None:
        """Take back what was taken as made good: the final report could not be written either."""
        self.failures = (*before, *self.failures[len(before) :])


_BESIDE = frozenset({AgentType.DEBATER, AgentType.HERALD, AgentType.MESSENGER})
"""Who works while a provisional report is written, and not on it."""


def _select_writing_failures(failures: Sequence[ReportedFailure]) -> tuple[ReportedFailure, ...]:
    return tuple(failure for failure in failures if failure.agent_type not in _BESIDE)


def list_broken_documents(
    inventory: Inventory, failed_at: dt.datetime
) -> tuple[ReportedFailure, ...]:
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


def build_progress(state: State) -> Progress:
    return Progress(**_collect_facts(state))


def collect_claims(state: State) -> dict[str, Claim]:
    """Every claim of the run once, in the order of their names, by id."""
    return {claim.id: claim for claim in list_claims(state.findings)}


def collect_sources(state: State) -> dict[str, SourceRef]:
    return select_cited_sources(list_claims(state.findings), _sort_shelf(state))


def build_claims_input(state: State) -> dict[str, Any]:
    """What a task that looks through all claims is given."""
    claims, sources = list_claims(state.findings), collect_sources(state)
    return {"claims": claims, "sources": tuple(sources.values())}


def open_contradictions(state: State) -> tuple[Contradiction, ...]:
    """Those that are not settled yet, in order of detection."""
    return tuple(each for each in state.contradictions.values() if each.is_open)


def build_material(state: State, now: dt.datetime) -> Material:
    facts = _collect_facts(state)
    facts["failures"] = sorted(state.failures, key=lambda failed: build_sort_key(failed.task_id))
    lost = count_lost_readings(state.failures)
    if state.inventory is not None and state.inventory.beyond:  # the pages that were wanted
        facts["documents"] = _count_read_sources(state)
    else:
        facts["documents"] = max(0, (facts["documents"] or 0) - lost)
    facts["earlier"] = (state.earlier.run_id, state.earlier.report) if state.earlier else None
    waited = state.waited + state.waited_for_provider
    return Material(**facts, waiting_seconds=waited.total_seconds(), now=now)


def build_evidence(
    state: State, now: dt.datetime, report: Report | None, ended: RunEnded | None
) -> Evidence:
    """Everything found, for people to look at and for a follow-up to go on with."""
    ending = {"ending": ended and ended.ending, "reason": ended.message if ended else ""}
    return Evidence(**{**_collect_facts(state), **ending, "created": now, "report": report})


def build_record(state: State, now: dt.datetime, ending: Ending | None) -> RunRecord:
    """What memory keeps of a run; `ending` is None when it has a report."""
    return RunRecord(
        **_collect_facts(state),
        ending=ending,
        finished=now,
        sources_read=_count_read_sources(state),
        claims=sum(len(finding.claims) for finding in state.findings),
    )


def build_named_end(state: State, ended: RunEnded, evidence: Artifact | None) -> ApplicationError:
    """The failure that Temporal shows: its type is the ending and its subject, its detail typed."""
    facts = _collect_facts(state)
    detail = NamedEnd(**facts, ending=ended.ending, message=ended.message, evidence=evidence)
    name = f"{ended.ending}: {ended.subject}" if ended.subject else ended.ending
    failed = ended.ending not in NO_FAILURE
    category = ApplicationErrorCategory.UNSPECIFIED if failed else ApplicationErrorCategory.BENIGN
    return ApplicationError(ended.message, detail, type=name, non_retryable=True, category=category)


def _collect_facts(state: State) -> dict[str, Any]:
    """The one record of a run: each view takes the fields that it has, and ignores the others."""
    inventory, usage = state.inventory, state.usage
    return vars(state) | {
        "shelf": _sort_shelf(state),
        "contradictions": tuple(state.contradictions.values()),
        "assignments": tuple(state.angle_progress.values()),
        "left_out": tuple(state.left_out.values()),
        "answered": state.answered + (state.earlier.answered if state.earlier else Answerers()),
        "backend": state.route.backend,
        "documents": inventory.documents if inventory else None,
        "unread": inventory.unread if inventory else (),
        "model_calls": usage.model_calls,
        "tokens": usage.input_tokens + usage.output_tokens,
        "cost_usd": usage.cost_usd,
        "usage_by_step": list_step_usage(state.used),
    }


def _sort_shelf(state: State) -> tuple[FoundSource, ...]:
    """The shelf by id: in which order its sources were found is chance, and models see it."""
    return tuple(state.shelf[name] for name in sorted(state.shelf))


def _count_read_sources(state: State) -> int:
    read = (entry for entry in state.shelf.values() if entry.reading is not None)
    return sum(not entry.scanned for entry in read)

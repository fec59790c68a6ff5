"""Views of a run: under way, as a report is made of it, how it ends, and how arbitrations do."""

import datetime as dt
from enum import StrEnum

from caveat.contracts.backend import Backend
from caveat.contracts.base import Contract, Count, Share
from caveat.contracts.contradiction import Contradiction, Rejection
from caveat.contracts.phase import Entered, Phase, Spending
from caveat.contracts.plan import (
    Answerers,
    Assignment,
    Format,
    Inventory,
    Plan,
    Proposal,
    ResearchRequest,
)
from caveat.contracts.report import LeftOut, Methods, Report, ReportedFailure
from caveat.contracts.source import Claim, Credibility, Reading, SourceRef, Unread
from caveat.contracts.synthesis import Debate, WrittenProse


class FoundSource(Contract):
    source: SourceRef  # the source
    credibility: Credibility  # its score and factors
    admitted: bool  # whether it was good enough to be read
    reason: str  # why it was or was not
    reading: Reading | None = None  # None when it was not or could not be read
    copies: tuple[str, ...] = ()  # other addresses of the same text


class Work(StrEnum):
    """The kinds of work that an assignment is made of."""

    SEARCH = "search"
    READ = "read"
    ANALYSE = "analyse"
    ASK = "ask"  # an outside agent's whole assignment
    REWORD = "reword"
    """Other words for a query that gave too little: without them an angle is whole all the same."""


class OpenWork(Contract):
    """Work of an assignment that failed for good or was left out."""

    work: Work  # what sort of work it was
    task_id: str  # the task, as its failure is booked
    query: str | None = None  # what was searched, for a search
    engine: str | None = None  # the search engine that was asked; None where it has no name
    others_answered: bool = False  # whether another engine answered the same query
    source_id: str | None = None  # what was read or analysed, otherwise
    start_at: Count = 0  # the character to go on at
    done: tuple[str, ...] = ()  # what an agent elsewhere has done of it already, in its own words
    retry_recommended: bool = False  # whether the same may work later
    left_out: bool = False  # whether a bound of the budget left it out, so that it did not fail
    was_started: bool = True  # whether it was given to a subagent at all

    @property
    def is_missed(self) -> bool:
        """Whether an angle is less whole without it."""
        return self.work is not Work.REWORD and not (self.left_out or self.others_answered)


class Findings(Contract):
    assignment: Assignment  # the angle
    claims: tuple[Claim, ...] = ()  # best first
    attempted: Count  # readings, analyses, and searches that failed
    # of those, how many failed for good; not an engine whose query others have answered, nor a
    # failed rewording
    failed: Count
    # the failed ones, such engines, and what a bound of the budget left out: to be taken up again
    open_work: tuple[OpenWork, ...] = ()
    late: bool = False  # whether it was left behind at the deadline
    gaps: tuple[str, ...] = ()  # what was looked for and not found, a sentence each
    rejected_quotes: Count = 0  # not in the snapshot
    beside: Count = 0  # claims that only touch on the question
    share: Share | None = None  # done, as an agent elsewhere says

    @property
    def completeness(self) -> float:
        """Share of its tasks that were done, 0 to 1."""
        if self.share is not None:
            return self.share
        return 1 - self.failed / self.attempted if self.attempted else 0.0


class Ending(StrEnum):
    """The names by which a run fails."""

    INVALID_REQUEST = "invalid_request"  # the input is not a research request
    CORPUS_UNUSABLE = "corpus_unusable"  # a corpus is missing, empty, or nothing in it can be read
    PLANNING_FAILED = "planning_failed"  # no plan could be made
    PLAN_NOT_APPROVED = "plan_not_approved"  # nobody approved the plan in time
    INSUFFICIENT_AGENTS = "insufficient_agents"
    """Fewer assignments than the quorum brought claims, and some could not be carried out."""
    CRITICAL_AGENT_FAILED = "critical_agent_failed"
    """An assignment that the run cannot do without could not be carried out."""
    INSUFFICIENT_EVIDENCE = "insufficient_evidence"
    """Assignments were carried out and found nothing: all, too many, or critical ones."""
    SYNTHESIS_FAILED = "synthesis_failed"  # no synthesis could be written
    AUDIT_FAILED = "audit_failed"  # the report did not pass its audit
    BUDGET_TOO_SMALL = "budget_too_small"  # the budget does not pay for what no run can do without
    NOTHING_TO_FOLLOW_UP = "nothing_to_follow_up"
    """The earlier run is not known, or nothing in it is worth trying again."""
    NOTHING_RECOVERED = "nothing_recovered"
    """A follow-up tried again what had failed, and all of it failed again."""
    PUBLICATION_FAILED = "publication_failed"  # the report could not be written
    CANCELLED = "cancelled"  # somebody cancelled the run; it was not its own work that failed


class Artifact(Contract):
    """A file on the worker's machine: format, absolute path and bytes."""

    format: Format
    path: str
    sha256: str
    size: Count


class Outcome(Contract):
    """The result of a run that has a report."""

    report: Report  # the report
    artifacts: tuple[Artifact, ...] = ()  # its files
    failures: tuple[ReportedFailure, ...] = ()  # after it was written, so that it could not say so


class Course(Spending):
    """How a run went: part of every view of it."""

    phases: tuple[Entered, ...] = ()  # those that it came to, in order
    failures: tuple[ReportedFailure, ...] = ()  # every failure envelope


class RunView(Course):
    """What every view of a run adds to its result."""

    run_id: str  # workflow id
    topic: str  # what was asked
    started: dt.datetime  # when it began, UTC


class Collected(RunView):
    request: ResearchRequest  # what was asked, whole
    plan: Plan | None = None  # the assignments, if there was a plan
    findings: tuple[Findings, ...] = ()  # what each assignment brought, in plan order
    shelf: tuple[FoundSource, ...] = ()  # every source found, by id
    contradictions: tuple[Contradiction, ...] = ()  # as far as they are settled
    debate: Debate | None = None  # what was said of the claims; None without a debate
    answered: Answerers = Answerers()  # whose answers it rests on, with those of an earlier run


class Evidence(Collected):
    """What a run found and took: kept when it fails by name, and reused by a follow-up."""

    ending: Ending | None  # the name of the end; None when the run has a report
    reason: str  # one sentence for people; empty when the run has a report
    created: dt.datetime  # when it was kept, UTC
    inventory: Inventory | None = None  # what could be searched, once that was known
    report: Report | None = None  # the report, if there is one
    prose: WrittenProse | None = None  # what a model wrote for it
    backend: Backend | None = None  # who reasoned and searched, once that was decided


class NamedEnd(Course):
    """The typed detail of the failure that ends a run by name."""

    ending: Ending  # the name
    message: str  # one sentence that says what to do
    evidence: Artifact | None = None  # where the evidence was kept, if there was any


class Settlement(Contract):
    """The result of the workflow `Arbitration`."""

    contradiction: Contradiction  # settled: by a person, or provisionally because nobody came
    failures: tuple[ReportedFailure, ...] = ()  # to remind or to keep it; none of them changes it


class Material(Collected):
    plan: Plan  # the assignments
    methods: Methods = Methods()  # what was done by rules in place of a model, or could not be done
    documents: int  # documents of the corpus that could be searched and, as far as they were, read
    unread: tuple[Unread, ...] = ()  # files of the corpus that were not looked at
    tasks: int  # tasks of the whole run
    left_out: tuple[LeftOut, ...] = ()  # what bounds of the budget left out
    unwritten_for: str | None = None  # the one of them for which there is no synthesis, if any
    earlier: tuple[str, Report | None] | None = None  # what it follows up, and its report
    since: Report | None = None  # the report of the schedule's run before, if there was one
    waiting_seconds: float = 0.0  # for people or for the provider
    now: dt.datetime  # when the report is assembled, UTC


class AssignmentState(StrEnum):
    WAITING = "waiting"
    SEARCHING = "searching"
    READING = "reading"
    DONE = "done"
    NOTHING_FOUND = "nothing_found"
    FAILED = "failed"


class AssignmentProgress(Contract):
    """One line of the live table."""

    id: str  # the assignment
    title: str  # its angle
    state: AssignmentState = AssignmentState.WAITING  # where it is
    found: int = 0  # sources that its searches returned
    to_read: int = 0  # sources admitted for it
    read: int = 0  # of those, how many are read and analysed, or failed
    claims: int = 0  # claims found so far
    failures: int = 0  # tasks that failed
    note: str = ""  # the latest failure or gap in a few words


class ProviderWait(Contract):
    """The provider of the models does not answer, and the run waits until it does."""

    since: dt.datetime  # UTC
    why: str  # how it answered last, as people are told


class Progress(RunView):
    """A running run at a glance: the answer to the query `progress`."""

    phase: Phase  # where the run is, the last of its phases
    backend: Backend | None = None  # who reasons, once that is decided
    documents: int | None = None  # documents in the corpus, once it was taken stock of
    unread: tuple[Unread, ...] = ()  # files of the corpus that are not looked at
    proposal: Proposal | None = None  # the plan, while it waits for a person's approval
    provider_wait: ProviderWait | None = None  # of the models, while it is waited for
    assignments: tuple[AssignmentProgress, ...] = ()  # one line each, in plan order
    contradictions: tuple[Contradiction, ...] = ()  # claims that disagree, once they were compared
    rejections: tuple[Rejection, ...] = ()  # the latest answers that were not accepted
    rejected: int = 0  # how many were not accepted in all
    provisional: bool = False  # whether a provisional report is there
    provisional_problem: str | None = None  # why it could not be written
    confidence: float | None = None  # once it is known
    problem: str | None = None  # how the run ended, when it failed by name

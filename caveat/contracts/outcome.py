"""How runs end, with a report or by name with their evidence kept, and how arbitrations do."""

import datetime as dt
from enum import StrEnum
from typing import Self

from pydantic import Field

from caveat.contracts.backend import Backend
from caveat.contracts.base import Contract
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.debate import Debate
from caveat.contracts.inventory import Inventory
from caveat.contracts.investigation import Findings, Shelved
from caveat.contracts.plan import Answerers, Format, Plan, ResearchRequest
from caveat.contracts.report import Report, ReportedFailure
from caveat.contracts.spending import Spending


class Ending(StrEnum):
    """The names by which a run fails."""

    INVALID_REQUEST = "invalid_request"  # the input is not a research request
    CORPUS_UNUSABLE = "corpus_unusable"  # a corpus is missing, empty, or nothing in it can be read
    PLANNING_FAILED = "planning_failed"  # no plan could be made
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
    PROVIDER_REFUSED = "provider_refused"
    """A follow-up began with the provider that had refused, and it refuses still."""
    NOTHING_RECOVERED = "nothing_recovered"
    """A follow-up tried again what had failed, and all of it failed again."""
    COMPARISON_FAILED = "comparison_failed"
    """A follow-up could not compare the claims as the report was compared that it revises."""
    PUBLICATION_FAILED = "publication_failed"  # the report could not be written
    CANCELLED = "cancelled"  # somebody cancelled the run; it was not its own work that failed


class Artifact(Contract):
    """A file that a run wrote on the worker's machine: its format, absolute path and bytes."""

    format: Format
    path: str
    sha256: str
    size: int = Field(ge=0)


class Outcome(Contract):
    """The result of a run that has a report.

    Attributes:
        report: the report.
        artifacts: its files.
        failures: what failed after it was written, so that it could not say so: keeping the
            evidence, remembering the run, telling people.
    """

    report: Report
    artifacts: tuple[Artifact, ...] = ()
    failures: tuple[ReportedFailure, ...] = ()


class Evidence(Spending):
    """What a run found and took: kept when it fails by name, and reused by a follow-up.

    Attributes:
        run_id: workflow id.
        topic: what was asked.
        ending: the name of the end; None when the run has a report.
        reason: one sentence for people; empty when the run has a report.
        created: when it was kept, UTC.
        started: when the run began, UTC; None in evidence of earlier versions.
        request: what was asked, whole.
        inventory: what could be searched, once that was known.
        plan: the assignments, if there was a plan.
        findings: what each assignment brought, as far as they went.
        shelf: every source found.
        contradictions: claims that disagree, as far as that was settled.
        debate: what was said of the claims, if there was a debate.
        failures: every failure envelope.
        report: the report, if there is one.
        backend: who reasoned and searched, once that was decided.
        answered: whose answers it rests on.
    """

    run_id: str
    topic: str
    ending: Ending | None
    reason: str
    created: dt.datetime
    started: dt.datetime | None = None
    request: ResearchRequest
    inventory: Inventory | None = None
    plan: Plan | None = None
    findings: tuple[Findings, ...] = ()
    shelf: tuple[Shelved, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    debate: Debate | None = None
    failures: tuple[ReportedFailure, ...] = ()
    report: Report | None = None
    backend: Backend | None = None
    answered: Answerers = Answerers()


class NamedEnd(Spending):
    """The typed detail of the failure that ends a run by name, and what the run took.

    Attributes:
        ending: the name.
        message: one sentence that says what to do.
        evidence: where the evidence was kept, if there was any.
        failures: every failure envelope.
    """

    ending: Ending
    message: str
    evidence: Artifact | None = None
    failures: tuple[ReportedFailure, ...] = ()


class RunRecord(Spending):
    """What memory keeps of a run, and of what it took, after its history is gone.

    Attributes:
        run_id: workflow id.
        topic: what was asked.
        ending: None when it has a report.
        started: when it began, UTC.
        finished: when it ended, UTC.
        confidence: of its report, if it has one.
        sources_read: distinct sources read.
        claims: claims found.
        failures: every failure envelope.
    """

    run_id: str
    topic: str
    ending: Ending | None
    started: dt.datetime
    finished: dt.datetime
    confidence: float | None = None
    sources_read: int = 0
    claims: int = 0
    failures: tuple[ReportedFailure, ...] = ()


class Settlement(Contract):
    """The result of the workflow `Arbitration`.

    Attributes:
        contradiction: settled: by a person, or provisionally because nobody came.
        failures: reminders that could not be delivered, a ruling that could not be kept; none of
            them changes how the contradiction was settled.
    """

    contradiction: Contradiction
    failures: tuple[ReportedFailure, ...] = ()


class Settled(Contract):
    """The same as a run receives it.

    Attributes:
        contradiction: None where it is lost.
        failures: as above.
        problem: why it is lost, one sentence; None where it is here.
    """

    contradiction: Contradiction | None = None
    failures: tuple[ReportedFailure, ...] = ()
    problem: str | None = None

    @classmethod
    def when_lost(cls, problem: str) -> Self:
        """Return what stands for a settlement that cannot be fetched."""
        return cls(problem=problem)

"""How runs end: with a report, or by name with their evidence kept."""

import datetime as dt
from enum import StrEnum

from pydantic import Field

from caveat.contracts.base import Contract
from caveat.contracts.claim import Claim
from caveat.contracts.plan import Assignment, Format
from caveat.contracts.report import Gap, Report, ReportedFailure, ReportedSource


class Ending(StrEnum):
    """The names by which a run fails."""

    INVALID_REQUEST = "invalid_request"
    """The input is not a research request."""
    CORPUS_UNUSABLE = "corpus_unusable"
    """A corpus is missing, empty, or nothing in it can be read."""
    PLANNING_FAILED = "planning_failed"
    """No plan could be made."""
    INSUFFICIENT_AGENTS = "insufficient_agents"
    """Fewer assignments than the quorum could be carried out."""
    INSUFFICIENT_EVIDENCE = "insufficient_evidence"
    """The assignments were carried out and no claim was found."""
    SYNTHESIS_FAILED = "synthesis_failed"
    """No synthesis could be written."""
    AUDIT_FAILED = "audit_failed"
    """The report did not pass its audit."""
    PUBLICATION_FAILED = "publication_failed"
    """The report could not be written."""


class Artifact(Contract):
    """A file that a run wrote on the worker's machine: its format, absolute path and bytes."""

    format: Format
    path: str
    sha256: str
    size: int = Field(ge=0)


class Outcome(Contract):
    """The result of a run that has a report."""

    report: Report
    artifacts: tuple[Artifact, ...] = ()


class Evidence(Contract):
    """What a run found before it failed by name.

    Attributes:
        run_id: workflow id.
        topic: what was asked.
        ending: the name of the end.
        reason: one sentence for people.
        created: when it was kept, UTC.
        assignments: the plan, as far as there was one.
        claims: every claim found.
        sources: every source found.
        gaps: what was looked for and not found.
        failures: every failure envelope.
    """

    run_id: str
    topic: str
    ending: Ending
    reason: str
    created: dt.datetime
    assignments: tuple[Assignment, ...] = ()
    claims: tuple[Claim, ...] = ()
    sources: tuple[ReportedSource, ...] = ()
    gaps: tuple[Gap, ...] = ()
    failures: tuple[ReportedFailure, ...] = ()


class NamedEnd(Contract):
    """The typed detail of the failure that ends a run by name.

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


class RunRecord(Contract):
    """What memory keeps of a run after its history is gone.

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

"""`report.json`: the machine's face of a report. Its JSON Schema is in docs/report.schema.json."""

import datetime as dt
from enum import StrEnum
from typing import Literal

from pydantic import AwareDatetime, Field

from caveat.contracts.base import Amount, Contract, Count, Share
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.envelope import Failure
from caveat.contracts.phase import Entered, Spending
from caveat.contracts.plan import Depth, Format, QuorumPolicy, ReasonerCard
from caveat.contracts.source import Claim, CredibilityFactor, Precision, SourceKind, Unread
from caveat.contracts.synthesis import (
    Calculation,
    Debate,
    Figure,
    MissingPart,
    Verdict,
    Verification,
    Weighing,
)

SCHEMA_VERSION: Literal["1.0"] = "1.0"


class ReportStatus(StrEnum):
    """Whether a ruling may still change the report."""

    FINAL = "final"
    PROVISIONAL = "provisional"


class Operation(StrEnum):
    """What a ledger step does to the value before it."""

    SET = "set"
    SUBTRACT = "subtract"
    MULTIPLY = "multiply"
    LIMIT = "limit"  # no more than this


class LedgerStep(Contract):
    """One step: `after` is `operation` applied to `before` and `amount`, kept within 0 and 1."""

    reason: str
    operation: Operation
    amount: Share
    before: Share
    after: Share


class Confidence(Contract):
    """How sure a report or a section is."""

    value: Share  # 0 to 1
    ledger: tuple[LedgerStep, ...]  # every step that led there


class Effort(Contract):
    """What was done for a section, and what came of it."""

    attempted: Count  # tasks of its assignment: readings, analyses, and searches that failed
    unfinished: tuple[str, ...] = ()  # ids of those that failed for good or were left behind
    late: bool = False  # whether it was left behind at the deadline
    found: Count = 0  # claims that were found for it, used or not
    sources: Count = 0  # distinct sources of those claims
    rejected_quotes: Count = 0  # claims thrown away because their quote was not in the snapshot
    share: Share | None = None  # of its work, as an agent elsewhere says; None where tasks tell

    @property
    def done(self) -> int:
        return max(0, self.attempted - len(self.unfinished))

    @property
    def completeness(self) -> float:
        """Share of its tasks that were done, 0 to 1."""
        if self.share is not None:
            return self.share
        return self.done / self.attempted if self.attempted else 0.0


class Section(Contract):
    """One angle of the topic."""

    assignment_id: str
    title: str
    question: str
    summary: str  # Markdown; every factual sentence carries markers such as `[c12]`
    confidence: Confidence  # of this section alone, with its own ledger
    claims: tuple[str, ...]  # ids of the claims that it uses
    effort: Effort


class ReportedSource(Contract):
    """One source and how it was used."""

    id: str  # the source's id, as the claims name it
    number: int | None = Field(default=None, ge=1)  # by first citation, from 1; None if not cited
    title: str
    url: str | None = None  # public address, if any
    path: str | None = None  # path inside its corpus, if any
    published: dt.date | None = None
    precision: Precision = Precision.DAY  # how exactly the day of publication is known
    authors: tuple[str, ...] = ()
    kind: SourceKind = SourceKind.UNKNOWN
    snapshot_sha256: str | None = None  # address of the text that was read; None if it was not
    credibility: Share  # 0 to 1
    factors: tuple[CredibilityFactor, ...] = ()
    admitted: bool  # whether it was good enough to be read
    reason: str  # why it was or was not admitted or used
    copies: tuple[str, ...] = ()  # other addresses that hold the same text and count as this source
    read_at: str | None = None  # where it was read instead of its own address; None for there


class Gap(Contract):
    """Something that was looked for and not found; not a failure."""

    area: str
    reason: str


class Limitation(Contract):
    """Something that failed and what that means; written by code from the failure envelopes."""

    area: str
    why: str  # the failure's category and what was tried
    consequence: str  # what it means for the conclusions
    task_ids: tuple[str, ...] = ()


class Remedy(StrEnum):
    """What the coordinator does about a failure, once, with a changed input."""

    REMAINING_WORK = "remaining_work"  # keep the partial result, do only what is left
    NARROWED = "narrowed"  # the same task again, with fewer at once
    ALTERNATIVE = "alternative"  # another source or another query
    REFRESHED_CREDENTIALS = "refreshed_credentials"  # the same task with new credentials
    LATER = "later"  # the same task again after everything else


class ReportedFailure(Contract):
    """A failure envelope as the report keeps it."""

    task_id: str
    agent_type: str  # the role that failed
    task_description: str
    attempts: Count  # how often it was started; 0 when it was not started at all
    failure: Failure
    completeness: Share = 0.0  # share of the task that was done all the same
    remedy: Remedy | None = None  # what the coordinator did about it; None if nothing was to do
    recovered: bool = False
    failed_at: AwareDatetime | None = None  # UTC, by the run's own clock; None of what never began
    left_out: str | None = None  # the bound for which it was not started; None where it was


class Method(StrEnum):
    """How a step of a run was carried out."""

    REASONER = "reasoner"  # by the reasoner of the run, as the report discloses it
    RULES = "rules"
    """By rules alone, in place of a language model that failed or had no room in the budget."""
    BOTH = "both"  # by a language model, and by rules that see what it keeps to itself
    NONE = "none"  # not at all: it failed


class Methods(Contract):
    """How the steps were carried out that rules can do as well as the reasoner."""

    comparison: Method = Method.REASONER  # finding claims that disagree
    ranking: str = ""  # the sentence-embedding model that ranked passages by the question, or empty
    untold: Count = 0  # open contradictions of the run that was asked, of which this says nothing


class LeftOut(Contract):
    """What a bound of the budget left out."""

    bound: str  # the bound, for example `40 model calls`
    tasks: Count = 0  # how many of the report's failures were not started for it
    synthesis: bool = False  # whether the synthesis is one, so that code put quotes together


class Basis(Contract):
    """What the report is computed from, in addition to its sections, sources and failures."""

    planned: tuple[str, ...]  # ids of the assignments that were planned, in order
    quorum: QuorumPolicy  # how many of them must bring something, and what a missing one costs
    documents: Count  # documents that could be searched and, as far as they were, read
    tasks: Count  # tasks of the whole run
    left_out: tuple[LeftOut, ...] = ()  # what the budget left out, a bound each
    unshown: Count = 0  # claims that the synthesiser was not shown, for want of room


class Metrics(Spending):
    """Measures of one run."""

    citation_coverage: Share  # share of factual sentences that carry a citation
    # of cited sentences read, the share that their quotes carry; None where nobody verified them
    citations_supported: Share | None = None
    sources_per_angle: Amount  # mean number of sources with a claim, per assignment
    sources_found: Count  # distinct sources that searches returned
    sources_read: Count  # distinct sources that were read, copies not counted
    rejected_quotes: Count = 0  # claims thrown away because their quote was not in the snapshot
    pipeline_seconds: Amount  # from start to report, waiting for people not counted
    waiting_seconds: Amount = 0.0  # waiting for people, or for the provider of the models
    phases: tuple[Entered, ...] = ()  # that the run came to until it published, in order
    unhandled_failure_rate: Share = 0.0  # share of tasks that ended in an `unknown` failure
    success_rate: Share = 1.0  # share of tasks that were done whole, at once or when recovered
    failures_recovered: Count = 0  # failures that a changed input made good


class Revision(Contract):
    """What makes a report a revision."""

    of: str  # workflow id of the run that it revises
    changes: tuple[str, ...]  # what differs from that run's report, a sentence each


class Report(Contract):
    """Everything a report says; Markdown and PDF are renderings of it."""

    schema_version: Literal["1.0"] = SCHEMA_VERSION
    generator: Literal["Caveat"] = "Caveat"  # tells a report that lies among documents
    run_id: str
    topic: str
    language: str | None = None  # of its prose, where the request names one; else the question's
    created: dt.datetime  # when the report was assembled, UTC
    depth: Depth  # how much was read
    status: ReportStatus  # final or provisional
    reasoner: ReasonerCard
    formats: tuple[Format, ...]  # the formats that the request asked for
    # `partly` where a part is or sources disagree; None without a model, which cannot tell
    answered: bool | Literal["partly"] | None = None
    # Markdown with claim markers, without a model the closest passages; empty where all is disputed
    answer: str = ""
    answered_because: str = ""  # without a model, which words of the question each passage has
    verdict: Verdict | None = None  # the synthesiser's judgement; None where quotes stand for prose
    missing: tuple[MissingPart, ...] = ()  # parts of the question that are not answered
    disputed: tuple[str, ...] = ()  # ids of the contradictions that touch the answer
    weighings: tuple[Weighing, ...] = ()  # what speaks for each side of the disputes
    calculations: tuple[Calculation, ...] = ()  # numbers computed from some that sources state
    verification: Verification | None = None  # of a model's sentences; None where nobody verified
    stated: tuple[Figure, ...] = ()  # of the disputed quantity, ascending, used or not; or none
    summary: str  # executive summary, Markdown with claim markers
    confidence: Confidence
    sections: tuple[Section, ...]  # one an angle, in plan order
    claims: tuple[Claim, ...]  # all that prose cites, or that are part of a contradiction
    unused: tuple[Claim, ...] = ()  # each source's best for an angle that cites none of it
    sources: tuple[ReportedSource, ...]  # every source found, cited ones first
    contradictions: tuple[Contradiction, ...] = ()  # claims that disagree, and how that was settled
    debate: Debate | None = None  # what its participants said of the claims; None without one
    methods: Methods = Methods()  # what rules did in place of a language model, or nobody could
    gaps: tuple[Gap, ...] = ()  # what was looked for and not found
    limitations: tuple[Limitation, ...] = ()  # what failed and what that means
    failures: tuple[ReportedFailure, ...] = ()  # every failure envelope
    unread: tuple[Unread, ...] = ()  # files of the corpus that were not looked at
    metrics: Metrics  # measures of the run
    revision: Revision | None = None  # what it revises, None for a first report
    basis: Basis  # what code computed confidence, limitations and metrics from

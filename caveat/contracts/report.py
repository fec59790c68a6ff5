"""`report.json`: the machine's face of a report. Its JSON Schema is in docs/report.schema.json."""

import datetime as dt
from enum import StrEnum
from typing import Literal

from pydantic import AwareDatetime, Field

from caveat.contracts.base import Contract
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
    amount: float = Field(ge=0, le=1)
    before: float = Field(ge=0, le=1)
    after: float = Field(ge=0, le=1)


class Confidence(Contract):
    """How sure a report or a section is.

    Attributes:
        value: 0 to 1.
        ledger: every step that led there.
    """

    value: float = Field(ge=0, le=1)
    ledger: tuple[LedgerStep, ...]


class Effort(Contract):
    """What was done for a section, and what came of it.

    Attributes:
        attempted: tasks that its assignment needed: readings, analyses, and searches that failed.
        unfinished: ids of those that failed for good or were left behind.
        late: whether it was left behind at the deadline.
        found: claims that were found for it, used or not.
        sources: distinct sources of those claims.
        rejected_quotes: claims thrown away because their quote was not in the snapshot.
        share: how much of its work an agent elsewhere says that it has done; None where tasks tell.
    """

    attempted: int = Field(ge=0)
    unfinished: tuple[str, ...] = ()
    late: bool = False
    found: int = Field(default=0, ge=0)
    sources: int = Field(default=0, ge=0)
    rejected_quotes: int = Field(default=0, ge=0)
    share: float | None = Field(default=None, ge=0, le=1)

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
    """One angle of the topic.

    Attributes:
        summary: Markdown; every factual sentence carries markers such as `[c12]`.
        confidence: of this section alone, with its own ledger.
        claims: ids of the claims that it uses.
    """

    assignment_id: str
    title: str
    question: str
    summary: str
    confidence: Confidence
    claims: tuple[str, ...]
    effort: Effort


class ReportedSource(Contract):
    """One source and how it was used.

    Attributes:
        id: the source's id, as the claims name it.
        number: its number in the rendered report, from 1 in order of first citation; None when
            nothing cites it.
        url: public address, if any.
        path: path inside its corpus, if any.
        precision: how exactly the day of publication is known.
        snapshot_sha256: address of the text that was read; None when it was not read.
        credibility: 0 to 1.
        admitted: whether it was good enough to be read.
        reason: why it was or was not admitted or used.
        copies: other addresses that hold the same text and count as this source.
        read_at: the address where it was read instead of its own; None where it was read there.
    """

    id: str
    number: int | None = Field(default=None, ge=1)
    title: str
    url: str | None = None
    path: str | None = None
    published: dt.date | None = None
    precision: Precision = Precision.DAY
    authors: tuple[str, ...] = ()
    kind: SourceKind = SourceKind.UNKNOWN
    snapshot_sha256: str | None = None
    credibility: float = Field(ge=0, le=1)
    factors: tuple[CredibilityFactor, ...] = ()
    admitted: bool
    reason: str
    copies: tuple[str, ...] = ()
    read_at: str | None = None


class Gap(Contract):
    """Something that was looked for and not found; not a failure."""

    area: str
    reason: str


class Limitation(Contract):
    """Something that failed and what that means; written by code from the failure envelopes.

    Attributes:
        why: the failure's category and what was tried.
        consequence: what it means for the conclusions.
    """

    area: str
    why: str
    consequence: str
    task_ids: tuple[str, ...] = ()


class Remedy(StrEnum):
    """What the coordinator does about a failure, once, with a changed input."""

    REMAINING_WORK = "remaining_work"  # keep the partial result, do only what is left
    NARROWED = "narrowed"  # the same task again, with fewer at once
    ALTERNATIVE = "alternative"  # another source or another query
    REFRESHED_CREDENTIALS = "refreshed_credentials"  # the same task with new credentials
    LATER = "later"  # the same task again after everything else


class ReportedFailure(Contract):
    """A failure envelope as the report keeps it.

    Attributes:
        agent_type: the role that failed.
        attempts: how often it was started; 0 when it was not started at all.
        completeness: share of the task that was done all the same, 0 to 1.
        remedy: what the coordinator did about it; None when there was nothing to do.
        failed_at: when it failed, UTC, as the run's own clock has it; None of what was never begun.
        left_out: the bound of the budget for which it was not started; None where it was.
    """

    task_id: str
    agent_type: str
    task_description: str
    attempts: int = Field(ge=0)
    failure: Failure
    completeness: float = Field(default=0.0, ge=0, le=1)
    remedy: Remedy | None = None
    recovered: bool = False
    failed_at: AwareDatetime | None = None
    left_out: str | None = None


class Method(StrEnum):
    """How a step of a run was carried out."""

    REASONER = "reasoner"  # by the reasoner of the run, as the report discloses it
    RULES = "rules"
    """By rules alone, in place of a language model that failed or had no room in the budget."""
    BOTH = "both"  # by a language model, and by rules that see what it keeps to itself
    NONE = "none"  # not at all: it failed


class Methods(Contract):
    """How the steps were carried out that rules can do as well as the reasoner.

    Attributes:
        comparison: finding claims that disagree.
        ranking: the sentence-embedding model that compared passages with the question, or empty.
        untold: open contradictions of the run that was asked, of which this answer says nothing.
    """

    comparison: Method = Method.REASONER
    ranking: str = ""
    untold: int = Field(default=0, ge=0)


class LeftOut(Contract):
    """What a bound of the budget left out.

    Attributes:
        bound: the bound, for example `40 model calls`.
        tasks: how many of the report's failures were not started for it.
        synthesis: whether the synthesis is one of them, so that code put quotes together instead.
    """

    bound: str
    tasks: int = Field(default=0, ge=0)
    synthesis: bool = False


class Basis(Contract):
    """What the report is computed from, in addition to its sections, sources and failures.

    Attributes:
        planned: ids of the assignments that were planned, in order.
        quorum: how many of them must bring something, and what a missing one costs.
        documents: documents that could be searched and, as far as they were, read.
        tasks: tasks of the whole run.
        left_out: what the budget left out, a bound each.
        unshown: claims that the synthesiser was not shown, for want of room.
    """

    planned: tuple[str, ...]
    quorum: QuorumPolicy
    documents: int = Field(ge=0)
    tasks: int = Field(ge=0)
    left_out: tuple[LeftOut, ...] = ()
    unshown: int = Field(default=0, ge=0)


class Metrics(Spending):
    """Measures of one run.

    Attributes:
        citation_coverage: share of factual sentences that carry a citation, 0 to 1.
        citations_supported: share of the cited sentences that the verifier read and found carried
            by the quotes that they cite, 0 to 1; None where nobody verified them.
        sources_per_angle: mean number of sources with a claim, per assignment.
        sources_found: distinct sources that searches returned.
        sources_read: distinct sources that were read, copies not counted.
        rejected_quotes: claims thrown away because their quote was not in the snapshot.
        pipeline_seconds: from start to report, waiting for people not counted.
        waiting_seconds: waiting for people, or for the provider of the models.
        phases: phases that the run came to until it published the report, in order.
        unhandled_failure_rate: share of the tasks that ended in a failure of category `unknown`.
        success_rate: share of the tasks that were done whole, at once or when they were recovered.
        failures_recovered: failures that a changed input made good.
        tokens: input and output tokens.
        cost_usd: US dollars, None when a model's price is not known.
    """

    citation_coverage: float = Field(ge=0, le=1)
    citations_supported: float | None = Field(default=None, ge=0, le=1)
    sources_per_angle: float = Field(ge=0)
    sources_found: int = Field(ge=0)
    sources_read: int = Field(ge=0)
    rejected_quotes: int = Field(default=0, ge=0)
    pipeline_seconds: float = Field(ge=0)
    waiting_seconds: float = Field(default=0.0, ge=0)
    phases: tuple[Entered, ...] = ()
    unhandled_failure_rate: float = Field(default=0.0, ge=0, le=1)
    success_rate: float = Field(default=1.0, ge=0, le=1)
    failures_recovered: int = Field(default=0, ge=0)


class Revision(Contract):
    """What makes a report a revision.

    Attributes:
        of: workflow id of the run that it revises.
        changes: what differs from that run's report, a sentence each.
    """

    of: str
    changes: tuple[str, ...]


class Report(Contract):
    """Everything a report says; Markdown and PDF are renderings of it.

    Attributes:
        generator: who made it, by which a report is known that lies among documents.
        language: of its prose, where the request names one; else the question's.
        created: when the report was assembled, UTC.
        depth: how much was read.
        status: final or provisional.
        formats: the formats that the request asked for.
        answered: whether the question is answered; `partly` where only a part is, or where the
            sources disagree; None without a language model, which cannot tell.
        answer: the answer, or without a model the closest passages, Markdown with claim markers;
            empty where only disputed values could stand there.
        answered_because: why it counts as answered or not; without a model, which words of the
            question each passage has and lacks.
        verdict: whether the question is answered in the synthesiser's judgement; None where quotes
            stand for prose.
        missing: parts of the question that are not answered.
        disputed: ids of the contradictions that touch the answer.
        weighings: what speaks for each side of the disputes.
        calculations: numbers that no source states, computed from some that sources do.
        verification: what became of the sentences that a model wrote; None where nobody verified
            them.
        stated: every value that the claims found state of the quantity that is disputed, ascending,
            used or not; none where no quantity is.
        summary: executive summary, Markdown with claim markers.
        sections: one an angle, in plan order.
        claims: every claim that a section or the summary cites, or that is part of a
            contradiction.
        unused: of each source the best for an angle for which it cites none of it, for the table of
            documents.
        sources: every source found, cited ones first.
        contradictions: claims that disagree, and how that was settled.
        debate: what the participants of the debate said of the claims; None without a debate.
        methods: what was done by rules in place of a language model, or could not be done.
        gaps: what was looked for and not found.
        limitations: what failed and what that means.
        failures: every failure envelope.
        unread: files of the corpus that were not looked at.
        metrics: measures of the run.
        revision: what it revises, None for a first report.
        basis: what code computed confidence, limitations and metrics from.
    """

    schema_version: Literal["1.0"] = SCHEMA_VERSION
    generator: Literal["Caveat"] = "Caveat"
    run_id: str
    topic: str
    language: str | None = None
    created: dt.datetime
    depth: Depth
    status: ReportStatus
    reasoner: ReasonerCard
    formats: tuple[Format, ...]
    answered: bool | Literal["partly"] | None = None
    answer: str = ""
    answered_because: str = ""
    verdict: Verdict | None = None
    missing: tuple[MissingPart, ...] = ()
    disputed: tuple[str, ...] = ()
    weighings: tuple[Weighing, ...] = ()
    calculations: tuple[Calculation, ...] = ()
    verification: Verification | None = None
    stated: tuple[Figure, ...] = ()
    summary: str
    confidence: Confidence
    sections: tuple[Section, ...]
    claims: tuple[Claim, ...]
    unused: tuple[Claim, ...] = ()
    sources: tuple[ReportedSource, ...]
    contradictions: tuple[Contradiction, ...] = ()
    debate: Debate | None = None
    methods: Methods = Methods()
    gaps: tuple[Gap, ...] = ()
    limitations: tuple[Limitation, ...] = ()
    failures: tuple[ReportedFailure, ...] = ()
    unread: tuple[Unread, ...] = ()
    metrics: Metrics
    revision: Revision | None = None
    basis: Basis

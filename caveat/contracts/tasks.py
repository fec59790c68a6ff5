"""One model in, for every activity."""

import datetime as dt
from enum import StrEnum

from pydantic import Field

from caveat.contracts.audit import Audit
from caveat.contracts.base import Contract, Count, Share
from caveat.contracts.contradiction import Contradiction, RulingRecord, Signature
from caveat.contracts.message import EventBody, Priority, SteeringBody
from caveat.contracts.outcome import Evidence, Material
from caveat.contracts.plan import MOST_SOURCES, MOST_TURNS, Assignment, Depth, Grant
from caveat.contracts.report import Report
from caveat.contracts.source import Claim, SourceRef
from caveat.contracts.synthesis import Participant, Synthesis, SynthesisInput

NOTICE_LIMIT = 1_000  # characters: a sentence and an address, for a telephone's screen


class NoticeKind(StrEnum):
    QUORUM_LOST = "quorum_lost"
    """Too few assignments could be carried out; they are retried before the run ends."""
    CRITICAL_AGENT_FAILED = "critical_agent_failed"
    """An assignment that the run cannot do without failed; it is retried before the run ends."""
    DEGRADED = "degraded"  # the run has a report whose confidence is low
    UNKNOWN_FAILURE = "unknown_failure"
    """Something failed in a way that nobody foresaw; told once a run for each role and provider."""
    PERSON_NEEDED = "person_needed"  # somebody must decide before the run can go on
    SETTLED = "settled"  # what people were asked is settled: somebody ruled, or nobody did in time
    DONE = "done"  # the run has its final report
    CHANGED = "changed"  # a scheduled run found something else than the one before
    FAILED = "failed"  # the run ended by name, without a report
    CANCELLED = "cancelled"  # somebody cancelled the run


class Notice(Contract):
    """What a run tells people who are not looking."""

    id: str  # unique: the run's id and a number; receivers recognise repetitions by it
    kind: NoticeKind  # why somebody is told
    run_id: str  # workflow id of the run
    topic: str  # what the run was asked
    message: str = Field(min_length=1, max_length=NOTICE_LIMIT)  # one sentence for people
    created: dt.datetime  # when it was written, UTC
    arbitration: str | None = None  # workflow id of the arbitration that it is about, if any


class Delivery(Contract):
    """The result of one attempt to notify."""


MAX_TURNS = 2
"""One call, and one to mend a wrong answer or to make room for one that was cut off: what is wrong
twice will be wrong again. An agent that calls tools needs more (5 to 12 by role in other designs);
no role here calls any, because search and reading are tasks of their own."""


class Task(Contract):
    task_id: str  # unique in its run
    description: str = Field(max_length=400)  # one line for people
    max_turns: int = Field(default=MAX_TURNS, ge=1, le=MOST_TURNS)  # model calls in all, at most
    # tokens of an answer, thinking included; 0 for no call, None for the role's own and no bound
    room: Count | None = None
    grant: Grant | None = None  # of the run, where the task looks into folders
    language: str | None = None  # that a model writes in, where the request names one

    @property
    def folders(self) -> tuple[str, ...]:
        """Folders of the worker's machine that the task looks into."""
        return ()


class FolderTask(Task):
    """A task that looks into folders; none means the worker's own default."""

    corpus: tuple[str, ...]

    @property
    def folders(self) -> tuple[str, ...]:
        return self.corpus


class StockTask(FolderTask):
    topic: str = ""  # what is asked of them
    corpus: tuple[str, ...] = ()  # folders; empty means the worker's own default


class PlanningTask(FolderTask):
    topic: str  # what was asked
    depth: Depth  # how much to read
    team: str  # name of a team file
    wanted: int = Field(ge=1, le=8)  # assignments at most, unless a team has its own
    critical: tuple[str, ...] = ()  # their titles, besides the team's own
    titles: tuple[str, ...] = ()  # of the folders' documents, the first ones
    may_ask: bool = False  # whether a person approves the plan, who can be asked something


class SearchTask(FolderTask):
    query: str  # what to search for
    limit: int = Field(ge=1, le=MOST_SOURCES)  # sources to return at most
    engine: str | None = None  # None for the one without a name


class ScanTask(FolderTask):
    """Look through the texts of a run for what they state of a quantity."""

    about: str  # what it is called
    unit: str  # of it, as `Quantity.unit` names it
    relevance: Share  # what such a statement is worth as an answer, 0 to 1
    texts: dict[str, str]  # the address of the snapshot, by the source's id


class LookupTask(Task):
    """Quote what kept texts say about a question, without a model."""

    question: str
    sources: tuple[SourceRef, ...]
    texts: dict[str, str]  # the address of each one's snapshot, by the source's id
    wanted: int = Field(ge=1, le=50)  # how many sentences to quote at most


class ReformulationReason(StrEnum):
    NOTHING_FOUND = "nothing_found"
    TOO_FEW = "too_few"
    NOT_IN_KEPT_TEXTS = "not_in_kept_texts"


class ReformulationTask(FolderTask):
    topic: str  # what was asked
    assignment: Assignment  # the angle
    tried: tuple[str, ...]  # queries that were run already
    reason: ReformulationReason  # what was wrong with their results
    languages: tuple[str, ...] = ()  # of kept texts that are searched, "de" for German


class Reformulation(Contract):
    """Another query, or None when there is nothing else to try."""

    query: str | None
    questions: tuple[str, ...] = ()  # anew, for kept texts


class ReadingTask(Task):
    source: SourceRef  # what to read
    at: str | None = None  # where it is read instead: a URL, or a path in its corpus

    @property
    def folders(self) -> tuple[str, ...]:
        return () if self.source.corpus is None else (self.source.corpus,)


class FolderReadingTask(FolderTask):
    sources: tuple[SourceRef, ...] = Field(min_length=1)

    @property
    def folders(self) -> tuple[str, ...]:
        named = (source.corpus for source in self.sources if source.corpus is not None)
        return tuple(dict.fromkeys((*self.corpus, *named)))


class AnalysisTask(FolderTask):
    """Find what one source says about every angle of a run."""

    topic: str  # what was asked
    assignments: tuple[Assignment, ...] = Field(min_length=1)  # a claim names its own
    source: SourceRef  # the source
    snapshot_sha256: str  # address of its text
    wanted: int = Field(ge=1, le=50)  # how many claims to return at most for each angle
    start_at: Count = 0  # the character to begin at


class OutsideTask(Task):
    """Have an agent that lives elsewhere carry out an assignment."""

    agent: str  # its name
    run_id: str  # workflow id of the run
    topic: str  # what was asked
    assignment: Assignment  # the angle
    done: tuple[str, ...] = ()  # what an earlier attempt has done of it, in the agent's own words


class PostTask(Task):
    run_id: str  # workflow id of the run
    recipient: str | None  # for whom; None for everybody
    body: SteeringBody | EventBody  # what; its type says which kind of message it is
    priority: Priority = Priority.NORMAL  # what is taken first


class DetectionTask(Task):
    topic: str  # what was asked; disagreements that do not concern it are left out
    assignments: tuple[Assignment, ...]  # the angles that the claims were found for
    claims: tuple[Claim, ...]  # every claim of the run, each once, in order of their names
    sources: tuple[SourceRef, ...]  # the sources of the claims
    by_code: bool = False  # whether rules alone compare them, without a model


class DebateTask(Task):
    """Examine the claims of a run through one participant's lens."""

    participant: Participant  # whose lens
    topic: str  # what was asked
    claims: tuple[Claim, ...]  # every claim of the run, each once
    sources: tuple[SourceRef, ...]  # the sources of the claims
    contradictions: tuple[Contradiction, ...] = ()  # those that were detected
    today: dt.date  # the day of the debate, for questions of recency


class RulingsTask(Task):
    """Recall people's rulings on claims of some claimants, by their ids."""

    claimants: tuple[str, ...]


class RulingTask(Task):
    record: RulingRecord
    signature: Signature | None = None


class RateCardTask(Task):
    """Say what model calls take at most."""


class ProseTask(Task):
    evidence: SynthesisInput  # the claims
    portion: str = ""  # `answer`, or an angle's id for its section; empty for all


class SynthesisTask(ProseTask):
    by_code: bool = False  # whether their quotes are put together instead, without a model
    mends: bool = False  # whether what code refuses goes back at once: an ask mends nothing later


class VerificationTask(ProseTask):
    """Check the unread sentences of a synthesis against the quotes that they cite."""

    draft: Synthesis  # what the synthesiser made of the evidence


class RevisionTask(VerificationTask):
    """Write the sentences of a synthesis anew that their quotes do not carry."""


class AuditTask(Task):
    """Make a report, and check it against the snapshots."""

    material: Material  # what it is assembled from
    synthesis: Synthesis  # its prose


class Audited(Contract):
    report: Report
    audit: Audit


class PublicationTask(Task):
    report: Report


class KeepingTask(Task):
    evidence: Evidence


class RefreshTask(Task):
    provider: str


class RecallTask(Task):
    run_id: str


class NotificationTask(Task):
    notice: Notice  # what

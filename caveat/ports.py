"""What the domain needs from the outside world. Every method may raise `PortFailure`."""

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar, runtime_checkable

from caveat.contracts.claim import Analysis
from caveat.contracts.contradiction import Disagreement, RulingRecord, Signature
from caveat.contracts.debate import Challenge
from caveat.contracts.envelope import Usage
from caveat.contracts.notice import Notice
from caveat.contracts.outcome import Artifact, Evidence, RunRecord
from caveat.contracts.plan import Assignment, ReasonerCard
from caveat.contracts.report import Report
from caveat.contracts.source import SearchResults, Snapshot, SourceRef
from caveat.contracts.spending import Tariff
from caveat.contracts.synthesis import Synthesis, SynthesisInput
from caveat.contracts.tasks import (
    AnalysisTask,
    DebateTask,
    DetectionTask,
    Inventory,
    PlanningTask,
    Reformulation,
    ReformulationTask,
    SearchTask,
    WritingTask,
)

T = TypeVar("T")


@dataclass(frozen=True)
class Answer(Generic[T]):
    """What a reasoner says, and what it cost."""

    value: T
    usage: Usage = field(default_factory=Usage)


class Reasoner(Protocol):
    """Plans, reads for meaning and writes; with a language model or without."""

    @property
    def card(self) -> ReasonerCard:
        """Who this is, as every report states it."""
        ...

    async def tariff(self) -> Tariff:
        """What a call of each role takes at most; nothing of roles that call no model."""
        ...

    async def plan(self, task: PlanningTask) -> Answer[tuple[Assignment, ...]]:
        """Split a topic into at most `task.wanted` angles, at least one."""
        ...

    async def reformulate(self, task: ReformulationTask) -> Answer[Reformulation]:
        """Offer a query in other words than those tried, or none."""
        ...

    async def analyse(
        self, task: AnalysisTask, snapshot: Snapshot, on_partial: Callable[[Analysis, float], None]
    ) -> Answer[Analysis]:
        """Say what one source says about one angle; no claims when no passage is found.

        Args:
            task: the angle and the source.
            snapshot: the source's text; what stands before `task.start_at` was looked at before.
            on_partial: may be called with what was found so far and the share of the text that
                was looked at, 0 to 1; it survives when this call does not.
        """
        ...

    async def contradict(self, task: DetectionTask) -> Answer[tuple[Disagreement, ...]]:
        """Find the claims that disagree about the same thing, what matters most first.

        One disagreement for each pair of values, however many claims state them; none between
        copies of one source, and none where both claims can be true.
        """
        ...

    async def debate(self, task: DebateTask) -> Answer[tuple[Challenge, ...]]:
        """Say what one participant of the debate has to say about the claims."""
        ...

    async def compare_by_rules(self, task: DetectionTask) -> tuple[Disagreement, ...]:
        """Find the claims that disagree in fixed forms; no model is called, nothing is spent."""
        ...

    async def debate_by_rules(self, task: DebateTask) -> tuple[Challenge, ...]:
        """Count what speaks for and against the claims; no model is called, nothing is spent."""
        ...

    async def synthesise(self, evidence: SynthesisInput) -> Answer[Synthesis]:
        """Write the report's prose from claims alone."""
        ...

    async def excerpts(self, evidence: SynthesisInput) -> Synthesis:
        """Put the best quotes together in place of prose; no model is called."""
        ...

    async def write(self, task: WritingTask) -> Answer[Synthesis]:
        """Put the synthesis into its final form; formats, adds nothing."""
        ...


class SearchEngine(Protocol):
    """Finds sources."""

    async def search(self, task: SearchTask) -> SearchResults:
        """Run one query; empty results mean that it looked and found nothing."""
        ...


@runtime_checkable
class SearchEngines(SearchEngine, Protocol):
    """Several engines, each asked by its name in `SearchTask.engine`."""

    def names(self, corpus: tuple[str, ...]) -> tuple[str, ...]:
        """Name the engines that a query over a corpus is put to; empty where one has no name."""
        ...


@dataclass(frozen=True)
class Document:
    """A source as it was fetched.

    Attributes:
        source: its metadata, completed.
        snapshot: its text.
        as_of: the day on which the text was fetched, where it is our own copy from then.
    """

    source: SourceRef
    snapshot: Snapshot
    as_of: dt.date | None = None


class Library(Protocol):
    """Holds the sources that can be read."""

    async def take_stock(
        self,
        corpus: tuple[str, ...],
        on_progress: Callable[[int], None],
        exclude: tuple[str, ...] = (),
    ) -> Inventory:
        """Bring the index of a corpus up to date.

        Args:
            corpus: folders; empty means the library's own default.
            on_progress: called with the number of documents looked at so far; it may raise to
                stop the work, and calling again later goes on where it stopped.
            exclude: folders inside the corpus that are not looked into.

        Returns:
            What can be searched, every document that cannot be read with its failure, and what
            was not looked at.
        """
        ...

    async def read(self, source: SourceRef) -> Document:
        """Fetch one source."""
        ...


class Snapshots(Protocol):
    """Keeps the text of sources by content: the address is the SHA-256 of the text in UTF-8."""

    async def keep(self, snapshot: Snapshot) -> str:
        """Store a snapshot and return its address; storing it again changes nothing."""
        ...

    async def open(self, sha256: str) -> Snapshot:
        """Return a snapshot by its address; the text is verified against it."""
        ...


class Press(Protocol):
    """Writes reports to files."""

    async def publish(self, report: Report) -> tuple[Artifact, ...]:
        """Write a report in each of `report.formats`; writing it again replaces the files."""
        ...

    async def keep(self, evidence: Evidence) -> Artifact:
        """Write the evidence of a run that failed by name, as JSON."""
        ...

    async def evidence(self, run_id: str) -> Evidence:
        """Read back the evidence that was kept of a run; not found where none was."""
        ...


class Credentials(Protocol):
    """Keeps the credentials of providers."""

    async def refresh(self, provider: str) -> None:
        """Get new credentials for a provider, so that the next call uses them."""
        ...


class Notifier(Protocol):
    """Tells people what they should know, wherever they are."""

    async def notify(self, notice: Notice) -> None:
        """Deliver a notice; delivering it again must be recognisable by its id."""
        ...


class Signatures(Protocol):
    """Knows what this user's own commands signed."""

    def holds(self, ruling: RulingRecord, signature: Signature) -> bool:
        """Say whether a signature is of this ruling, and made by this user."""
        ...


class Memory(Protocol):
    """Remembers runs after their histories are gone."""

    async def remember(self, record: RunRecord) -> None:
        """Keep a record; the same run kept again replaces what was kept."""
        ...

    async def recall(self, run_id: str) -> RunRecord | None:
        """Return what is kept of a run, None when nothing is."""
        ...

    async def record_ruling(self, ruling: RulingRecord) -> None:
        """Keep a person's ruling; the first on a contradiction stays."""
        ...

    async def rulings_about(self, claimants: Sequence[str]) -> tuple[RulingRecord, ...]:
        """Return the rulings on claims of any of these claimants, by id, oldest first."""
        ...

"""What the domain needs from the outside world. Every method may raise `PortFailure`."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar, runtime_checkable

from caveat.contracts.contradiction import Disagreement, RulingRecord, Signature
from caveat.contracts.envelope import Usage
from caveat.contracts.message import DeadLetter, Message
from caveat.contracts.outcome import Artifact, Evidence
from caveat.contracts.plan import Assignment, Format, Grant, Inventory
from caveat.contracts.report import Report
from caveat.contracts.source import Claim, SearchResults, Snapshot, SourceRef
from caveat.contracts.synthesis import Synthesis, SynthesisInput
from caveat.contracts.tasks import DetectionTask, Notice, OutsideTask, PostTask, SearchTask

T = TypeVar("T")


@dataclass(frozen=True)
class Answer(Generic[T]):
    """A reasoner's answer, and its cost."""

    value: T
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class Planned(Answer[tuple[Assignment, ...]]):
    """Angles, and questions for the person who approves them."""

    questions: tuple[str, ...] = ()


class Rules(Protocol):
    """Rules over claims, with or without a model; processor time only."""

    def find_contradictions(self, task: DetectionTask) -> tuple[Disagreement, ...]:
        """Find the claims of different sources that cannot both be true."""

    def find_passages(
        self, question: str, texts: Sequence[tuple[SourceRef, Snapshot]], wanted: int
    ) -> tuple[Claim, ...]:
        """Quote the sentences of some texts that answer a question best, best first."""

    def write_excerpts(self, evidence: SynthesisInput) -> Synthesis:
        """Write sections and summary of quotes alone."""


class SearchEngine(Protocol):
    """Finds sources."""

    async def search(self, task: SearchTask) -> SearchResults:
        """Run one query; empty results mean that it looked and found nothing."""


CLAUDE = "claude"  # the name of the engine that is the server of the models

MCP = "mcp"  # the scheme of what servers of MCP have found

FOLDERS = "corpus"  # the name of the engine that searches folders, where there are several


@runtime_checkable
class SearchEngines(SearchEngine, Protocol):
    """Several engines, by the name in `SearchTask.engine`."""

    def name_engines(self, corpus: tuple[str, ...]) -> tuple[str, ...]:
        """Name the engines that a query over a corpus is put to; empty where one has no name."""


@dataclass(frozen=True)
class Document:
    """A source as it was fetched."""

    source: SourceRef  # its metadata, completed
    snapshot: Snapshot
    losses: tuple[str, ...] = ()  # what of it was not read, where no inventory says so


class Library(Protocol):
    """Holds the sources that can be read."""

    async def take_stock(
        self, corpus: tuple[str, ...], tell: Callable[[int], None] = lambda _: None
    ) -> Inventory:
        """Bring the index of a corpus up to date.

        Args:
            corpus: folders; empty for the library's default.
            tell: called with how many more documents are indexed.

        Returns:
            What can be searched, what cannot be read and why, and what was skipped.
        """

    async def read(self, source: SourceRef) -> Document:
        """Fetch one source."""


@dataclass(frozen=True)
class Kept:
    """A blob of a list."""

    name: str
    bytes: int
    # when it was last written, or renewed where that sets its time; seconds since 1970
    written: float


class Blobs(Protocol):
    """Keeps bytes under names, for every process that works on the same runs.

    A name is one like `folder/file`, of ASCII letters, digits, `.`, `_` and `-`. Writes are atomic.
    Calls wait for a disk or a network, so they belong in a thread. Every method may raise a
    `PortFailure`: auth_error or unavailable.
    """

    @property
    def grace_s(self) -> float:
        """Seconds that a blob may be older than the run which kept it again, or renewed it."""

    def locate(self, name: str = "") -> str:
        """Return the path or URL of a name, without credentials."""

    def get(self, name: str) -> bytes | None:
        """Return the bytes of a name, None where there are none."""

    def put(self, name: str, content: bytes) -> None:
        """Put bytes under a name, in place of what is there."""

    def create(self, name: str, content: bytes) -> bool:
        """Put bytes under an unused name, and return whether; of several writers the first wins."""

    def keep(self, name: str, content: bytes, is_sound: Callable[[bytes], bool]) -> None:
        """Put bytes under a name that stands for them, and note that they are of use.

        What is there already stays if it is sound, and is replaced if it is damaged.
        """

    def change(self, name: str, change: Callable[[bytes | None], bytes]) -> None:
        """Replace the bytes of a name atomically.

        Args:
            change: takes the bytes, or None; it may be called more than once.
        """

    def renew(self, name: str) -> None:
        """Note that a name is of use again, for stores that remove by age."""

    def remove(self, name: str) -> None:
        """Remove a name, if it exists."""

    def list_names(self, within: str = "") -> tuple[str, ...]:
        """List what lies directly in a folder; names of folders end with a slash.

        Args:
            within: the folder, with its slash; empty for all.
        """

    def list_all(self) -> Iterator[Kept]:
        """List every blob, in all folders."""

    def remove_old(self, name: str, before: float) -> bool:
        """Remove a name last written before a moment, in seconds since 1970; return whether."""


class Snapshots(Protocol):
    """Keeps the text of sources by content: the address is the SHA-256 of the text in UTF-8."""

    async def keep(self, snapshot: Snapshot) -> str:
        """Store a snapshot and return its address; storing it again changes nothing."""

    async def open(self, sha256: str) -> Snapshot:
        """Return a snapshot by its address; the text is verified against it."""


class ReportStore(Protocol):
    """Writes reports to files."""

    async def publish(self, report: Report, chosen: Format, execution: str = "") -> Artifact:
        """Write a report in one format; writing it again replaces the file.

        Args:
            execution: Temporal's run id, since a workflow id may be used twice.
        """

    async def keep(self, evidence: Evidence, execution: str = "") -> Artifact:
        """Write the evidence of a run that failed by name, as JSON; see `publish`."""

    async def read_evidence(self, run_id: str) -> Evidence:
        """Read back the evidence that was kept of a run; not found where none was."""


class Credentials(Protocol):
    """Keeps the credentials of providers."""

    async def refresh(self, provider: str) -> None:
        """Get new credentials for a provider, so that the next call uses them."""


class Agents(Protocol):
    """Gives work to agents elsewhere, and receives their answers."""

    async def ask(self, task: OutsideTask, token: str) -> None:
        """Send an assignment; the answer repeats the token."""

    async def post(self, task: PostTask) -> str:
        """Send a message without an answer; return its id."""


class Notifier(Protocol):
    """Notifies people."""

    async def notify(self, notice: Notice) -> None:
        """Deliver a notice; delivering it again must be recognisable by its id."""


class Signatures(Protocol):
    """Knows what this user's own commands signed."""

    def is_valid(self, ruling: RulingRecord, signature: Signature) -> bool:
        """Whether a signature is of this ruling and user."""

    def grant(self, run_id: str, topic: str, folders: tuple[str, ...]) -> Grant:
        """Let all workers of this user open folders for a run."""


class Memory(Protocol):
    """Remembers people's rulings after the histories of their runs are gone."""

    async def record_ruling(self, ruling: RulingRecord) -> RulingRecord:
        """Keep a person's ruling, and return the one of that number that is kept: the first."""

    async def recall_rulings(self, claimants: Sequence[str]) -> tuple[RulingRecord, ...]:
        """Return every ruling on claims of any of these claimants, by id, oldest first.

        What was changed or withdrawn later is there as well:
        `track_record.select_current_rulings` leaves it out.
        """


Handler = Callable[[Message], Awaitable[None]]
"""Deals with one message; what it raises decides whether it is tried again."""


class Messages(Protocol):
    """Carries messages between the coordinator and agents elsewhere.

    At least once and in order: receivers suppress repeated ids, and hold back early numbers. What
    cannot be delivered is a dead letter with its reason.
    """

    async def open(self, agent: str) -> None:
        """Make an agent known, so that messages wait for it; opening it again changes nothing."""

    async def send(self, message: Message) -> None:
        """Send a message; when this returns, it outlives a crash of its carrier.

        Sending it again, as after a failure, delivers it once.

        Raises:
            PortFailure: not_found: unknown recipient; permanent: too long or expired; unavailable:
                the recipient's queue is full, or the carrier is away.
        """

    async def serve(self, agent: str, handle: Handler) -> None:
        """Receive an agent's messages, one at a time, until cancelled.

        If the handler raises a retryable `PortFailure` or anything unforeseen, it is called again
        after 1, 2 and 4 s; any other `PortFailure` makes the message a dead letter at once.
        """

    async def list_dead_letters(self, agent: str | None = None) -> tuple[DeadLetter, ...]:
        """List the dead letters, of one agent or of all, oldest first."""

    async def resend(self, letter: DeadLetter) -> Message:
        """Send the message of a dead letter again, as a new one behind the others.

        Raises:
            PortFailure: it is no message or is gone; also as of `send`.
        """

    async def close(self) -> None:
        """Close the connection to the carrier."""

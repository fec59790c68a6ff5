"""Sources: what a search found, what a reading kept, and the claims that they make."""

import datetime as dt
from bisect import bisect_right
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from caveat.contracts.base import Contract, Count, Share
from caveat.contracts.envelope import Usage

CLAIM_LIMIT = 2_000  # characters of a claim's text, and of its quote
Passage = Annotated[str, Field(min_length=1, max_length=CLAIM_LIMIT)]


class SourceKind(StrEnum):
    """What sort of publication a source is, as its metadata states it."""

    PEER_REVIEWED = "peer-reviewed"
    PREPRINT = "preprint"
    DATASET = "dataset"
    STANDARD = "standard"
    REPORT = "report"
    BOOK = "book"
    DOCUMENTATION = "documentation"
    NEWS = "news"
    ENCYCLOPEDIA = "encyclopedia"
    BLOG = "blog"
    FORUM = "forum"
    ADVERTISING = "advertising"
    UNKNOWN = "unknown"


class KindBy(StrEnum):
    """Who says what sort of publication a source is."""

    METADATA = "metadata"
    READER = "reader"  # the reader, from what it looks like
    PERSON = "person"  # who gives its folder, and vouches for it


class Precision(StrEnum):
    """How exactly a date is known."""

    DAY = "day"
    MONTH = "month"
    YEAR = "year"


class SourceRef(Contract):
    """Where a source is and what is known about it without reading it."""

    # `s-` and 10 hexadecimal digits of the SHA-256 of its canonical address, so that the same page
    # found twice is the same source; of a document in a folder, of its path
    id: str
    title: str  # as the source states it, else its file name
    url: str | None = None  # public address, or as a document in a folder says
    published: dt.date | None = None  # the first day of a month or year that is known
    precision: Precision = Precision.DAY  # to which that is known
    authors: tuple[str, ...] = ()  # the persons or bodies that speak, as the source names them
    kind: SourceKind = SourceKind.UNKNOWN  # what sort of publication it is
    kind_by: KindBy = KindBy.METADATA  # who says so
    citations: Count | None = None  # how often it is cited, if known
    corpus: str | None = None  # absolute folder of the corpus that it was found in, if any
    path: str | None = None  # its path inside that corpus, with `/` between folders
    also_at: tuple[str, ...] = ()  # as engines state or the run met them; never out of a page


class DocumentFacts(Contract):
    """What a document says of itself, as its reader saw it."""

    title: str = Field(default="", max_length=200)  # as people cite it; empty where its own will do
    author: str = Field(default="", max_length=200)  # who speaks; empty where it does not say
    published: dt.date | None = None  # the day of it; None where it does not say
    precision: Precision = Precision.DAY  # to which it says so
    kind: SourceKind = SourceKind.UNKNOWN  # what sort of document it is

    def apply_to(self, source: SourceRef) -> SourceRef:
        """Add what a document says of itself to what is known of it."""
        facts: dict[str, object] = {}
        if self.title:
            facts["title"] = self.title
        known = any(each in self.author or self.author in each for each in source.authors)
        is_named = known or (source.authors and source.corpus is None)
        if self.author and not is_named:  # a paper names persons, and its reader their institute
            facts["authors"] = (*source.authors, self.author)
        # Code may take another day of a text for its date; on the web an engine knows better, and
        # so does what is in the same month.
        day, told = source.published, self.published
        is_finer = day and told and self.precision is not Precision.DAY
        is_same = is_finer and f"{day:%Y-%m}" == f"{told:%Y-%m}"
        is_sure = source.precision is Precision.DAY and (source.corpus is None or is_same)
        if told and (day is None or not is_sure):
            facts |= {"published": self.published, "precision": self.precision}
        if source.kind is SourceKind.UNKNOWN is not self.kind:
            facts |= {"kind": self.kind, "kind_by": KindBy.READER}
        return source.model_copy(update=facts)


class Hit(Contract):
    source: SourceRef


class SearchResults(Contract):
    """What one query found, best first; empty when nothing matched."""

    query: str  # what was searched for
    hits: tuple[Hit, ...] = ()  # the sources
    silent: tuple[str, ...] = ()  # engines behind the one that was asked that did not answer it
    usage: Usage = Usage()  # what the search cost, where an engine is paid for it


class Landmark(Contract):
    """A heading, a term or a page, and the character offset where it begins in the text.

    The label names the headings above it too; it is empty where a list of terms ends that stands
    under no heading.
    """

    offset: Count
    label: str
    is_listing: bool = False  # of references or contents, which says nothing of its own


class Snapshot(Contract):
    """The text of a source as it was read, with its landmarks in ascending order of offset.

    Its address is the SHA-256 of both: what says the same on other pages is another snapshot.
    """

    text: str
    landmarks: tuple[Landmark, ...] = ()

    def find_location(self, offset: int) -> str | None:
        """Name the heading or page that holds a character offset, None before the first one."""
        mark = self._mark(offset)
        return (mark.label or None) if mark else None

    def place(self, offset: int) -> str | None:
        """Name the heading or page without that of the whole document, which tells none apart."""
        names = [mark.label for mark in self.landmarks if mark.label]
        title = names[0] if names and not self.text[: self.landmarks[0].offset].strip() else ""
        label = self.find_location(offset)
        if label and title and all(f"{name} ›".startswith(f"{title} ›") for name in names):
            return label.removeprefix(title).removeprefix(" › ") or None
        return label

    def is_listing(self, offset: int) -> bool:
        """Whether a character stands in a list of references or a table of contents."""
        mark = self._mark(offset)
        return mark is not None and mark.is_listing

    def _mark(self, offset: int) -> Landmark | None:
        behind = bisect_right(self.landmarks, offset, key=lambda mark: mark.offset)
        return self.landmarks[behind - 1] if behind else None


class Reading(Contract):
    """A source that was read; the text itself stays in the snapshot store."""

    source: SourceRef  # the source, with what reading it added to its metadata
    snapshot_sha256: str  # address of the snapshot
    characters: Count  # length of the snapshot's text
    shingles: Count  # number of distinct 5-word shingles in the text
    sketch: tuple[int, ...] = ()  # the smallest shingle hashes, ascending
    # hashes of each sentence's words, and of its figures and denials, in which no copy differs
    figures: tuple[tuple[int, int], ...] = ()
    read_at: str | None = None  # where else it was read
    losses: tuple[str, ...] = ()  # what of it was not read, where no inventory says so


class CredibilityFactor(Contract):
    """One visible reason for a credibility score; amounts add up to the score."""

    reason: str  # what speaks for the source, or against it
    amount: float
    self_stated: bool = False  # whether only the document itself says so; nobody checked it


class Credibility(Contract):
    """How far a source can be trusted before it is read, 0 to 1, and why."""

    score: Share
    factors: tuple[CredibilityFactor, ...]


class UnreadSort(StrEnum):
    """Why files were not looked at."""

    OWN_REPORT = "own_report"  # Caveat's own reports, which are never sources
    PART = "part"
    """Documents of which a part was not read, such as scanned pages; an example names each part."""
    OUTPUT = "output"
    """Folders that Caveat itself writes to, the one of this run's report among them."""
    FORMAT = "format"  # files with an ending that is not read
    NO_ENDING = "no_ending"  # files without an ending that tells a format
    HIDDEN_FILE = "hidden_file"
    HIDDEN_FOLDER = "hidden_folder"
    IGNORED = "ignored"  # what a `.gitignore` leaves out
    EXCLUDED = "excluded"  # what a folder's manifest leaves out
    BUILT = "built"  # folders of installed packages and of what is built
    SPECIAL = "special"  # what is neither a file nor a folder: pipes, sockets, devices


class Unread(Contract):
    """Files or folders of one kind that were not looked at."""

    sort: UnreadSort
    ending: str = ""  # of the files, in lower case with its dot; empty where no ending is meant
    count: int = Field(ge=1)
    examples: tuple[str, ...] = ()  # the first of them in the order of their paths


class ClaimState(StrEnum):
    """How far a claim stands."""

    ACCEPTED = "accepted"
    SCOPED = "scoped"  # a person ruled that it holds in its own scope, as another one does in its
    CONTESTED = "contested"  # another claim disagrees, and that is open
    UNCERTAIN = "uncertain"  # nobody could say which of the claims holds, so none of them is used
    OVERRULED = "overruled"  # another claim, or neither, was found to hold, so this one is not used


class Claim(Contract):
    """One statement and the words in a snapshot that it rests on."""

    id: str  # unique in its run
    text: Passage
    quote: Passage  # verbatim words of the source: `snapshot[start:end] == quote`
    source_id: str
    assignment_id: str  # the angle that it was found for
    start: Count  # character offset of the quote in the snapshot
    end: int = Field(gt=0)  # character offset just behind the quote
    location: str | None = None  # heading or page of the quote, if the source has any
    relevance: Share  # how well it answers the angle, 0 to 1
    credibility: Share = 0.5  # of its source, 0 to 1
    state: ClaimState = ClaimState.ACCEPTED  # whether it may be used, and must be marked
    contested_by: tuple[str, ...] = ()  # that disagree, a hundred of each contradiction at most
    before: str = ""  # words of the snapshot before the quote that a reader is shown with it
    after: str = ""  # those directly behind it

    @property
    def place(self) -> tuple[str, int, int]:
        """Source and offsets, equal in every run."""
        return self.source_id, self.start, self.end

    @property
    def is_usable(self) -> bool:
        """Whether a report may rest on it."""
        return self.state not in {ClaimState.UNCERTAIN, ClaimState.OVERRULED}


class Analysis(Contract):
    """What one source says about the angles of a run."""

    claims: tuple[Claim, ...] = ()  # best first; empty when no passage was found
    document: DocumentFacts | None = None  # what it says of itself; None where nobody looked
    rejected_quotes: Count = 0  # claims whose quote is not there
    read_to: Count = 0  # of the snapshot's characters

"""Brings the index of one folder up to date: only what changed is read again."""

import hashlib
import json
import re
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path

from caveat.adapters.corpus.database import open_transaction
from caveat.adapters.corpus.walk import FoundFile, Survey, survey
from caveat.adapters.documents.composer import PARAGRAPH_BREAK, PATH_SEPARATOR
from caveat.adapters.documents.loaded import Loaded, Unreadable, Why
from caveat.adapters.documents.loaders import read_content, submit_document, translate_refusal
from caveat.adapters.documents.metadata import parse_title
from caveat.adapters.documents.passages import HeadedText, split_passages
from caveat.contracts.envelope import Failure, FailureCategory
from caveat.contracts.plan import BrokenDocument
from caveat.contracts.source import Landmark, Snapshot, SourceRef, Unread, UnreadSort
from caveat.failures import PortFailure
from caveat.rules.sources.identity import compute_source_id
from caveat.rules.sources.unread import PARTS_NAMED, UNREAD_EXAMPLES
from caveat.rules.text.words import build_index_terms, detect_language

PASSAGE_BITS = 24
"""A passage's row is its document's number and its own: 16 million passages a document are more
than 20 MB can hold, and a document's passages are one range of rows."""

_CACHE = "PRAGMA cache_size = -32000"  # kilobytes: FTS5 merges what it stored shortly before

_OWN_REPORTS = "SELECT path FROM documents WHERE source IS NULL AND failure IS NULL ORDER BY path"

_BATCH_BYTES = 1_000_000
_BATCH_FILES = 64  # a batch is read in about 0.2 s
ENOUGH = 8_000
"""Passages and files that are committed at once: two seconds of reading, which is what a loss of
power costs, and 0.4 s of storing, which is how long another process waits. FTS5 takes a third less
of the processor than for batches of 600, which it has to merge more often."""


@dataclass(frozen=True)
class Entry:
    """One file as it goes into the index: a source with its passages and losses, or a failure."""

    # A report of Caveat's own is neither.

    file: FoundFile
    source: SourceRef | None = None
    spans: tuple[HeadedText, ...] = ()
    failure: Failure | None = None
    language: str | None = None
    losses: tuple[str, ...] = ()

    @property
    def lasting(self) -> bool:
        """Whether the same bytes give the same entry again."""
        # A missing permission or a flaky disk heals without a change of size or time, so such
        # failures are not remembered.
        return self.failure is None or self.failure.category is FailureCategory.VALIDATION

    @property
    def rows(self) -> int:
        return 1 + len(self.spans)


@dataclass(frozen=True)
class Stock:
    """What a folder holds, as `Inventory` counts it."""

    documents: int
    updated: int = 0
    broken: tuple[BrokenDocument, ...] = ()
    unread: tuple[Unread, ...] = ()


def find_changes(
    connection: sqlite3.Connection, folder: Path, exclude: Collection[Path] = ()
) -> Survey:
    """Find what is new or changed in a folder, and forget the files that are gone or excluded."""
    current = survey(folder, exclude)
    known = {
        path: (size, mtime_ns)
        for path, size, mtime_ns in connection.execute("SELECT path, size, mtime_ns FROM documents")
    }
    gone = known.keys() - {file.path for file in current.files}
    if gone:
        with open_transaction(connection):
            for path in gone:
                _forget(connection, path)
    changed = [f for f in current.files if known.get(f.path) != (f.size, f.mtime_ns)]
    return replace(current, files=changed)


def batch_files(files: Iterable[FoundFile]) -> Iterator[list[FoundFile]]:
    """Group files by what is read and committed at once."""
    batch: list[FoundFile] = []
    size = 0
    for file in files:
        if batch and (size + file.size > _BATCH_BYTES or len(batch) == _BATCH_FILES):
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += file.size
    if batch:
        yield batch


Begun = tuple[FoundFile, "Future[Loaded] | PortFailure"]
"""A file that is being read, or cannot be opened."""


def begin(folder: Path, files: Iterable[FoundFile]) -> list[Begun]:
    return [(file, _submit_file(folder, file)) for file in files]


def collect_entries(folder: Path, begun: Iterable[Begun]) -> list[Entry]:
    """Wait until files are read; one that cannot be becomes an entry with its failure."""
    return [_build_entry(folder, file, reading) for file, reading in begun]


def store(connection: sqlite3.Connection, entries: Iterable[Entry]) -> None:
    """Commit entries; those that another process stored in the meantime are left alone."""
    connection.execute(_CACHE)
    passages: list[tuple[int | str, ...]] = []
    with open_transaction(connection):
        for entry in entries:
            file = entry.file
            row = connection.execute(
                "SELECT size, mtime_ns FROM documents WHERE path = ?", (file.path,)
            ).fetchone()
            if row != (file.size, file.mtime_ns):
                if row is not None:
                    _forget(connection, file.path)
                if entry.lasting:
                    passages += _insert(connection, entry)
        connection.executemany(
            "INSERT INTO passages (rowid, title, heading, text, held) VALUES (?, ?, ?, ?, ?)",
            passages,
        )


def finish(connection: sqlite3.Connection) -> Stock:
    """Note that the folder was gone through once, and count what the index holds."""
    with open_transaction(connection):
        connection.execute("UPDATE state SET finished = 1")
    (documents,) = connection.execute(
        "SELECT count(*) FROM documents WHERE source IS NOT NULL"
    ).fetchone()
    own = [path for (path,) in connection.execute(_OWN_REPORTS)]
    broken = connection.execute(
        "SELECT path, failure FROM documents WHERE failure IS NOT NULL ORDER BY path"
    )
    return Stock(
        documents=documents,
        broken=tuple(
            BrokenDocument(path=path, failure=Failure.model_validate_json(failure))
            for path, failure in broken
        ),
        unread=(
            *_build_unread(UnreadSort.OWN_REPORT, len(own), own[:UNREAD_EXAMPLES]),
            *_build_unread(UnreadSort.PART, *_list_losses(connection)),
        ),
    )


def _build_unread(sort: UnreadSort, count: int, names: Sequence[str]) -> tuple[Unread, ...]:
    return (Unread(sort=sort, count=count, examples=tuple(names)),) if names else ()


_COUNT = re.compile(r"(?:a word|[\d,]+ words)(?= not read)")


def _list_losses(connection: sqlite3.Connection) -> tuple[int, list[str]]:
    """Count the documents that lack something, and name them, but what all pages lack once."""
    rows = connection.execute(
        "SELECT path, losses FROM documents WHERE losses IS NOT NULL ORDER BY path"
    ).fetchall()
    named, known = list[str](), set[str]()
    for path, losses in rows:
        # The menu of a site has the same words on each page, but for those that its text has too.
        kinds = {loss: _COUNT.sub("words", loss) for loss in json.loads(losses)}
        own = [loss for loss, kind in kinds.items() if loss == kind or kind not in known]
        known |= set(kinds.values())
        named += [f"{path} ({'; '.join(own)})"] if own else []
    return len(rows), named[:PARTS_NAMED]


def _submit_file(folder: Path, file: FoundFile) -> "Future[Loaded] | PortFailure":
    path = folder / file.path
    try:
        return submit_document(path.name, read_content(path, within=folder))
    except PortFailure as failure:
        return failure


def _build_entry(folder: Path, file: FoundFile, reading: "Future[Loaded] | PortFailure") -> Entry:
    try:
        if isinstance(reading, PortFailure):
            raise reading
        loaded = reading.result()
    except Unreadable as refusal:
        if refusal.why is Why.OWN_REPORT:
            return Entry(file=file)
        return Entry(file=file, failure=translate_refusal(refusal, folder / file.path).failure)
    except PortFailure as error:
        return Entry(file=file, failure=error.failure)
    source = build_source_ref(folder, file.path, loaded)
    language = detect_language(loaded.snapshot.text)
    spans = tuple(
        HeadedText(heading, text, build_index_terms(f"{source.title} {heading} {text}", language))
        for heading, text, _ in split_passages(loaded.snapshot)
    )
    return Entry(file=file, source=source, spans=spans, language=language, losses=loaded.losses)


def build_source_ref(folder: Path, path: str, loaded: Loaded) -> SourceRef:
    facts = loaded.metadata
    title = facts.title or _find_first_heading(path, loaded) or path.rpartition("/")[2]
    return SourceRef(
        id=compute_source_id(_build_identity(folder, path, loaded)),
        corpus=str(folder),
        path=path,
        **vars(replace(facts, title=title)),
    )


def _build_identity(folder: Path, path: str, loaded: Loaded) -> str:
    """Say what tells a document from every other one."""
    # The address that it states is the same wherever the folder lies, so that kept answers are
    # found again. By itself it is not enough: a document that states another's address must not
    # take its place, not even one at the same path of another folder.
    if loaded.metadata.url is None:
        return f"{folder.as_posix()}/{path}"
    text = hashlib.sha256(loaded.snapshot.text.encode()).hexdigest()
    return f"{text} {path} {loaded.metadata.url}"


def _find_first_heading(path: str, loaded: Loaded) -> str | None:
    """Return the first heading; pages, sheets and mails are none, nor names of rows and values."""
    if path.lower().endswith((".pdf", ".json", ".jsonl", ".mbox", ".xlsx")):
        return None
    labels = (
        mark.label for mark in loaded.snapshot.landmarks if _stands_alone(loaded.snapshot, mark)
    )
    first = next(labels, None)
    # Above the first heading of a plain text stands what it is, and nobody says which line.
    if first and path.lower().endswith(".txt") and not loaded.snapshot.text.startswith(first):
        return None
    return parse_title(first.rpartition(PATH_SEPARATOR)[2]) if first else None


def _stands_alone(snapshot: Snapshot, mark: Landmark) -> bool:
    name = mark.label.rpartition(PATH_SEPARATOR)[2]
    end = mark.offset + len(name)
    is_last = end >= len(snapshot.text)
    is_shown = snapshot.text.startswith(name, mark.offset)
    return is_shown and (is_last or snapshot.text.startswith(PARAGRAPH_BREAK, end))


def _forget(connection: sqlite3.Connection, path: str) -> None:
    row = connection.execute("SELECT id FROM documents WHERE path = ?", (path,)).fetchone()
    if row is not None:
        first = row[0] << PASSAGE_BITS
        connection.execute(
            "DELETE FROM passages WHERE rowid BETWEEN ? AND ?",
            (first, first + (1 << PASSAGE_BITS) - 1),
        )
        connection.execute("DELETE FROM documents WHERE id = ?", row)


def _insert(connection: sqlite3.Connection, entry: Entry) -> list[tuple[int | str, ...]]:
    """Insert what is known of a document; return the rows of its passages."""
    file, source, failure = entry.file, entry.source, entry.failure
    cursor = connection.execute(
        "INSERT INTO documents (path, size, mtime_ns, passages, language, source, failure, losses) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            file.path,
            file.size,
            file.mtime_ns,
            len(entry.spans),
            entry.language,
            source and source.model_dump_json(),
            failure and failure.model_dump_json(),
            json.dumps(entry.losses) if entry.losses else None,
        ),
    )
    first, title = (cursor.lastrowid or 0) << PASSAGE_BITS, source.title if source else ""
    return [(first + place, title, *span) for place, span in enumerate(entry.spans)]

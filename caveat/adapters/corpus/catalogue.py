"""What the index holds of a loaded document: the source that reports name."""

import hashlib
from pathlib import Path

from caveat.adapters.documents.composer import PARAGRAPH_BREAK, PATH_SEPARATOR
from caveat.adapters.documents.loaded import Loaded
from caveat.contracts.source import Landmark, Snapshot, SourceRef
from caveat.rules.sources.identity import compute_source_id


def build_source_ref(folder: Path, path: str, loaded: Loaded) -> SourceRef:
    facts = loaded.metadata
    return SourceRef(
        id=compute_source_id(_build_identity(folder, path, loaded)),
        title=facts.title or _find_first_heading(path, loaded) or path.rpartition("/")[2],
        url=facts.url,
        published=facts.published,
        precision=facts.precision,
        authors=facts.authors,
        kind=facts.kind,
        citations=facts.citations,
        corpus=str(folder),
        path=path,
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
    """Return the first heading; pages and messages are none, nor names of rows and values."""
    if path.lower().endswith((".pdf", ".json", ".jsonl", ".mbox")):
        return None
    labels = (
        mark.label for mark in loaded.snapshot.landmarks if _stands_alone(loaded.snapshot, mark)
    )
    first = next(labels, None)
    # Above the first heading of a plain text stands what it is, and nobody says which line.
    if first and path.lower().endswith(".txt") and not loaded.snapshot.text.startswith(first):
        return None
    return first.rpartition(PATH_SEPARATOR)[2] if first else None


def _stands_alone(snapshot: Snapshot, mark: Landmark) -> bool:
    name = mark.label.rpartition(PATH_SEPARATOR)[2]
    end = mark.offset + len(name)
    is_last = end >= len(snapshot.text)
    is_shown = snapshot.text.startswith(name, mark.offset)
    return is_shown and (is_last or snapshot.text.startswith(PARAGRAPH_BREAK, end))

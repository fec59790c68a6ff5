"""From a loaded document to the source that searches and reports name."""

import hashlib
from pathlib import Path

from caveat.adapters.documents.composer import PATH_SEPARATOR
from caveat.adapters.documents.loaded import Loaded
from caveat.contracts.source import SourceRef
from caveat.rules.sources import source_id


def source_of(folder: Path, path: str, loaded: Loaded) -> SourceRef:
    """Describe a document.

    Args:
        folder: the resolved corpus folder.
        path: the document's path inside it, with `/` between folders.
        loaded: what its loader returned.
    """
    facts = loaded.metadata
    return SourceRef(
        id=source_id(_identity(folder, path, loaded)),
        title=facts.title or _first_heading(path, loaded) or path.rpartition("/")[2],
        url=facts.url,
        published=facts.published,
        kind=facts.kind,
        citations=facts.citations,
        corpus=str(folder),
        path=path,
    )


def _identity(folder: Path, path: str, loaded: Loaded) -> str:
    """Say what tells a document from every other one.

    The address that it states is the same wherever the folder lies, so that a cassette can be
    replayed elsewhere. By itself it is not enough: a document that states another's address must
    not take its place, not even one at the same path of another folder.
    """
    if loaded.metadata.url is None:
        return f"{folder.as_posix()}/{path}"
    text = hashlib.sha256(loaded.snapshot.text.encode()).hexdigest()
    return f"{text} {path} {loaded.metadata.url}"


def _first_heading(path: str, loaded: Loaded) -> str | None:
    """Return the heading that the text opens with; pages are no headings."""
    marks = loaded.snapshot.landmarks
    if not marks or path.lower().endswith(".pdf"):
        return None
    return marks[0].label.split(PATH_SEPARATOR)[0]

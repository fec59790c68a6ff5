"""From a loaded document to the source that searches and reports name."""

from pathlib import Path

from caveat.adapters.corpus.composer import PATH_SEPARATOR
from caveat.adapters.corpus.loaded import Loaded
from caveat.contracts.source import SourceRef
from caveat.rules.identity import source_id


def source_of(folder: Path, path: str, loaded: Loaded) -> SourceRef:
    """Describe a document.

    Args:
        folder: the resolved corpus folder.
        path: the document's path inside it, with `/` between folders.
        loaded: what its loader returned.
    """
    facts = loaded.metadata
    return SourceRef(
        id=source_id(facts.url or f"{folder.as_posix()}/{path}"),
        title=facts.title or _first_heading(path, loaded) or path.rpartition("/")[2],
        url=facts.url,
        published=facts.published,
        kind=facts.kind,
        citations=facts.citations,
        corpus=str(folder),
        path=path,
    )


def _first_heading(path: str, loaded: Loaded) -> str | None:
    """Return the heading that the text opens with; pages are no headings."""
    marks = loaded.snapshot.landmarks
    if not marks or path.lower().endswith(".pdf"):
        return None
    return marks[0].label.split(PATH_SEPARATOR)[0]

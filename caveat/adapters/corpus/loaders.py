"""One file to text and metadata, whatever its format."""

import re
from collections.abc import Callable
from pathlib import Path

from caveat.adapters.corpus.encoding import decoded
from caveat.adapters.corpus.html import load_html
from caveat.adapters.corpus.loaded import Loaded
from caveat.adapters.corpus.markdown import load_markdown
from caveat.adapters.corpus.pdf import load_pdf
from caveat.adapters.corpus.plain import load_text
from caveat.adapters.corpus.restructured import load_restructured
from caveat.failures import PortFailure, forbidden, invalid, not_found, unavailable

LOADERS_VERSION = 2
"""Raised whenever the same file gives another text, so that indexes are made anew."""

SIZE_LIMIT = 20 * 1000 * 1000
"""Bytes (20 MB). A file of this size is 7,000 pages of text; more is a data dump, and one such
file would hold up a whole run."""

_TEXT_LOADERS: dict[str, Callable[[str], Loaded]] = {
    ".md": load_markdown,
    ".markdown": load_markdown,
    ".txt": load_text,
    ".rst": load_restructured,
    ".html": load_html,
    ".htm": load_html,
}
SUFFIXES = frozenset(_TEXT_LOADERS) | {".pdf"}
"""Endings of the files that can be read, in lower case."""

_DECLARATIONS = (
    re.compile(rb"<meta[^>]{1,200}?charset\s*=\s*[\"']?\s*([\w:.-]+)", re.IGNORECASE),
    re.compile(rb"<\?xml[^>]{1,200}?encoding\s*=\s*[\"']([\w:.-]+)", re.IGNORECASE),
)
_DECLARATION_LIMIT = 4096
"""Bytes; HTML wants the declaration within the first 1,024, pages are not that strict."""


def load(path: Path) -> Loaded:
    """Read one document.

    Raises:
        PortFailure: it is too large, empty, damaged, locked, in an unknown encoding, not
            readable, or gone.
    """
    try:
        return _load(path)
    except OSError as error:
        raise translated(error, path) from error


def translated(error: OSError, path: Path) -> PortFailure:
    """Say what the operating system's error means for the document at `path`."""
    name, resource = printable(path.name), printable(str(path))
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return not_found(f"“{name}” is not there any more.", resource=resource)
    if isinstance(error, PermissionError):
        return forbidden(f"“{name}” may not be read by this user.", resource=resource)
    return unavailable(f"“{name}” cannot be read from its disk.", resource=resource)


def printable(name: str) -> str:
    """Return a file name as valid Unicode; bytes that are none become U+FFFD."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _load(path: Path) -> Loaded:
    name, resource = printable(path.name), printable(str(path))
    size = path.stat().st_size
    if size > SIZE_LIMIT:
        raise invalid(
            f"“{name}” has {size / 1e6:.0f} MB, more than the {SIZE_LIMIT / 1e6:.0f} MB that are "
            "read of one document.",
            resource=resource,
        )
    if size == 0:
        raise invalid(f"“{name}” is empty.", resource=resource)
    suffix = path.suffix.lower()
    if suffix == ".pdf":
        loaded = _readable_pdf(path, name)
    else:
        data = path.read_bytes()
        declared = _declared_encoding(data) if suffix in {".html", ".htm"} else None
        text = decoded(data, declared=declared, name=name, resource=resource)
        # Sphinx publishes its sources as name.rst.txt.
        written_in = ".rst" if name.lower().endswith(".rst.txt") else suffix
        loaded = _TEXT_LOADERS[written_in](text)
    if loaded.is_own_report:
        return loaded
    if not loaded.snapshot.text:
        raise invalid(f"“{name}” holds no text.", resource=resource)
    return loaded


def _readable_pdf(path: Path, name: str) -> Loaded:
    # PDFium reports a file that it may not open as damaged; opening it here tells them apart.
    with path.open("rb"):
        loaded = load_pdf(path, name=name)
    if not loaded.snapshot.text:
        raise invalid(
            f"“{name}” holds no text, perhaps only scanned pages.", resource=printable(str(path))
        )
    return loaded


def _declared_encoding(data: bytes) -> str | None:
    matches = (pattern.search(data[:_DECLARATION_LIMIT]) for pattern in _DECLARATIONS)
    return next((match.group(1).decode("ascii") for match in matches if match is not None), None)

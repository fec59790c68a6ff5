"""One file to text and metadata, whatever its format."""

import errno
import os
import stat
import zlib
from concurrent.futures import Future
from contextlib import suppress
from functools import cache
from pathlib import Path

from caveat.adapters.documents.loaded import DocumentFormat, Loaded, Unreadable, Why
from caveat.adapters.documents.readers import READERS
from caveat.adapters.documents.recognition import find_tesseract
from caveat.failures import PortFailure, forbidden, invalid, is_shortage, not_found, unavailable

LOADERS_VERSION = 44
"""Raised whenever the same file gives another text or title, so that indexes are made anew."""

SIZE_LIMIT = 20 * 1000 * 1000
"""Bytes (20 MB). A file of this size is 7,000 pages of text; more is a data dump, and one such
file would hold up a whole run."""

_FORMATS = {ending: each for each in DocumentFormat for ending in each.endings.split()}
SUFFIXES = frozenset(_FORMATS)  # the endings of the files that can be read, in lower case

_OPENED = "/proc/self/fd/{}"  # where Linux says what an open file is


def load(path: Path, within: Path | None = None) -> Loaded:
    """Read one document; it waits for a reader's process.

    Args:
        within: a resolved folder that it must lie in, whatever links lead to it.
    """
    data = read_content(path, within)
    try:
        return submit_document(path.name, data).result()
    except Unreadable as refusal:
        raise translate_refusal(refusal, path) from refusal


@cache
def compute_loaders_version() -> int:
    """Name everything that decides what text a file gives; another one has indexes made anew."""
    others = "\n".join(find_tesseract() or ())
    # SQLite keeps 31 bits of it beside the index.
    return LOADERS_VERSION + 1_000_000 * (zlib.crc32(others.encode()) % 2_000 if others else 0)


def submit_document(name: str, data: bytes) -> Future[Loaded]:
    """Have a document read as what its ending says."""
    # Sphinx publishes its sources as name.rst.txt.
    plain = name.lower().removesuffix(".txt") if name.lower().endswith(".rst.txt") else name.lower()
    return READERS.submit(_FORMATS[plain[plain.rindex(".") :]], data)


def read_content(path: Path, within: Path | None = None) -> bytes:
    """Open a document once, and return the bytes of what was opened and checked.

    Raises:
        PortFailure: it cannot be read.
        OSError: nothing can be opened now, whatever document it is.
    """
    name, resource = clean_name(path.name), clean_name(str(path))
    try:
        # What is no file, such as a pipe, must not keep its reader waiting.
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        facts = os.fstat(number)
        if not stat.S_ISREG(facts.st_mode):
            os.close(number)
            raise not_found(f"“{name}” is no longer a file.", resource=resource)
        with os.fdopen(number, "rb") as file:
            if within is not None and not _lies_in(number, path, within):
                raise invalid(f"“{name}” is not a document of its corpus.", resource=resource)
            if facts.st_size > SIZE_LIMIT:
                problem = f"“{name}” has {facts.st_size / 1e6:.0f} MB, more than the "
                problem += f"{SIZE_LIMIT / 1e6:.0f} MB that are read of one document."
                raise invalid(problem, resource=resource)
            data = file.read(facts.st_size + 1)
    except OSError as error:
        if is_shortage(error):
            raise
        raise translate_error(error, path) from error
    if not data:
        raise invalid(f"“{name}” is empty.", resource=resource)
    return data[:SIZE_LIMIT]


def translate_refusal(refusal: Unreadable, path: Path) -> PortFailure:
    """Say which document cannot be read, and why."""
    sentence, resource = f"“{clean_name(path.name)}” {refusal}.", clean_name(str(path))
    if refusal.why is Why.LATE:
        return unavailable(sentence, resource=resource)
    return invalid(sentence, resource=resource)


def translate_error(error: OSError, path: Path) -> PortFailure:
    """Say what the operating system's error means for the document at `path`."""
    name, resource = clean_name(path.name), clean_name(str(path))
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return not_found(f"“{name}” is not there any more.", resource=resource)
    if isinstance(error, PermissionError):
        return forbidden(f"“{name}” may not be read by this user.", resource=resource)
    if error.errno == errno.ENAMETOOLONG:
        problem = f"“{name[:100]}” lies deeper than this system opens files."
        return invalid(problem, resource=resource[-500:])
    return unavailable(f"“{name}” cannot be read from its disk.", resource=resource)


def clean_name(name: str) -> str:
    """Return a file name as valid Unicode; bytes that are none become U+FFFD."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _lies_in(number: int, path: Path, folder: Path) -> bool:
    """Whether an open file lies in a folder; links may have been changed while it was opened."""
    # Linux says where what was opened lies. Elsewhere the path is looked at once more.
    with suppress(OSError):
        return os.readlink(_OPENED.format(number)).startswith(os.path.join(folder, ""))  # noqa: PTH115, PTH118  # it is no file's path, and `Path` drops the stroke
    real = path.resolve(strict=True)
    is_the_opened = os.path.samestat(real.stat(follow_symlinks=False), os.fstat(number))
    return is_the_opened and real.is_relative_to(folder)

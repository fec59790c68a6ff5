"""Reads one PDF in a process of its own: `python -m caveat.adapters.web.pdf_process FILE`.

PDFium is a large program in C++ that reads what strangers wrote. Here a file that makes it hang or
crash costs one source, where in the worker it would cost every task of it; and the process knows
none of the worker's secrets.
"""

import resource
import subprocess
import sys
import tempfile
from contextlib import suppress
from enum import IntEnum
from pathlib import Path

from pydantic import ValidationError

from caveat.adapters.corpus.loaded import Loaded, Metadata
from caveat.adapters.corpus.metadata import date_of
from caveat.adapters.corpus.pdf import load_pdf
from caveat.adapters.web.refusals import Unreadable
from caveat.contracts.base import Contract
from caveat.contracts.source import Snapshot
from caveat.failures import PortFailure

_SECONDS = 20
"""Of processor time and of the clock: PDFium reads 472 pages a second, and 20 MB are some 3,000."""
_MEMORY = 2 * 1024**3
"""Bytes of address space; 20 MB files of scans took a tenth of it."""


class _Exit(IntEnum):
    READ = 0
    LOCKED = 3
    DAMAGED = 4


_SAID: dict[int, str] = {
    _Exit.LOCKED: "is a PDF that is locked with a password",
    _Exit.DAMAGED: "is a damaged PDF, or none at all",
}


class _Text(Contract):
    """What the process prints."""

    snapshot: Snapshot
    title: str | None
    published: str | None
    is_own_report: bool


def load_pdf_apart(body: bytes) -> Loaded:
    """Read a PDF's text layer in a process of its own.

    Raises:
        Unreadable: it is no PDF, damaged, locked, or keeps its reader busy for too long.
    """
    with tempfile.NamedTemporaryFile(prefix="caveat-", suffix=".pdf") as file:
        file.write(body)
        file.flush()
        # Isolated, and without the environment: what reads strangers' files holds no key.
        command = [sys.executable, "-I", "-m", __name__, file.name]
        try:
            done = subprocess.run(  # noqa: S603  # no shell, and the file's name is our own
                command, env={}, capture_output=True, timeout=_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            raise Unreadable("is a PDF that takes too long to read") from None
    if done.returncode != _Exit.READ:
        raise Unreadable(_SAID.get(done.returncode, "is a PDF that cannot be read safely"))
    return _loaded(done.stdout)


def _loaded(printed: bytes) -> Loaded:
    try:
        text = _Text.model_validate_json(printed)
    except ValidationError:
        raise Unreadable("is a PDF that cannot be read safely") from None
    metadata = Metadata(title=text.title, published=date_of(text.published or ""))
    return Loaded(text.snapshot, metadata, text.is_own_report)


def _main(path: Path) -> _Exit:
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    with suppress(ValueError, OSError):  # macOS does not bound it
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    try:
        found = load_pdf(path, name=path.name)
    except PortFailure as failure:
        return _Exit.LOCKED if "password" in failure.failure.message else _Exit.DAMAGED
    published = found.metadata.published
    text = _Text(
        snapshot=found.snapshot,
        title=found.metadata.title,
        published=None if published is None else published.isoformat(),
        is_own_report=found.is_own_report,
    )
    sys.stdout.write(text.model_dump_json())
    return _Exit.READ


if __name__ == "__main__":
    sys.exit(_main(Path(sys.argv[1])))

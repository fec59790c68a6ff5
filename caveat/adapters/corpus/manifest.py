"""`caveat.toml` in a corpus folder: what the person who gives it vouches for of its documents."""

import datetime as dt
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field

from caveat.contracts.base import Contract
from caveat.contracts.source import KindBy, SourceKind, SourceRef
from caveat.failures import invalid
from caveat.tables import read_table

NAME = "caveat.toml"

_LARGEST = 1 << 20  # bytes: a line for each of ten thousand documents

_Names = Annotated[
    tuple[str, ...], BeforeValidator(lambda names: (names,) if isinstance(names, str) else names)
]


class Vouched(Contract):
    """What is vouched for of the documents whose path matches a pattern."""

    match: str = Field(min_length=1)  # as a shell matches paths; `*` matches folders as well
    kind: SourceKind | None = None
    published: dt.date | None = None
    author: _Names = ()


class Manifest(Contract):
    """Patterns of documents; of each document the last one that matches counts."""

    documents: tuple[Vouched, ...] = ()
    exclude: tuple[str, ...] = ()  # patterns of paths that are not looked at
    gitignore: bool = True  # whether what a `.gitignore` leaves out is left out

    def correct_source(self, source: SourceRef) -> SourceRef:
        """Put what is vouched for in the place of what the document says of itself."""
        facts: dict[str, object] = {}
        for vouched in self.documents:
            if fnmatchcase(source.path or "", vouched.match):
                facts |= {"kind": vouched.kind, "kind_by": KindBy.PERSON} if vouched.kind else {}
                facts |= {"published": vouched.published} if vouched.published else {}
                facts |= {"authors": vouched.author} if vouched.author else {}
        return source.model_copy(update=facts) if facts else source


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a folder; an empty one where it has none.

    Raises:
        PortFailure: it cannot be used; the sentence says what is wrong.
    """
    file = folder / NAME
    try:
        facts = file.stat()
    except FileNotFoundError:
        return Manifest()
    except OSError:  # reading it says why
        return read_table(file, "The manifest", Manifest)
    return _read(file, facts.st_mtime_ns, facts.st_size)


def apply_manifest(source: SourceRef) -> SourceRef:
    """Tell of a document what is vouched for in its folder."""
    return read_manifest(Path(source.corpus)).correct_source(source) if source.corpus else source


@lru_cache(maxsize=64)
def _read(file: Path, changed: int, size: int) -> Manifest:
    if size > _LARGEST:
        why = f"The manifest {file} cannot be used: it is larger than a megabyte."
        raise invalid(why, resource=str(file))
    return read_table(file, "The manifest", Manifest)

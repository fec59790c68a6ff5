"""`caveat.toml` in a corpus folder: what the person who gives it vouches for of its documents."""

import datetime as dt
import tomllib
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, ValidationError

from caveat.contracts.base import Contract
from caveat.contracts.source import KindBy, SourceKind, SourceRef
from caveat.failures import PortFailure, invalid
from caveat.rendering.mistakes import describe_mistakes

NAME = "caveat.toml"

_LARGEST = 1 << 20  # bytes: a line for each of ten thousand documents

_Names = Annotated[
    tuple[str, ...], BeforeValidator(lambda given: (given,) if isinstance(given, str) else given)
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
        for each in self.documents:
            if fnmatchcase(source.path or "", each.match):
                facts |= {"kind": each.kind, "kind_by": KindBy.PERSON} if each.kind else {}
                facts |= {"published": each.published} if each.published else {}
                facts |= {"authors": each.author} if each.author else {}
        return source.model_copy(update=facts) if facts else source


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a folder; an empty one where it has none.

    Raises:
        PortFailure: it cannot be used; the sentence says what is wrong.
    """
    file = folder / NAME
    try:
        facts = file.stat()
        return _read(file, facts.st_mtime_ns, facts.st_size)
    except FileNotFoundError:
        return Manifest()
    except OSError as error:
        raise _build_failure(file, "it cannot be read") from error


def apply_manifest(source: SourceRef) -> SourceRef:
    """Tell of a document what is vouched for in its folder."""
    return read_manifest(Path(source.corpus)).correct_source(source) if source.corpus else source


@lru_cache(maxsize=64)
def _read(file: Path, changed: int, size: int) -> Manifest:
    if size > _LARGEST:
        raise _build_failure(file, "it is larger than a megabyte")
    try:
        return Manifest.parse_sent(tomllib.loads(file.read_text("utf-8")))
    except ValidationError as error:
        raise _build_failure(file, describe_mistakes(error, NAME)) from error
    except ValueError as error:  # no TOML, or no UTF-8
        raise _build_failure(file, f"it is no TOML ({error})") from error


def _build_failure(file: Path, why: str) -> PortFailure:
    return invalid(f"The manifest {file} cannot be used: {why}.", resource=str(file))

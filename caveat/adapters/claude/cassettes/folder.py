"""A cassette on disk: a manifest, and a file for each exchange."""

import re
import tempfile
import threading
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from caveat import atomic
from caveat.adapters.claude.cassettes.problems import unusable
from caveat.adapters.claude.cassettes.tape import ADDRESS, MANIFEST, VERSION, Exchange, Manifest
from caveat.contracts.base import Contract

C = TypeVar("C", bound=Contract)

_EXCHANGE = re.compile(rf"{ADDRESS}-\d{{4,}}\.json")


class Folder:
    """A cassette that is being recorded: `<address>-<number>.json` for each exchange.

    A file is complete or absent: it is written under another name, flushed, and renamed.

    Args:
        path: created if it is not there.

    Raises:
        PortFailure: it holds something else than a cassette, or cannot be written.
    """

    def __init__(self, path: Path) -> None:
        try:
            path.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=path):
                pass
            is_empty = not any(path.iterdir())
        except OSError as error:
            raise unusable(path, error.strerror or "it cannot be written") from None
        self._path = path
        self._manifest = None if is_empty else _manifest(path)
        # Exchanges end on several threads.
        self._lock = threading.Lock()

    @property
    def host(self) -> str | None:
        """Whose answers it holds; None while it holds none."""
        return self._manifest.recorded_from if self._manifest else None

    def keep(self, exchange: Exchange, label: Manifest) -> None:
        """Add an exchange behind those that the same request had before.

        Args:
            exchange: what is kept.
            label: what the cassette's manifest says of it.

        Raises:
            OSError: it cannot be written.
        """
        with self._lock:
            self._label(label)
            number = 1
            while (file := self._path / f"{exchange.address}-{number:04}.json").exists():
                number += 1
            _write(file, exchange)

    def _label(self, label: Manifest) -> None:
        known = self._manifest
        if known is not None:
            # One answer of a stand-in makes it the stand-in's.
            label = known.model_copy(update={"stand_in": known.stand_in or label.stand_in})
        if label != known:
            _write(self._path / MANIFEST, label)
            self._manifest = label


def read(path: Path) -> tuple[Manifest, tuple[Exchange, ...]]:
    """Read a cassette whole: exchanges of one request in the order in which they were recorded.

    Raises:
        PortFailure: it is none, it is damaged, or of a version that is not known here.
    """
    manifest = _manifest(path)
    try:
        files = sorted(each for each in path.iterdir() if _EXCHANGE.fullmatch(each.name))
    except OSError as error:
        raise unusable(path, error.strerror or "it cannot be read") from None
    if not files:
        raise unusable(path, "it holds no answer")
    return manifest, tuple(_parsed(path, file, Exchange) for file in files)


def _manifest(path: Path) -> Manifest:
    return _parsed(path, path / MANIFEST, Manifest)


def _parsed(path: Path, file: Path, type_: type[C]) -> C:
    try:
        return type_.model_validate_json(file.read_bytes())
    except OSError as error:
        reason = f"its {file.name} cannot be read ({error.strerror})"
    except ValidationError as error:
        # Nothing of what stands in the file is repeated: it may be anything.
        strange = any(each["loc"] == ("version",) for each in error.errors(include_input=False))
        reason = (
            f"its {file.name} is not of version {VERSION}, the only one that is known here"
            if strange
            else f"its {file.name} is damaged"
        )
    raise unusable(path, reason)


def _write(file: Path, content: Contract) -> None:
    file.parent.stat()  # a cassette that was taken away is not begun anew without its label
    atomic.write(file, content.model_dump_json(indent=1).encode() + b"\n")

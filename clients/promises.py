"""Where provisional reports were passed on, so that the final ones follow them there.

A promise is kept in the state folder by the command that wrote the files: nobody who only reaches
the server can have anything written anywhere by it.
"""

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from caveat.contracts.base import Contract
from caveat.contracts.plan import Format

_PRIVATE = 0o700
_ENDING = ".json"


class Promise(Contract):
    """A final report that somebody was told would follow.

    Attributes:
        run_id: the run that goes on.
        folder: where its provisional report was written, absolute.
        formats: as what.
    """

    run_id: str
    folder: str
    formats: tuple[Format, ...]


@dataclass(frozen=True)
class Promises:
    """The promises of this user on this machine.

    Attributes:
        folder: a file a promise, in the state folder.
    """

    folder: Path

    def make(self, promise: Promise) -> bool:
        """Keep a promise until it is fulfilled; False where it cannot be kept."""
        try:
            self.folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(dir=self.folder)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(promise.model_dump_json())
            Path(temporary).replace(self._path(promise.run_id, promise.folder))
        except OSError:
            return False
        return True

    def open(self) -> list[Promise]:
        """List what is promised and not fulfilled yet."""
        try:
            files = sorted(self.folder.glob(f"*{_ENDING}"))
        except OSError:
            return []
        return [promise for file in files if (promise := _read(file)) is not None]

    def close(self, run_id: str, folder: Path) -> None:
        """Forget a promise that is fulfilled, or that cannot be any more."""
        try:
            self._path(run_id, str(folder)).unlink(missing_ok=True)
        except OSError:
            # It is fulfilled once more by the next command, with the same files.
            return

    def _path(self, run_id: str, folder: str) -> Path:
        name = hashlib.sha256(f"{run_id}\n{folder}".encode("utf-8", "surrogateescape")).hexdigest()
        return self.folder / f"{name[:32]}{_ENDING}"


def _read(path: Path) -> Promise | None:
    try:
        return Promise.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None

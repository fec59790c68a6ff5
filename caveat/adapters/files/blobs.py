"""Blobs as files below a folder: what one machine has, or a folder that several share."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from caveat import atomic, failures
from caveat.adapters.files.artifacts import build_write_failure, describe_os_error
from caveat.failures import PortFailure
from caveat.ports import Kept


@dataclass(frozen=True)
class FolderBlobs:
    """Keeps each blob as a file of its name below a folder; see `ports.Blobs`."""

    # A file is complete or absent: it is written under another name, flushed, and renamed.

    folder: Path  # created when the first blob is kept

    @property
    def grace_s(self) -> float:
        """Return 0: what is kept again has its time set; see `ports.Blobs`."""
        return 0.0

    def locate(self, name: str = "") -> str:
        return str((self.folder / name).absolute())

    def get(self, name: str) -> bytes | None:
        path = self.folder / name
        try:
            return path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise build_read_failure(error, path) from error

    def put(self, name: str, content: bytes) -> None:
        path = self.folder / name
        with _translate_write_errors(path):
            atomic.write(path, content)

    def create(self, name: str, content: bytes) -> bool:
        path = self.folder / name
        with _translate_write_errors(path):
            return atomic.create(path, content)

    def keep(self, name: str, content: bytes, is_sound: Callable[[bytes], bool]) -> None:
        path = self.folder / name
        with _translate_write_errors(path):
            present = self.get(name)
            is_kept = present is not None and is_sound(present)
            if not (is_kept and atomic.renew(path)):
                atomic.write(path, content)

    def change(self, name: str, change: Callable[[bytes | None], bytes]) -> None:
        """Write a file anew, while its folder is locked; see `ports.Blobs`."""
        path = self.folder / name
        with _translate_write_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with atomic.lock_path(path.parent):
                atomic.write(path, change(self.get(name)))

    def renew(self, name: str) -> None:
        """Set a file's time, by which `caveat admin prune` goes; see `ports.Blobs`."""
        atomic.renew(self.folder / name)

    def remove(self, name: str) -> None:
        path = self.folder / name
        with _translate_write_errors(path), suppress(NotADirectoryError):
            path.unlink(missing_ok=True)

    def list_names(self, within: str = "") -> tuple[str, ...]:
        folder = self.folder / within
        try:
            names = [f"{path.name}/" if path.is_dir() else path.name for path in folder.iterdir()]
        except (FileNotFoundError, NotADirectoryError):
            return ()
        except OSError as error:
            raise build_read_failure(error, folder) from error
        return tuple(sorted(name for name in names if not name.startswith(".")))

    def list_all(self) -> Iterator[Kept]:
        for within, folders, names in os.walk(self.folder, onerror=_raise_read_error):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for file in sorted(names):
                path = Path(within, file)
                with suppress(FileNotFoundError):
                    status = path.stat()
                    name = path.relative_to(self.folder).as_posix()
                    yield Kept(name, status.st_size, status.st_mtime)

    def remove_old(self, name: str, before: float) -> bool:
        """Remove a file whose time says so, and folders that it leaves empty; see `ports.Blobs`."""
        # What is kept again between the look and the removal, a moment, goes.
        path = self.folder / name
        with _translate_write_errors(path), suppress(FileNotFoundError, NotADirectoryError):
            if path.stat().st_mtime < before:
                path.unlink()
                with suppress(OSError):  # something is in it
                    while (path := path.parent) != self.folder:
                        path.rmdir()
                return True
        return False


@contextmanager
def _translate_write_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise build_write_failure(error, path) from error


def _raise_read_error(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise build_read_failure(error, Path(error.filename)) from error


def build_read_failure(error: OSError, path: Path) -> PortFailure:
    """Name the failure that an error of the system is, where a file was to be read."""
    if isinstance(error, PermissionError):
        return failures.forbidden(f"{path} may not be read.", resource=str(path))
    if isinstance(error, IsADirectoryError):
        return failures.invalid(f"{path} is a folder.", resource=str(path))
    return failures.unavailable(
        f"{path} could not be read: {describe_os_error(error)}.", resource=str(path)
    )

"""Blobs as files below a folder: what one machine has, or a folder that several share."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from caveat import atomic, failures
from caveat.adapters.files.artifacts import cannot_write, why
from caveat.failures import PortFailure
from caveat.ports import Kept


@dataclass(frozen=True)
class FolderBlobs:
    """Keeps each blob as a file of its name below a folder; see `ports.Blobs`."""

    # A file is complete or absent: it is written under another name, flushed, and renamed.

    folder: Path  # created when the first blob is kept
    near: bool = True

    @property
    def grace_s(self) -> float:
        """Return 0: what is kept again has its time set; see `ports.Blobs`."""
        return 0.0

    def where(self, name: str = "") -> str:
        """Return the path of a file; see `ports.Blobs`."""
        return str((self.folder / name).absolute())

    def get(self, name: str) -> bytes:
        """Read a file; see `ports.Blobs`."""
        path = self.folder / name
        try:
            return path.read_bytes()
        except OSError as error:
            raise cannot_read(error, path) from error

    def put(self, name: str, content: bytes, *, lasting: bool = True) -> None:
        """Write a file, whole or not at all; see `ports.Blobs`."""
        path = self.folder / name
        with _writing(path):
            atomic.write(path, content, is_flushed=lasting)

    def create(self, name: str, content: bytes) -> bool:
        """Write a file where there is none; see `ports.Blobs`."""
        path = self.folder / name
        with _writing(path):
            return atomic.create(path, content)

    def keep(self, name: str, content: bytes, is_sound: Callable[[bytes], bool]) -> None:
        """Write a file unless it is there and sound; see `ports.Blobs`."""
        path = self.folder / name
        with _writing(path):
            if _holds(path, is_sound) and atomic.renewed(path):
                return
            atomic.write(path, content)

    def change(self, name: str, change: Callable[[bytes | None], bytes]) -> None:
        """Write a file anew, while its folder is locked; see `ports.Blobs`."""
        path = self.folder / name
        with _writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with atomic.alone(path.parent):
                atomic.write(path, change(_found(path)))

    def renew(self, name: str) -> None:
        """Set a file's time, by which `caveat prune` goes; see `ports.Blobs`."""
        atomic.renewed(self.folder / name)

    def remove(self, name: str) -> None:
        """Remove a file; see `ports.Blobs`."""
        path = self.folder / name
        with _writing(path), suppress(NotADirectoryError):
            path.unlink(missing_ok=True)

    def names(self, within: str = "") -> tuple[str, ...]:
        """List files and folders; see `ports.Blobs`."""
        folder = self.folder / within
        try:
            found = [f"{each.name}/" if each.is_dir() else each.name for each in folder.iterdir()]
        except (FileNotFoundError, NotADirectoryError):
            return ()
        except OSError as error:
            raise cannot_read(error, folder) from error
        return tuple(sorted(each for each in found if not each.startswith(".")))

    def everything(self) -> Iterator[Kept]:
        """List every file; see `ports.Blobs`."""
        for within, folders, names in os.walk(self.folder, onerror=_raised):
            folders[:] = sorted(each for each in folders if not each.startswith("."))
            for each in sorted(names):
                path = Path(within, each)
                with suppress(FileNotFoundError):
                    found = path.stat()
                    name = path.relative_to(self.folder).as_posix()
                    yield Kept(name, found.st_size, found.st_mtime)

    def remove_old(self, name: str, before: float) -> bool:
        """Remove a file whose time says so, and folders that it leaves empty; see `ports.Blobs`."""
        # What is kept again between the look and the removal, a moment, goes.
        path = self.folder / name
        with _writing(path), suppress(FileNotFoundError, NotADirectoryError):
            if path.stat().st_mtime < before:
                path.unlink()
                _remove_empty(path.parent, self.folder)
                return True
        return False

    def version(self, name: str) -> str | None:
        """Return a file's time and size; see `ports.Blobs`."""
        try:
            found = (self.folder / name).stat()
        except OSError:
            return None
        return f"{found.st_mtime_ns}-{found.st_size}"


def _remove_empty(folder: Path, within: Path) -> None:
    with suppress(OSError):  # something is in it
        while folder != within:
            folder.rmdir()
            folder = folder.parent


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise cannot_write(error, path) from error


def _raised(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise cannot_read(error, Path(error.filename)) from error


def cannot_read(error: OSError, path: Path) -> PortFailure:
    """Name the failure that an error of the system is, where a file was to be read."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return failures.not_found(f"There is no file {path}.", resource=str(path))
    if isinstance(error, PermissionError):
        return failures.forbidden(f"{path} may not be read.", resource=str(path))
    if isinstance(error, IsADirectoryError):
        return failures.invalid(f"{path} is a folder.", resource=str(path))
    return failures.unavailable(f"{path} could not be read: {why(error)}.", resource=str(path))


def _holds(path: Path, is_sound: Callable[[bytes], bool]) -> bool:
    found = _found(path)
    return found is not None and is_sound(found)


def _found(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None

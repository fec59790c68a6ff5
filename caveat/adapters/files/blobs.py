"""Blobs as files below a folder: what one machine has, or a folder that several share."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from caveat import atomic
from caveat.adapters.files.artifacts import translate_os_errors
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
        missing = suppress(FileNotFoundError, NotADirectoryError)
        with translate_os_errors(path, "read"), missing:
            return path.read_bytes()
        return None

    def put(self, name: str, content: bytes) -> None:
        path = self.folder / name
        with translate_os_errors(path, "written"):
            atomic.write(path, content)

    def create(self, name: str, content: bytes) -> bool:
        path = self.folder / name
        with translate_os_errors(path, "written"):
            return atomic.create(path, content)

    def keep(self, name: str, content: bytes, is_sound: Callable[[bytes], bool]) -> None:
        path = self.folder / name
        with translate_os_errors(path, "written"):
            present = self.get(name)
            is_kept = present is not None and is_sound(present)
            if not (is_kept and atomic.renew(path)):
                atomic.write(path, content)

    def change(self, name: str, change: Callable[[bytes | None], bytes]) -> None:
        """Write a file anew, while its folder is locked; see `ports.Blobs`."""
        path = self.folder / name
        with translate_os_errors(path, "written"):
            path.parent.mkdir(parents=True, exist_ok=True)
            with atomic.lock_path(path.parent):
                atomic.write(path, change(self.get(name)))

    def renew(self, name: str) -> None:
        """Set a file's time, by which `caveat admin prune` goes; see `ports.Blobs`."""
        atomic.renew(self.folder / name)

    def remove(self, name: str) -> None:
        path = self.folder / name
        with translate_os_errors(path, "written"), suppress(NotADirectoryError):
            path.unlink(missing_ok=True)

    def list_names(self, within: str = "") -> tuple[str, ...]:
        folder, names = self.folder / within, list[str]()
        missing = suppress(FileNotFoundError, NotADirectoryError)
        with translate_os_errors(folder, "read"), missing:
            names = [f"{path.name}/" if path.is_dir() else path.name for path in folder.iterdir()]
        return tuple(sorted(name for name in names if not name.startswith(".")))

    def list_all(self) -> Iterator[Kept]:
        with translate_os_errors(self.folder, "read"):
            for within, folders, names in os.walk(self.folder, onerror=_raise_error):
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
        with translate_os_errors(path, "written"), suppress(FileNotFoundError, NotADirectoryError):
            if path.stat().st_mtime < before:
                path.unlink()
                with suppress(OSError):  # something is in it
                    while (path := path.parent) != self.folder:
                        path.rmdir()
                return True
        return False


def _raise_error(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error

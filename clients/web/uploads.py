"""Documents that were dropped onto the page, kept under the state folder within limits."""

import asyncio
import re
import secrets
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from starlette.datastructures import UploadFile

from caveat.adapters.documents.loaders import SIZE_LIMIT, suffixes
from caveat.clients.problems import BadInput
from caveat.rendering.visible import visible_line
from caveat.workers.task_folders import DROPPED

MOST = 200
"""Documents of one question."""


_MOST_BYTES = 100 * 1024 * 1024
"""Of all documents of one question."""

_LONGEST = 120
"""Characters of a file's name that are kept; file systems end at 255 bytes."""


@dataclass(frozen=True)
class Uploads:
    """The documents of questions, a folder each.

    Attributes:
        folder: in the state folder.
    """

    folder: Path

    async def keep(self, files: Sequence[UploadFile | str], before: str = "") -> str:
        """Keep documents.

        Args:
            files: as they were sent; fields that were left empty are none.
            before: name of the folder that an earlier attempt of the same question made.

        Returns:
            The name of their folder; empty where there are none.

        Raises:
            BadInput: they are too many, too large, or of no format that is read.
        """
        sent = [each for each in files if isinstance(each, UploadFile) and each.filename]
        if not sent:
            return before if before and DROPPED.fullmatch(before) else ""
        for each in sent:
            _require_fit(each)
        name = before if DROPPED.fullmatch(before) else secrets.token_hex(8)
        folder = self.folder / name
        await asyncio.to_thread(folder.mkdir, mode=0o700, parents=True, exist_ok=True)
        self._require_room(folder, sent)
        for each in sent:
            path = _free(folder, _safe(each.filename or ""))
            await asyncio.to_thread(_write, each, path)
        return name

    def folder_of(self, name: str) -> Path:
        """Return the folder of documents that were kept.

        Raises:
            BadInput: there is none of that name.
        """
        folder = self.folder / name
        if not DROPPED.fullmatch(name) or not folder.is_dir():
            raise BadInput("The documents that were dropped are no longer here: drop them again.")
        return folder

    def names(self, name: str) -> list[str]:
        """List documents that were kept; none where there is no such folder."""
        if not DROPPED.fullmatch(name):
            return []
        try:
            return sorted(each.name for each in (self.folder / name).iterdir())
        except OSError:
            return []

    def _require_room(self, folder: Path, sent: Sequence[UploadFile]) -> None:
        there = list(folder.iterdir())
        total = sum(each.stat().st_size for each in there) + sum(each.size or 0 for each in sent)
        if len(there) + len(sent) > MOST or total > _MOST_BYTES:
            raise BadInput(
                f"That is more than {MOST} documents or {_MOST_BYTES >> 20} MB: name a folder that "
                "holds them instead."
            )


def _require_fit(file: UploadFile) -> None:
    name = visible_line(file.filename or "")[:_LONGEST]
    if (file.size or 0) > SIZE_LIMIT:
        raise BadInput(f"“{name}” is larger than {SIZE_LIMIT // 1_000_000} MB: leave it out.")
    if Path(file.filename or "").suffix.lower() not in suffixes():
        raise BadInput(
            f"“{name}” is of no format that is read: drop text, Markdown, HTML, PDF or an office "
            "document."
        )


def _safe(given: str) -> str:
    """Make a file name of what a browser calls a file, with nothing in it that leads elsewhere."""
    last = PurePosixPath(visible_line(given).replace("\\", "/")).name
    kept = re.sub(r"[^\w .,()+-]", "_", last).strip(" .") or "document"
    stem, dot, ending = kept.rpartition(".")
    return f"{stem[:_LONGEST]}{dot}{ending}" if dot else kept[:_LONGEST]


def _free(folder: Path, name: str) -> Path:
    """Choose a name that no other document has."""
    path, number = folder / name, 2
    while path.exists():
        path = folder / f"{Path(name).stem}-{number}{Path(name).suffix}"
        number += 1
    return path


def _write(file: UploadFile, path: Path) -> None:
    """Copy what was received, which lies in memory or in a temporary file."""
    with path.open("xb") as opened:
        path.chmod(0o600)
        shutil.copyfileobj(file.file, opened)

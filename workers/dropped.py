"""Documents that were dropped onto the page, for workers on other machines than its own.

A run names their folder by its path, so these workers must have the same state folder by name.
"""

import asyncio
import io
import re
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from caveat.activities.subagent import Attempt
from caveat.contracts.failure import FailureType
from caveat.contracts.tasks import Task
from caveat.failures import PortFailure
from caveat.ports import Blobs
from caveat.workers.task_interceptor import TaskInterceptor

NAME = re.compile(r"[0-9a-f]{16}")
"""Of a folder of such documents."""

_WHOLE = "documents.zip"
"""All documents of a folder in one blob: what is there is there whole."""


def share(folder: Path, kept: Blobs) -> None:
    """Keep the documents of a folder where other machines find them.

    Raises:
        PortFailure: they cannot be kept there.
    """
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for each in sorted(folder.iterdir()):
            archive.write(each, each.name)
    kept.put(f"{folder.name}/{_WHOLE}", whole.getvalue())


def fetch(folder: Path, within: Path, kept: Blobs) -> None:
    """Put documents where a run looks for them, unless they are there or nobody shared them.

    Args:
        folder: as the run names it.
        within: where this worker has such folders; another one is left alone.
        kept: where documents were shared.

    Raises:
        PortFailure: they cannot be fetched.
    """
    if folder.parent != within or not NAME.fullmatch(folder.name) or folder.exists():
        return
    try:
        whole = kept.get(f"{folder.name}/{_WHOLE}")
    except PortFailure as error:
        if error.failure.failure_type is FailureType.NOT_FOUND:
            return
        raise
    within.mkdir(mode=0o700, parents=True, exist_ok=True)
    with TemporaryDirectory(dir=within, prefix=".", ignore_cleanup_errors=True) as made:
        with zipfile.ZipFile(io.BytesIO(whole)) as archive:
            for name in archive.namelist():
                (Path(made) / Path(name).name).write_bytes(archive.read(name))
        with suppress(OSError):  # another task of the same run was faster
            Path(made).rename(folder)


@dataclass(frozen=True)
class DroppedDocuments(TaskInterceptor):
    """Fetches dropped documents before the first task that looks into them.

    Attributes:
        within: where this worker has them.
        kept: where the page shared them.
    """

    within: Path
    kept: Blobs

    async def before(self, attempt: Attempt, task: Task) -> None:
        """Fetch what the task looks into; see `TaskInterceptor`."""
        try:
            await asyncio.to_thread(self._fetch, task)
        except PortFailure as error:
            raise attempt.failed(error.failure) from None

    def _fetch(self, task: Task) -> None:
        for named in task.folders:
            fetch(Path(named), self.within, self.kept)

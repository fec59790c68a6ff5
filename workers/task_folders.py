"""The folders that tasks name: which of them a worker opens, and how it comes by dropped ones.

Both are dealt with before an activity begins, whoever gave its task to the worker.
"""

import asyncio
import io
import re
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from temporalio import activity
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from caveat.activities.subagent import Attempt, find_declaration
from caveat.contracts.plan import Grant
from caveat.contracts.tasks import Task
from caveat.failures import PortFailure, forbidden, invalid
from caveat.ports import Blobs
from caveat.rendering.visible import sanitize_line
from caveat.rules.lines import DROPPED, name_folder
from caveat.workers.signing import Signer

_OWN_RUNS = r"(-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z|-revision-[0-9]+)?"
"""What may follow the id that a grant names: when a run of a schedule was due, which the server
adds; or the number of a revision that the run starts itself."""


@dataclass(frozen=True)
class FolderGuard(Interceptor):
    """Refuses tasks over folders that nobody entitled named, and fetches dropped ones."""

    # A run names a folder of dropped documents by its path, so this worker must have the page's
    # state folder by name.

    signer: Signer
    configured: tuple[Path, ...] = ()  # folders that anybody may name, and what lies in them
    dropped: Path | None = None  # where this worker has dropped documents
    shared: Blobs | None = None  # where the page shared them; None where that is the same folder

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:  # noqa: A002  # the SDK's name
        return _Guarded(next, self)

    async def prepare_task(self, attempt: Attempt, task: Task) -> None:
        """Do what comes before a task; its activity does not begin where this raises."""
        refused = self.find_refused_folder(task, activity.info().workflow_id)
        if refused is not None:
            shown = sanitize_line(name_folder(refused)[:300])
            refusal = forbidden(
                f"“{shown}” is opened only for this user's own commands: start the run with "
                "`caveat research`, or name the folder in CAVEAT_CORPUS or CAVEAT_CORPUS_ROOTS of "
                "the worker.",
                resource=shown,
            )
            raise attempt.wrap_failure(refusal.failure)
        if self.dropped is not None and self.shared is not None:
            try:
                for folder in task.folders:
                    await asyncio.to_thread(fetch, Path(folder), self.dropped, self.shared)
            except PortFailure as error:
                raise attempt.wrap_failure(error.failure) from None

    def find_refused_folder(self, task: Task, run_id: str | None) -> str | None:
        """Return the first folder of a task that must not be opened; None where all may be."""
        refused = (each for each in task.folders if not self.may_open(each, task.grant, run_id))
        return next(refused, None)

    def may_open(self, named: str, grant: Grant | None, run_id: str | None) -> bool:
        folder = _resolve(named)
        if folder is None:
            return False
        if any(folder.is_relative_to(root.resolve()) for root in self.configured):
            return True
        if grant is None or run_id is None:
            return False
        is_its_run = re.fullmatch(re.escape(grant.run_id) + _OWN_RUNS, run_id) is not None
        is_granted = is_its_run and self.signer.has_signed_grant(grant)
        return is_granted and folder in map(_resolve, grant.folders)


class _Guarded(ActivityInboundInterceptor):
    def __init__(self, after: ActivityInboundInterceptor, guard: FolderGuard) -> None:
        super().__init__(after)
        self._guard = guard

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # noqa: A002  # the SDK's name
        for task in input.args:
            if isinstance(task, Task):
                await self._guard.prepare_task(
                    Attempt(find_declaration(input.fn).agent, task), task
                )
        return await super().execute_activity(input)


def _resolve(folder: str) -> Path | None:
    try:
        return Path(folder).expanduser().resolve()
    except (OSError, RuntimeError, ValueError):
        return None


_WHOLE = "documents.zip"  # all documents of a folder in one blob: what is there is there whole


def share(folder: Path, blobs: Blobs) -> None:
    """Keep the documents of a folder where other machines find them."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for document in sorted(folder.iterdir()):
            archive.write(document, document.name)
    blobs.put(f"{folder.name}/{_WHOLE}", whole.getvalue())


def fetch(folder: Path, within: Path, blobs: Blobs) -> None:
    """Put shared documents where a run looks for them, below this worker's own folder alone."""
    if folder.parent != within or not DROPPED.fullmatch(folder.name) or folder.exists():
        return
    whole = blobs.get(f"{folder.name}/{_WHOLE}")
    if whole is None:
        return
    within.mkdir(mode=0o700, parents=True, exist_ok=True)
    with TemporaryDirectory(dir=within, prefix=".", ignore_cleanup_errors=True) as made:
        try:
            with zipfile.ZipFile(io.BytesIO(whole)) as archive:
                for name in archive.namelist():
                    (Path(made) / Path(name).name).write_bytes(archive.read(name))
        except zipfile.BadZipFile:
            where = blobs.locate(f"{folder.name}/{_WHOLE}")
            raise invalid(
                f"{where} is damaged: drop the documents again.", resource=where
            ) from None
        with suppress(OSError):  # another task of the same run was faster
            Path(made).rename(folder)

"""Which folders a worker opens: those that it is configured for, and those of this user's word."""

import re
from dataclasses import dataclass
from pathlib import Path

from temporalio import activity

from caveat.activities.subagent import Attempt
from caveat.contracts.failure import Failure
from caveat.contracts.plan import Grant
from caveat.contracts.tasks import Task
from caveat.failures import forbidden
from caveat.workers.signing import Signer
from caveat.workers.task_interceptor import TaskInterceptor

_REVISION = "-revision-"
"""What a run's id and a number follow in the id of a revision that the run starts itself."""

_PART = re.compile(r"/studies-\d+\Z", re.ASCII)
"""What follows the id of a large run in those of its parts, which take a grant from the run that
started them alone (`caveat.workflows.batch`)."""

_STARTED = r"-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"
"""What the server adds to the id that a schedule gives to its runs: when each was due."""


@dataclass(frozen=True)
class FolderGuard(TaskInterceptor):
    """Refuses tasks over folders that nobody entitled named.

    Attributes:
        signer: knows what this user named.
        configured: folders that anybody may name, and what lies in them.
    """

    signer: Signer
    configured: tuple[Path, ...] = ()

    async def before(self, attempt: Attempt, task: Task) -> None:
        """Refuse a task over a folder that it must not open; see `TaskInterceptor`."""
        named = self.refused(task, activity.info().workflow_id)
        if named is not None:
            raise attempt.failed(_not_granted(named))

    def refused(self, task: Task, run_id: str | None) -> str | None:
        """Return the first folder of a task that must not be opened; None where all may be."""
        granted = self._granted(task.grant, run_id)
        for named in task.folders:
            folder = _resolved(named)
            if folder is None or not (folder in granted or self._is_configured(folder)):
                return named
        return None

    def _granted(self, grant: Grant | None, run_id: str | None) -> frozenset[Path | None]:
        if grant is None or run_id is None or not _is_for(grant, run_id):
            return frozenset()
        if not self.signer.grants(grant):
            return frozenset()
        return frozenset(map(_resolved, grant.folders))

    def _is_configured(self, folder: Path) -> bool:
        return any(folder.is_relative_to(each.resolve()) for each in self.configured)


def _is_for(grant: Grant, run_id: str) -> bool:
    run_id = _PART.sub("", run_id)
    if run_id == grant.run_id:
        return True
    if re.fullmatch(re.escape(grant.run_id) + _STARTED, run_id):
        return True
    number = run_id.removeprefix(grant.run_id + _REVISION)
    return number != run_id and number.isascii() and number.isdigit()


def _resolved(folder: str) -> Path | None:
    try:
        return Path(folder).expanduser().resolve()
    except (OSError, RuntimeError, ValueError):
        return None


def _not_granted(folder: str) -> Failure:
    shown = "".join(sign if sign.isprintable() else "�" for sign in folder)[:300]
    return forbidden(
        f"“{shown}” is opened only for this user's own commands: start the run with `caveat "
        "research`, or name the folder in CAVEAT_CORPUS or CAVEAT_CORPUS_ROOTS of the worker.",
        resource=shown,
    ).failure

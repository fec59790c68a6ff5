"""Waiting for batches of model calls: once a batch, for all tasks whose answers come with it."""

import asyncio
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field

from temporalio.exceptions import ActivityError

from caveat.contracts.failure import Failure
from caveat.contracts.tasks import BatchTask
from caveat.workflows.delegation import delegate
from caveat.workflows.options import AWAIT_BATCH
from caveat.workflows.research.run import Run


@dataclass
class BatchWaits:
    """The batches that a run waits for."""

    run: Run
    _waits: dict[str, "asyncio.Task[Failure | None]"] = field(default_factory=dict)
    _waiting: Counter[str] = field(default_factory=Counter)

    async def wait(self, name: str) -> Failure | None:
        """Wait until a batch has ended; return why nobody knows, if so."""
        if name not in self._waits:
            self._waits[name] = asyncio.create_task(self._await(name))
        waiting = self._waits[name]
        self._waiting[name] += 1
        try:
            return await asyncio.shield(waiting)
        # Not whatever ends it: a worker that forgets the run closes this from outside of it.
        except asyncio.CancelledError:
            if self._waiting[name] == 1 and not waiting.done():  # nobody else waits
                waiting.cancel()
                with suppress(asyncio.CancelledError, ActivityError):
                    await waiting
            raise
        finally:
            self._waiting[name] -= 1

    async def _await(self, name: str) -> Failure | None:
        task = BatchTask(task_id=f"batch-{name}", description="Wait for model calls", name=name)
        ended = self.run.count(await delegate(AWAIT_BATCH, task, self.run.state.route))
        if ended.failure is not None:
            del self._waits[name]  # who comes next may have it looked for anew
        return ended.failure

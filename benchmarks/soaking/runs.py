"""The runs of a soak: begun at a steady rate, ruled on by somebody, and judged at their end."""

import asyncio
import random
import time
from contextlib import suppress
from dataclasses import dataclass, field

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.workflowservice.v1 import DeleteWorkflowExecutionRequest
from temporalio.client import (
    Client,
    WorkflowFailureError,
    WorkflowHandle,
    WorkflowUpdateFailedError,
    WorkflowUpdateRPCTimeoutOrCancelledError,
)
from temporalio.service import RPCError, RPCStatusCode

from benchmarks.common import TOPIC
from benchmarks.histories import activities
from caveat.adapters.buckets import open_bucket
from caveat.contracts.failure import FailureType
from caveat.contracts.outcome import Outcome
from caveat.contracts.report import Report
from caveat.failures import PortFailure
from caveat.rules.audit import audit
from caveat.workers.blobs import open_snapshots
from caveat.workers.settings import Settings
from caveat.workflows.names import QUEUE

ASKED = 3  # of so many runs one waits for a person; the others wait a second

THINKING_S = (10.0, 90.0)
"""Seconds that the person takes: longer than most of what is done to workers meanwhile."""

PATIENCE_S = 600.0
"""Seconds after which a run that has not ended counts as wedged: one takes ten to thirty beside
others, and the longest outage is a minute."""

RULING = {"ruling": "both", "reason": "They measure different things.", "decided_by": "Ada"}

_AWAY = (RPCError, PortFailure, OSError, RuntimeError)
"""What is raised while the server or the bucket is away."""


@dataclass
class Judged:
    """What became of runs."""

    begun: int = 0  # runs that the server took
    survived: int = 0  # with a report that its audit passes, whole and kept
    partial: int = 0  # of these, with something that failed and is named in the report
    named: int = 0  # ended by name, with their evidence
    lost: int = 0  # nobody knows them any more, or their report is gone
    repeated: int = 0  # completed activities that were scheduled again
    wedged: int = 0  # still open long after
    unclear: int = 0  # ended without a name, or with a report that no audit passes
    activities: int = 0  # completed in all
    # that each run took whom nobody had to rule on
    seconds: list[float] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # in words, of each run that did not survive

    @property
    def ended(self) -> int:
        """How many were judged."""
        return self.survived + self.named + self.lost + self.wedged + self.unclear

    @property
    def is_clean(self) -> bool:
        """Whether nothing went wrong."""
        return self.survived == self.begun and not self.repeated


class Runs:
    """Begins runs, and follows each to its end."""

    def __init__(self, client: Client, settings: Settings, seed: int) -> None:
        self.judged = Judged()
        self._client = client
        self._settings = settings
        self._chance = random.Random(seed)
        self._followed: set[asyncio.Task[None]] = set()
        self._over: dict[str, float] = {}
        self._think_until: dict[str, float] = {}

    @property
    def open(self) -> int:
        """How many have not ended."""
        return len(self._followed)

    async def begin(self, number: int) -> None:
        """Begin one run; while the server is away, again until it takes it."""
        name = f"research-soak-{number:04}"
        is_asked = number % ASKED == 0
        # The number tells the runs apart, so that no payload is another's.
        request = {
            "topic": f"{TOPIC} ({name})",
            "depth": "overview",
            "arbitration_timeout": "PT1H" if is_asked else "PT1S",
        }
        while True:
            try:
                await self._client.start_workflow(
                    "Research", request, id=name, task_queue=QUEUE, request_eager_start=False
                )
            except _AWAY:
                await asyncio.sleep(1)
            else:
                break
        self.judged.begun += 1
        if is_asked:
            self._think_until[name] = time.monotonic() + self._chance.uniform(*THINKING_S)
        task = asyncio.create_task(self._follow(name, is_asked=is_asked))
        self._followed.add(task)
        task.add_done_callback(self._followed.discard)

    async def rule(self, *, at_once: bool = False) -> None:
        """Rule on what waits for a person who has thought long enough."""
        with suppress(*_AWAY):
            query = "WorkflowType = 'Arbitration' AND ExecutionStatus = 'Running'"
            waiting = [each.id async for each in self._client.list_workflows(query)]
            await asyncio.gather(*(self._ruled(each, at_once=at_once) for each in waiting))

    async def _ruled(self, arbitration: str, *, at_once: bool) -> None:
        run = arbitration.partition("/")[0]
        if not at_once and time.monotonic() < self._think_until.get(run, float("inf")):
            return
        handle = self._client.get_workflow_handle(arbitration)
        # Who is not answered in time asks again; who was ruled on meanwhile refuses.
        with suppress(
            *_AWAY,
            TimeoutError,
            WorkflowUpdateFailedError,
            WorkflowUpdateRPCTimeoutOrCancelledError,
        ):
            async with asyncio.timeout(20):
                await handle.execute_update("rule", RULING)

    async def all_ended(self) -> None:
        """Wait for the end of every run."""
        while self._followed:
            await self.rule(at_once=True)
            await asyncio.sleep(1)

    async def forget(self, older_than_s: float) -> int:
        """Delete the histories of runs that ended so long ago, as the server does in time."""
        before = time.monotonic() - older_than_s
        forgotten = 0
        for name in [name for name, at in self._over.items() if at < before]:
            with suppress(*_AWAY):
                query = f"WorkflowId = '{name}' OR WorkflowId STARTS_WITH '{name}/'"
                async for each in self._client.list_workflows(query):
                    await self._client.workflow_service.delete_workflow_execution(
                        DeleteWorkflowExecutionRequest(
                            namespace=self._client.namespace,
                            workflow_execution=WorkflowExecution(
                                workflow_id=each.id, run_id=each.run_id
                            ),
                        )
                    )
                forgotten += 1
                del self._over[name]
        return forgotten

    async def _follow(self, name: str, *, is_asked: bool) -> None:
        began = time.monotonic()
        handle: WorkflowHandle[object, Outcome] = self._client.get_workflow_handle(
            name, result_type=Outcome
        )
        while True:
            try:
                await self._judge(handle, until=began + PATIENCE_S)
            except _AWAY as away:
                if isinstance(away, RPCError) and away.status is RPCStatusCode.NOT_FOUND:
                    self.judged.lost += 1
                    self.judged.problems.append(f"{name}: the server does not know it")
                    break
                await asyncio.sleep(1)
            else:
                break
        if not is_asked:
            self.judged.seconds.append(time.monotonic() - began)
        self._over[name] = time.monotonic()

    async def _judge(self, handle: WorkflowHandle[object, Outcome], until: float) -> None:
        try:
            async with asyncio.timeout(max(1.0, until - time.monotonic())):
                outcome = await handle.result()
        except TimeoutError:
            self.judged.wedged += 1
            self._note(handle, "still open")
        except WorkflowFailureError as error:
            await self._count(handle)
            kind = getattr(error.cause, "type", None)
            self._note(handle, f"ended as {kind}: {error.cause}")
            self.judged.named += bool(kind)
            self.judged.unclear += not kind
        else:
            kept, problem = await self._kept(handle.id, outcome.report)
            await self._count(handle)
            self.judged.lost += not kept
            self.judged.unclear += kept and bool(problem)
            self.judged.survived += kept and not problem
            if problem:
                self._note(handle, problem)
            elif missing := [each for each in outcome.report.failures if not each.recovered]:
                self.judged.partial += 1
                self._note(handle, f"its report names {[each.failure.message for each in missing]}")

    async def _kept(self, name: str, report: Report) -> tuple[bool, str]:
        """Say whether a report and its texts are kept, and what is wrong with it."""
        store = open_snapshots(self._settings)
        cited = [source.snapshot_sha256 for source in report.sources if source.snapshot_sha256]
        try:
            texts = {address: (await store.open(address)).text for address in cited}
        except PortFailure as error:
            if error.failure.failure_type not in {FailureType.NOT_FOUND, FailureType.PERMANENT}:
                raise  # the bucket is away
            return False, f"a text that it cites is lost: {error}"
        reports = open_bucket(f"{self._settings.blobs}/reports")
        there = await asyncio.to_thread(reports.list_names, f"{name}/")
        if "report.json" not in there:
            return False, f"no report.json is kept of it, but {there}"
        return True, "" if audit(report, dict(texts)).passed else "its audit does not pass"

    async def _count(self, handle: WorkflowHandle[object, Outcome]) -> None:
        completed, repeated = await activities(handle)
        self.judged.activities += completed
        self.judged.repeated += repeated
        if repeated:
            self._note(handle, f"{repeated} completed activities were scheduled again")

    def _note(self, handle: WorkflowHandle[object, Outcome], problem: str) -> None:
        self.judged.problems.append(f"{handle.id}: {problem}")

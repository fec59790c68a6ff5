"""Runs on a Temporal server, as people ask about them."""

import asyncio
import datetime as dt
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from pydantic import TypeAdapter, ValidationError
from temporalio import client as temporal
from temporalio import exceptions
from temporalio.api.common.v1 import WorkflowExecution as Named
from temporalio.api.enums.v1 import PendingActivityState
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.api.workflowservice.v1 import DeleteWorkflowExecutionRequest
from temporalio.client import Client, WorkflowExecution, WorkflowExecutionDescription
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import ApplicationError, WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from caveat.clients import run_description, translation
from caveat.clients.run_description import Broken, Cause, Closed, RunLine, RunStatus, Standstill
from caveat.clients.translation import PAUSED, build_unknown_run, read_memo, translate_errors
from caveat.contracts.backend import Route
from caveat.contracts.outcome import Artifact, Ending, NamedEnd, Outcome, Progress
from caveat.contracts.phase import AWAITING, Phase
from caveat.contracts.plan import Approval, ResearchRequest
from caveat.contracts.report import Report
from caveat.problem import BadInput, NoResult, Problem
from caveat.rendering.backends import START_WORKER, explain_wait
from caveat.rendering.commands import format_command
from caveat.rendering.words import format_datetime
from caveat.workers.data import PayloadProblem
from caveat.workers.polling import WORKFLOWS, is_polled
from caveat.workers.settings import Settings
from caveat.workers.signing import load_signer
from caveat.workflows import names
from caveat.workflows.names import QUEUE, Handler

_DISAGREES = "[TMPRL1100]"  # how Temporal names that code decides otherwise than a history says
_PAUSE_S = 1.0  # seconds between two looks at a paused run, on which the server lets nobody wait

_WORTH_A_WORD = dt.timedelta(seconds=10)
"""Of waiting for another attempt, or of one that is under way: most pauses have 4 s at most."""

_PROMPT = dt.timedelta(seconds=5)
"""Within which a worker that is there takes up a task that waits for nothing else."""

_GIVEN = TypeAdapter(tuple[ResearchRequest])
"""What a run is started with: one request and nothing beside it."""

_LOOK_S = 0.1  # seconds between two looks at a list, until it has lost what was deleted

_LOOKED_THROUGH = 100  # runs of the same topic, the newest: revisions of one report are a handful
_WORD = re.compile(r"\w+")
_WORDS = 12  # words of a search: more narrow nothing down

_STATUSES: Mapping[temporal.WorkflowExecutionStatus | None, RunStatus] = {
    temporal.WorkflowExecutionStatus.COMPLETED: RunStatus.COMPLETED,
    temporal.WorkflowExecutionStatus.FAILED: RunStatus.FAILED,
    temporal.WorkflowExecutionStatus.CANCELED: RunStatus.CANCELLED,
    temporal.WorkflowExecutionStatus.TERMINATED: RunStatus.TERMINATED,
    temporal.WorkflowExecutionStatus.TIMED_OUT: RunStatus.TIMED_OUT,
}


@dataclass(frozen=True)
class Runs:
    # Every method raises `OutOfReach` when the server does not answer and `NoSuchRun` when it does
    # not know the run.

    client: Client
    # of the user whose folders workers open; None where they open only configured ones
    settings: Settings | None = None

    async def start(self, run_id: str, request: ResearchRequest) -> None:
        """Start a run, where it was not started before by the same order."""
        memo: dict[str, Any] = {names.MEMO: names.build_route(request), names.SHOWN: request.topic}
        if request.follow_up_of is not None:
            memo[names.REVISES] = request.follow_up_of
        if self.settings is not None:
            request = load_signer(self.settings).add_grant(run_id, request)
        with translate_errors(build_unknown_run(run_id)), suppress(WorkflowAlreadyStartedError):
            await self.client.start_workflow(
                names.RESEARCH,
                request.write_sent(),
                id=run_id,
                id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
                task_queue=QUEUE,
                static_summary=translation.build_summary(request.topic),
                memo=memo,
                priority=translation.compute_priority(request),
            )

    async def query_progress(self, run_id: str) -> Progress | None:
        """Ask a running run where it is; None when it does not answer within two seconds."""
        progress, _ = await self._query_progress(run_id)
        return progress

    async def _query_progress(self, run_id: str) -> tuple[Progress | None, bool]:
        """As `query_progress`, and say whether the worker that answers would decide otherwise."""
        # The server itself knows of that only once something happens in the run.
        handle = self.client.get_workflow_handle(run_id)
        try:
            answer: Progress = await handle.query(
                Handler.PROGRESS, result_type=Progress, rpc_timeout=translation.ANSWER
            )
        except temporal.WorkflowQueryFailedError as error:
            return None, _DISAGREES in str(error)
        except temporal.WorkflowQueryRejectedError:
            return None, False
        except RPCError as error:
            if error.status is RPCStatusCode.NOT_FOUND:
                raise build_unknown_run(run_id) from None
            return None, False
        if answer.phase is Phase.TAKING_STOCK:
            answer = answer.model_copy(update={"documents": await self._count_indexed(run_id)})
        return answer, False

    async def _count_indexed(self, run_id: str) -> int | None:
        """Count what a run that takes stock of its documents has indexed, as its worker tells."""
        with suppress(Problem):  # the run goes on, and the next look counts again
            for task in await self._list_pending(run_id):
                match await self.client.data_converter.decode(task.heartbeat_details.payloads):
                    case [{"partial": {"documents": int(documents)}}]:
                        return documents
        return None

    async def examine(self, line: RunLine) -> tuple[Progress | None, Standstill | None]:
        """Ask a running run where it is and, where it may not move, find out why."""
        if line.standstill is not None:
            return None, Standstill(Cause.STOPPED, line.standstill)
        # The server takes a second to answer a query that no worker can.
        is_served = await self.has_worker()
        progress, is_refused = (
            await self._query_progress(line.run_id) if is_served else (None, False)
        )
        if is_refused:
            return None, Standstill(Cause.STOPPED, run_description.explain_wedged(line.run_id))
        pending = await self._list_pending(line.run_id)
        if _is_left(pending):
            route = await self.read_route(line.run_id)
            if route == Route():  # started by other means than ours, which note nothing
                route = names.build_route(await self.read_request(line.run_id))
            is_there = await self.has_reasoner(route)
            waits = explain_wait(route.backend, reasoner=route.reasoner, is_there=is_there)
            return progress, Standstill(Cause.LEFT, waits)
        if not is_served:
            return None, Standstill(
                Cause.UNSERVED, f"No worker takes up runs on this server: {START_WORKER}."
            )
        again = await self._describe_retry(pending)
        return progress, Standstill(Cause.RETRYING, again) if again else None

    async def query_report(self, run_id: str) -> Report | None:
        """Ask a running run for its report; None when there is none, or no worker answers."""
        return await translation.query_workflow(
            self.client.get_workflow_handle(run_id), Handler.REPORT, Report
        )

    async def wait_for_end(self, run_id: str) -> Closed:
        handle: temporal.WorkflowHandle[Any, Outcome] = self.client.get_workflow_handle(
            run_id, result_type=Outcome
        )
        with translate_errors(build_unknown_run(run_id)):
            try:
                while True:
                    try:
                        return await handle.result()
                    except RuntimeError:
                        # The server answers at once that a paused run has no end yet.
                        if not (await self.fetch_line(handle.id)).is_running:
                            return await handle.result()
                    await asyncio.sleep(_PAUSE_S)
            except temporal.WorkflowFailureError as error:
                if not exceptions.is_cancelled_exception(error.cause):
                    return _build_end(error.cause, run_id)
                described = await self._describe_run(run_id)
                evidence = await described.memo_value(names.EVIDENCE, None, type_hint=Artifact)
                cancelled, message = Ending.CANCELLED, "It was cancelled."
                return NamedEnd(ending=cancelled, message=message, evidence=evidence)
            except ValidationError:
                return Broken(message="Its result is not a report of this version of Caveat.")
            except PayloadProblem as problem:
                return Broken(message=str(problem))

    async def approve(self, run_id: str, decision: Approval) -> str:
        await self.require_running(run_id)
        sent, unknown = decision.write_sent(), build_unknown_run(run_id)
        return await translation.update_workflow(
            self.client, run_id, Handler.APPROVE, sent, str, unknown
        )

    async def require_running(self, run_id: str) -> RunLine:
        line = await self.fetch_line(run_id)
        if not line.is_running:
            raise BadInput(
                f"{run_id} has ended already: `{format_command('status', run_id)}` says how, and "
                f"`{format_command('follow-up', run_id)}` tries again what failed in it."
            )
        return line

    async def cancel(self, run_id: str) -> RunLine:
        """Ask a run to stop at once and to keep what it found; say how it stood."""
        line = await self.require_running(run_id)
        with translate_errors(build_unknown_run(run_id)):
            await self.client.get_workflow_handle(run_id).cancel()
        return line

    async def delete(self, run_id: str, patience_s: float = 2.0) -> bool:
        """Have the server forget an ended run; say whether its list has lost it in that time."""
        if "'" in run_id:  # it would end the query
            raise BadInput(f"{run_id} can be deleted only by Temporal's own tools.")
        named = f"(WorkflowId = '{run_id}' OR WorkflowId STARTS_WITH '{run_id}/')"
        query = f"{named} AND CloseTime IS NOT NULL"
        with translate_errors():
            async for execution in self.client.list_workflows(query):
                await self.client.workflow_service.delete_workflow_execution(
                    DeleteWorkflowExecutionRequest(
                        namespace=self.client.namespace,
                        workflow_execution=Named(workflow_id=execution.id, run_id=execution.run_id),
                    )
                )
            for _ in range(round(patience_s / _LOOK_S)):
                if not (await self.client.count_workflows(query)).count:
                    return True
                await asyncio.sleep(_LOOK_S)
        return False

    async def _describe_run(self, run_id: str) -> WorkflowExecutionDescription:
        with translate_errors(build_unknown_run(run_id)):
            return await self.client.get_workflow_handle(run_id).describe()

    async def fetch_line(self, run_id: str) -> RunLine:
        described = await self._describe_run(run_id)
        if described.workflow_type != names.RESEARCH:
            raise BadInput(f"{run_id} is not a research run but of type {described.workflow_type}.")
        wedged = await translation.stands_still(self.client, described)
        return (await _build_line(described)).model_copy(update={"wedged": wedged})

    async def read_route(self, run_id: str) -> Route:
        """Say who takes up the tasks of a run, as far as that is decided."""
        described = await self._describe_run(run_id)
        try:
            return await described.memo_value(names.MEMO, None, type_hint=Route) or Route()
        except (ValidationError, PayloadProblem):
            raise NoResult(f"{run_id} was started by another version of Caveat.") from None

    async def read_request(self, run_id: str) -> ResearchRequest:
        handle = self.client.get_workflow_handle(run_id)
        with translate_errors(build_unknown_run(run_id)):
            first = await anext(handle.fetch_history_events(page_size=1))
        payloads = first.workflow_execution_started_event_attributes.input.payloads
        try:
            inputs = await self.client.data_converter.decode(payloads)
            (request,) = _GIVEN.validate_python(inputs)
        except (ValidationError, PayloadProblem):
            raise NoResult(
                f"What {run_id} was started with can no longer be read: research its topic again."
            ) from None
        return request

    async def list_latest(self, limit: int) -> list[RunLine]:
        """List at most 1,000 runs, those still going first, then the last to end."""
        return (await self.list_page("", limit))[0]

    async def list_page(
        self, search: str, size: int, token: bytes | None = None, state: str = ""
    ) -> tuple[list[RunLine], bytes | None]:
        """List a page of the runs in a state, those still going first, then the last to end."""
        query = _build_query(search) + STATES.get(state, "")
        with translate_errors():
            executions = self.client.list_workflows(query, page_size=size, next_page_token=token)
            await executions.fetch_next_page()
            listed = executions.current_page or ()
            ours = [run for run in listed if not await self._goes_on_as_another(run)]
        return await self._build_lines(ours), executions.next_page_token or None

    async def count_by_state(self, search: str) -> dict[str, int]:
        """Count the runs that match, all under an empty name and those of each state."""
        queries = {"": "", **STATES}
        query = _build_query(search)
        with translate_errors():
            counted = await asyncio.gather(
                *(self.client.count_workflows(query + state) for state in queries.values())
            )
        return {name: runs.count for name, runs in zip(queries, counted, strict=True)}

    async def _goes_on_as_another(self, execution: WorkflowExecution) -> bool:
        """Say whether a run was reset behind what the server lists as terminated: it is one run."""
        if execution.status is not temporal.WorkflowExecutionStatus.TERMINATED:
            return False
        now = await self.client.get_workflow_handle(execution.id).describe()
        return now.run_id != execution.run_id

    async def _build_lines(self, executions: Sequence[WorkflowExecution]) -> list[RunLine]:
        lines: list[RunLine] = []
        for execution in executions:
            line = await _build_line(execution)
            if line.needs_review:
                revisions = await self.list_revisions(line.run_id, line.topic)
                if any(revision.status is RunStatus.COMPLETED for revision in revisions):
                    line = line.model_copy(update={"needs_review": 0})
            lines.append(line)
        return lines

    async def list_revisions(self, run_id: str, topic: str) -> list[RunLine]:
        """List the runs that revise the report of a run or have, the oldest first."""
        is_shown = f"({names.GOES_ON} OR ExecutionStatus = 'Completed')"
        query = f"{_build_query(run_description.build_run_prefix(topic))} AND {is_shown}"
        return [line for line in await self._list_oldest_first(query) if line.revises == run_id]

    async def list_questions(self, run_id: str) -> list[RunLine]:
        """List the questions that were put to what a run has kept, the oldest first."""
        if not _ID.fullmatch(run_id):
            return []
        return await self._list_oldest_first(
            f"{names.IS_RUN} AND WorkflowId STARTS_WITH '{run_id}{run_description.ASKED}'"
        )

    async def _list_oldest_first(self, query: str) -> list[RunLine]:
        with translate_errors():
            listed = self.client.list_workflows(
                query, limit=_LOOKED_THROUGH, rpc_timeout=translation.ANSWER
            )
            lines = [await _build_line(execution) async for execution in listed]
        return sorted(lines, key=lambda line: line.started)

    async def has_worker(self) -> bool:
        with translate_errors():
            return await is_polled(self.client, QUEUE, WORKFLOWS)

    async def has_reasoner(self, route: Route) -> bool:
        """Say whether any worker takes up the tasks of a run that its backend alone may do."""
        queue = names.name_queue(QUEUE, names.QueueKind.FETCH, route)
        with translate_errors():
            return await is_polled(self.client, queue)

    async def _list_pending(self, run_id: str) -> Sequence[PendingActivityInfo]:
        return (await self._describe_run(run_id)).raw_description.pending_activities

    async def _describe_retry(self, pending: Sequence[PendingActivityInfo]) -> str | None:
        """Say what a run tries again, one sentence; None where that takes no time worth a word."""
        # A provider may ask to wait for an hour, and one that is silent is given minutes each time.
        # What the coordinator waits for, before it changes an input, is no task and not said here.
        now = dt.datetime.now(dt.UTC)
        tried = [
            (_find_start(task), task.last_failure)
            for task in pending
            if task.HasField("last_failure") and abs(_find_start(task) - now) > _WORTH_A_WORD
        ]
        if not tried:
            return None
        when, failure = min(tried, key=itemgetter(0))
        with suppress(PayloadProblem):
            failed = await self.client.data_converter.decode_failure(failure)
            why = getattr(failed, "message", "") if isinstance(failed, ApplicationError) else ""
            again = "What failed is tried again"
            if when > now:
                again = f"It waits until {format_datetime(when)} to try again what failed"
            return translation.build_sentence(f"{again}: {why}" if why else again)
        return None


def _is_left(pending: Sequence[PendingActivityInfo]) -> bool:
    now = dt.datetime.now(dt.UTC)
    return all(map(_is_scheduled, pending)) and any(
        now - task.scheduled_time.ToDatetime(tzinfo=dt.UTC) > _PROMPT for task in pending
    )


def _is_scheduled(task: PendingActivityInfo) -> bool:
    return task.state == PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED


def _find_start(task: PendingActivityInfo) -> dt.datetime:
    """Say since when a task is at work, or when it is tried again."""
    when = task.scheduled_time if _is_scheduled(task) else task.last_started_time
    return when.ToDatetime(tzinfo=dt.UTC)


_ID = re.compile(r"research-[a-z0-9-]*")

_IS_RUNNING, _PHASE = " AND ExecutionStatus = 'Running'", names.PHASE.name

STATES = {
    "running": f"{_IS_RUNNING} AND ({_PHASE} IS NULL OR {_PHASE} NOT STARTS_WITH '{AWAITING}')",
    "waiting": f"{_IS_RUNNING} AND {_PHASE} STARTS_WITH '{AWAITING}'",
    "paused": f" AND {names.GOES_ON} AND ExecutionStatus != 'Running'",
    "completed": " AND ExecutionStatus = 'Completed'",
    "failed": " AND ExecutionStatus = 'Failed'",
    "cancelled": " AND ExecutionStatus = 'Canceled'",
    "terminated": " AND ExecutionStatus = 'Terminated'",
    "timed out": " AND ExecutionStatus = 'TimedOut'",
}
"""What the server lists in each `RunLine.state`, in its language."""


def _build_query(search: str) -> str:
    """Write what is searched for in the server's language, with nothing in it that could end it."""
    query = names.IS_RUN
    if _ID.fullmatch(search.strip()):
        return f"{query} AND WorkflowId STARTS_WITH '{search.strip()}'"
    words = _WORD.findall(search)[:_WORDS]
    return query + "".join(f" AND {names.TOPIC.name} = '{word}'" for word in words)


async def _build_line(execution: WorkflowExecution) -> RunLine:
    attributes = execution.typed_search_attributes
    memo = await read_memo(execution)
    # Anybody may start a workflow with any memo, and the attribute is set a moment later.
    revises, noted = memo.get(names.REVISES), memo.get(names.SHOWN)
    listed = attributes.get(names.TOPIC) or ""
    return RunLine(
        run_id=execution.id,
        topic=noted if isinstance(noted, str) and noted.startswith(listed) else listed,
        status=_STATUSES.get(execution.status, RunStatus.RUNNING),
        phase=attributes.get(names.PHASE),
        confidence=attributes.get(names.CONFIDENCE),
        open_contradictions=attributes.get(names.OPEN_CONTRADICTIONS),
        started=execution.start_time,
        closed=execution.close_time,
        wedged=translation.is_listed(execution),
        paused=execution.status is PAUSED,
        needs_review=len(memo.get(names.REVIEW, {})),
        revises=revises if isinstance(revises, str) else None,
    )


def _build_end(cause: BaseException, run_id: str) -> NamedEnd | Broken:
    goes_on = f" `{run_description.format_reset(run_id)}` lets it go on."
    if isinstance(cause, ApplicationError):
        try:
            return NamedEnd.model_validate(cause.details[0] if cause.details else None)
        except ValidationError:
            return Broken(message=translation.build_sentence(f"It failed: {cause.message}"))
    if isinstance(cause, exceptions.TerminatedError):
        return Broken(
            message=translation.build_sentence(f"It was terminated: {cause.message}") + goes_on
        )
    if isinstance(cause, exceptions.TimeoutError):
        return Broken(message="It took longer than the limit that it was started with." + goes_on)
    return Broken(message=translation.build_sentence(f"It failed: {cause}"))

"""The coordinator's side of agents elsewhere: what it sends, and what their answers do."""

import asyncio
import base64
import logging
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from temporalio.client import AsyncActivityCancelledError, AsyncActivityHandle, Client
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from caveat.activities.sources import keep_text
from caveat.activities.subagent import ALMOST, Beat
from caveat.contracts import message as wire
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.message import Brought, Message, OutsideFindings, Priority
from caveat.contracts.source import Claim, Reading, Snapshot, SourceRef
from caveat.contracts.tasks import OutsideTask, PostTask
from caveat.failures import PortFailure, invalid, unavailable
from caveat.ports import Snapshots
from caveat.rules.evidence.claims import verify_quotes
from caveat.rules.sources.identity import compute_source_id
from caveat.workers.messages import Sender

_LOGGER = logging.getLogger(__name__)

_AGAIN_S = 5.0
"""Seconds before a way of messages that failed is tried again; agents wait for an hour."""


@dataclass
class OutsideAgents:
    """Sends to agents, and completes activities with their answers; see `ports.Agents`."""

    sender: Sender
    snapshots: Snapshots

    async def ask(self, task: OutsideTask, token: str) -> None:
        angle = task.assignment
        body = wire.AssignmentBody(
            token=token,
            task_id=task.task_id,
            topic=task.topic,
            title=angle.title,
            question=angle.question,
            queries=angle.queries,
            instructions=angle.instructions,
            done=task.done,
            patience_s=angle.patience_s,
        )
        await self.sender.send(body, recipient=task.agent, run=task.run_id, priority=Priority.HIGH)

    async def post(self, task: PostTask) -> str:
        sent = await self.sender.send(
            task.body, recipient=task.recipient, run=task.run_id, priority=task.priority
        )
        return sent.id

    @asynccontextmanager
    async def hear_answers(self, client: Client) -> AsyncIterator[None]:
        listening = asyncio.create_task(self._listen(client))
        try:
            yield
        finally:
            # Let go of what listens, to its end: a loop that closes on it waits for ever.
            listening.cancel()
            await asyncio.wait({listening})
            await self.sender.messages.close()

    async def _listen(self, client: Client) -> None:
        while True:
            try:
                await self.sender.messages.serve(self.sender.name, partial(self._receive, client))
            except PortFailure as failed:
                _LOGGER.warning("Agents elsewhere cannot be heard: %s", failed)
            await asyncio.sleep(_AGAIN_S)

    async def _cancel(self, message: Message, task_id: str, token: str) -> None:
        """Tell an agent that nobody waits any more for what it works on."""
        # It may have been given the same task again since.
        text = "It is not needed any more."
        body = wire.SteeringBody(order=wire.Order.CANCEL, task_id=task_id, token=token, text=text)
        try:
            await self.sender.send(
                body, recipient=message.sender, run=message.run, priority=Priority.CRITICAL
            )
        except PortFailure as failed:
            _LOGGER.warning("%s was not told that it can stop: %s", message.sender, failed)

    async def _receive(self, client: Client, message: Message) -> None:
        match message.data:
            case wire.FindingBody() as finding:
                handle = _get_handle(client, finding.token, message)
                task_id = finding.envelope.task_id
                await self._deliver(
                    self._complete(handle, finding), message, task_id, finding.token
                )
            case wire.RemarkBody(token=str() as token) as remark:
                handle = _get_handle(client, token, message)
                partial = await _check_findings(remark.found, self.snapshots)
                beat = Beat(partial=partial, completeness=min(remark.completeness, ALMOST))
                await self._deliver(handle.heartbeat(beat), message, remark.task_id, token)
            case _:
                raise invalid(
                    f"The coordinator takes findings and remarks on its assignments, and no "
                    f"{message.kind}.",
                    resource=message.id,
                )

    async def _deliver(
        self, answer: Awaitable[None], message: Message, task_id: str, token: str
    ) -> None:
        try:
            await answer
        except AsyncActivityCancelledError:
            await self._cancel(message, task_id, token)
        except RPCError as error:
            if error.status is RPCStatusCode.NOT_FOUND:  # it was decided without this answer
                await self._cancel(message, task_id, token)
                return
            if error.status is RPCStatusCode.INVALID_ARGUMENT:
                raise invalid("The token matches no assignment.", resource=message.id) from None
            raise unavailable("The Temporal server did not take it.", resource="temporal") from None

    async def _complete(self, handle: AsyncActivityHandle, finding: wire.FindingBody) -> None:
        result = finding.envelope
        envelope: SubagentResult[Brought] = SubagentResult[Brought].model_validate(
            {
                **result.model_dump(exclude={"result", "partial_result", "agent_type"}),
                "agent_type": AgentType.OUTSIDE,
                "result": await _check_findings(result.result, self.snapshots),
                "partial_result": await _check_findings(result.partial_result, self.snapshots),
            }
        )
        if (failure := envelope.failure) is None:
            await handle.complete(envelope)
            return
        kind = failure.failure_type
        await handle.fail(
            ApplicationError(failure.message, envelope, type=kind, non_retryable=True)
        )


def _get_handle(client: Client, token: str, message: Message) -> AsyncActivityHandle:
    try:
        return client.get_async_activity_handle(task_token=base64.b64decode(token, validate=True))
    except ValueError:
        raise invalid("The token matches no assignment.", resource=message.id) from None


async def _check_findings(findings: OutsideFindings | None, snapshots: Snapshots) -> Brought | None:
    """Keep the texts, and the claims whose quote stands in its text; count the others."""
    if findings is None:
        return None
    readings: list[Reading] = []
    claims: list[Claim] = []
    rejected = 0
    for document in findings.documents:
        text = Snapshot(text=document.text)
        source = SourceRef(
            id=compute_source_id(document.url or f"outside:{document.title}"),
            title=document.title,
            url=document.url,
            published=document.published,
            kind=document.kind,
        )
        reading = await keep_text(source, text, snapshots)
        stated = [
            Claim(
                id=f"{reading.source.id}-{number}",
                text=quotation.text,
                quote=quotation.quote,
                source_id=reading.source.id,
                assignment_id="",
                start=0,
                end=max(len(quotation.quote), 1),
                relevance=quotation.relevance,
            )
            for number, quotation in enumerate(document.quotations, start=1)
        ]
        quoted, wrong = verify_quotes(stated, text)
        readings.append(reading)
        claims += quoted
        rejected += wrong
    return Brought(
        readings=tuple(readings), claims=tuple(claims), rejected_quotes=rejected, done=findings.done
    )

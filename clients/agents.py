"""What an agent that lives elsewhere is made of in Python; its work comes and goes by message.

async def work(job: Job) -> OutsideFindings: ...

asyncio.run(serve_agent("valuation", work))
"""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from caveat.contracts import message as wire
from caveat.contracts.base import Contract
from caveat.contracts.envelope import AgentType, Failure, Status, SubagentResult
from caveat.contracts.message import Message, OutsideFindings, Priority
from caveat.failures import PortFailure, unforeseen
from caveat.intake import now
from caveat.ports import Messages
from caveat.rules.messages import Keys, MessageKeys
from caveat.workers.messages import Sender, create_messages, read_master_key
from caveat.workers.settings import SettingsProblem, load

_LOGGER = logging.getLogger(__name__)

Work = Callable[["Job"], Awaitable[OutsideFindings]]
"""Carries out an assignment; a `PortFailure` that it raises is the failure of it, with what was
reported until then as its partial result."""


@dataclass
class Job:
    assignment: wire.AssignmentBody  # what to do; what is in its `done` was done before
    tell: Callable[[wire.RemarkBody], Awaitable[None]]
    found: OutsideFindings | None = None
    completeness: float = 0.0

    async def report(self, text: str, found: OutsideFindings, completeness: float) -> None:
        """Show a sign of life, with everything that was found so far: it is kept whatever happens.

        Args:
            found: all of it, not only what is new.
            completeness: share of the work that is done, 0 to less than 1.
        """
        self.found, self.completeness = found, completeness
        token, task_id = self.assignment.token, self.assignment.task_id
        await self.tell(
            wire.RemarkBody(
                text=text, token=token, task_id=task_id, completeness=completeness, found=found
            )
        )


_Place = tuple[str | None, str]  # the run and the task in it that a job is for


@dataclass
class Agent:
    name: str
    messages: Messages
    keys: Keys
    work: Work
    _sender: Sender = field(init=False)
    _jobs: dict[_Place, tuple[Job, asyncio.Task[None]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._sender = Sender(self.name, self.messages, self.keys)

    async def serve(self, ready: Callable[[], None] = lambda: None) -> None:
        """Work until this is cancelled; say once that messages are taken from now on."""
        await self.messages.open(self.name)
        ready()
        try:
            await self.messages.serve(self.name, self._receive)
        finally:
            for _, task in self._jobs.values():
                task.cancel()

    async def send(self, body: Contract, about: Message) -> None:
        to, run = about.sender, about.run
        priority = Priority.HIGH if isinstance(body, wire.FindingBody) else Priority.NORMAL
        await self._sender.send(
            body, recipient=to, run=run, priority=priority, correlation=about.id
        )

    async def _receive(self, message: Message) -> None:
        match message.data:
            case wire.AssignmentBody() as assignment:
                place = (message.run, assignment.task_id)
                self._stop(place)  # it came again, with another token
                job = Job(assignment, lambda remark: self.send(remark, message))
                self._jobs[place] = (job, asyncio.create_task(self._do(job, message)))
            case wire.SteeringBody(token=token, task_id=task_id):  # there is one order, to stop
                known = self._jobs.get((message.run, task_id))
                # Not an assignment that another one has taken the place of.
                if known is not None and token in {"", known[0].assignment.token}:
                    self._stop((message.run, task_id))
            case _:
                _LOGGER.info("%s has no use for a %s.", self.name, message.kind)

    def _stop(self, place: _Place) -> None:
        if (known := self._jobs.pop(place, None)) is not None:
            known[1].cancel()

    async def _do(self, job: Job, message: Message) -> None:
        try:
            findings = await self.work(job)
        except PortFailure as failed:
            envelope = _build_envelope(job, failed.failure)
        except Exception as error:
            _LOGGER.exception("%s failed", self.name)
            sentence = f"An unforeseen {type(error).__name__} stopped {self.name}; its log has it."
            envelope = _build_envelope(job, unforeseen(sentence, resource=None).failure)
        else:
            envelope = _build_envelope(job, None, findings)
        body = wire.FindingBody(token=job.assignment.token, envelope=envelope)
        while now() < message.expires:  # for as long as it is of use
            try:
                await self.send(body, message)
                break
            except PortFailure as failed:
                if not failed.failure.retry_recommended:
                    raise
                await asyncio.sleep(2)
        self._jobs.pop((message.run, job.assignment.task_id), None)


def _build_envelope(
    job: Job, failure: Failure | None, findings: OutsideFindings | None = None
) -> SubagentResult[OutsideFindings]:
    partial = job.found if failure is not None else None
    failed = Status.FAILED if partial is None else Status.PARTIAL
    return SubagentResult[OutsideFindings](
        status=Status.SUCCESS if failure is None else failed,
        task_id=job.assignment.task_id,
        agent_type=AgentType.OUTSIDE,
        task_description=f"“{job.assignment.title[:120]}”",
        result=findings,
        partial_result=partial,
        completeness=1.0 if failure is None else job.completeness if partial else 0.0,
        failure=failure,
    )


async def serve_agent(name: str, work: Work, ready: Callable[[], None] = lambda: None) -> None:
    """Serve as an agent until cancelled; a broker that refuses it raises `PortFailure`."""
    settings, own_key = load(), os.environ.get("CAVEAT_AGENT_KEY")
    try:
        # Its own key or, in the coordinator's state folder, what that can derive.
        keys = MessageKeys.read(name, own_key) if own_key else read_master_key(settings)
    except ValueError as error:
        raise SettingsProblem(f"CAVEAT_AGENT_KEY cannot be used: {error}.") from None
    carrier = create_messages(settings, keys)
    try:
        await Agent(name, carrier, keys, work).serve(ready)
    finally:
        await carrier.close()

"""A run under way, and what the world is told of it."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from temporalio import workflow
from temporalio.common import MetricCounter, SearchAttributeUpdate

from caveat.contracts.backend import Route
from caveat.contracts.envelope import AgentType, R, SubagentResult, Usage
from caveat.contracts.failure import Failure, FailureCategory
from caveat.contracts.message import (
    COORDINATOR,
    TTL,
    EventBody,
    Message,
    MessageKind,
    Priority,
    SteeringBody,
)
from caveat.contracts.notice import Notice, NoticeKind
from caveat.contracts.outcome import ProviderWait
from caveat.contracts.phase import Entered, Phase
from caveat.contracts.plan import Answerers
from caveat.contracts.report import Metrics, Remedy, ReportedFailure
from caveat.contracts.tasks import AnnouncementTask, NotificationTask, PostTask
from caveat.workflows.delegation import delegate, describe_failure, notify
from caveat.workflows.names import PHASE, QueueKind, name_queue
from caveat.workflows.options import ANNOUNCE, POST
from caveat.workflows.research.state import State


@dataclass(eq=False)
class Run(State):
    """The state of a run, and what the world is told when it changes."""

    _deliveries: list[asyncio.Task[SubagentResult[Any]]] = field(default_factory=list)
    _told: set[tuple[str, str | None]] = field(default_factory=set)
    _shown: dict[str, object] = field(default_factory=dict)

    def enter(self, phase: Phase) -> None:
        """Begin a phase, by which runs are found and operators follow them."""
        self.phase = phase
        self.phases = (*self.phases, Entered(phase=phase, at=workflow.now()))
        if self.provider_wait is None:
            self.show(PHASE.value_set(phase))
        workflow.logger.info("run %s: %s", self.run_id, phase)
        if phase is not Phase.DONE:  # of the end of a run its own event tells
            self.emit_event("phase.entered", phase=phase)

    def note_wait(self, failure: Failure | None) -> None:
        """Let people see that the provider of the models is waited for, or is no more."""
        now = workflow.now()
        if failure is not None:
            self.provider_wait = ProviderWait(since=now, why=failure.message)
            workflow.logger.warning("run %s waits: %s", self.run_id, failure.message)
        elif self.provider_wait is not None:
            self.waited_for_provider += now - self.provider_wait.since
            self.provider_wait = None
        self.show(PHASE.value_set(Phase.AWAITING_PROVIDER if failure else self.phase))

    def show(self, *updates: SearchAttributeUpdate[Any]) -> None:
        """Let the server's list find the run by values, those that have changed."""
        changed = [update for update in updates if self._shown.get(update.key.name) != update.value]
        self._shown.update((update.key.name, update.value) for update in changed)
        if changed:
            workflow.upsert_search_attributes(changed)

    def emit_event(self, name: str, **facts: str | None) -> None:
        """Publish an event, where the worker that began says that events go out."""
        labels = {key: value for key, value in facts.items() if key in _LABELS and value}
        _create_counter("caveat_events", "What happened to runs").add(1, {"event": name, **labels})
        inventory, body = self.inventory, EventBody(name=name, facts=dict(facts))
        if inventory is not None and inventory.events:
            self.post(None, body)
        if inventory is not None and inventory.announced:
            self._announce(body)

    def count(
        self,
        envelope: SubagentResult[R],
        *,
        remedy: Remedy | None = None,
        cause: SubagentResult[R] | None = None,
    ) -> SubagentResult[R]:
        """Book how a task ended, and hand its envelope on.

        Args:
            remedy: what was done about its first failure, if anything.
            cause: the envelope of that first failure, where another one followed.
        """
        models = envelope.usage.models
        named = (envelope.reasoner,) if envelope.reasoner else ()
        self.answered += Answerers(
            models=models, with_model=named if models else (), without_model=() if models else named
        )
        self.tasks += 1
        count_usage(envelope.usage, envelope.agent_type)
        now = workflow.now()
        if envelope.failure is not None:
            self.book(describe_failure(envelope, envelope.failure, now, remedy))
        elif cause is not None and cause.failure is not None:
            first = describe_failure(cause, cause.failure, now, remedy)
            self.book(first.model_copy(update={"recovered": True}))
        return envelope

    def book(self, *failed: ReportedFailure) -> None:
        """Keep failures, and tell people of those that nobody foresaw."""
        self.add_failures(*failed)
        for failure in failed:
            labels = {
                "type": str(failure.failure.failure_type),
                "category": str(failure.failure.category),
                "role": str(failure.agent_type),
                "recovered": str(failure.recovered).lower(),
            }
            failures = _create_counter("caveat_failures", "Tasks that failed, with those made good")
            failures.add(1, labels)
            # Once a role and provider; of a notice that failed, no notice.
            kind = (failure.agent_type, failure.failure.provider)
            is_unforeseen = failure.failure.category is FailureCategory.UNKNOWN
            if is_unforeseen and failure.agent_type != AgentType.HERALD and kind not in self._told:
                self._told.add(kind)
                self.notify(
                    NoticeKind.UNKNOWN_FAILURE,
                    f"The {failure.agent_type} failed in an unforeseen way: "
                    f"{failure.failure.message} (`caveat status {self.run_id}`)",
                )

    def notify(self, kind: NoticeKind, message: str, arbitration: str | None = None) -> None:
        """Tell people, without waiting for the delivery and without recovering it.

        Args:
            arbitration: which question it is about, if it is about one.
        """
        task_id = self.create_id("notify")
        notice = Notice(
            id=f"{self.run_id}-{task_id}",
            kind=kind,
            run_id=self.run_id,
            topic=self.topic,
            message=message,
            created=workflow.now(),
            arbitration=arbitration,
        )
        task = NotificationTask(task_id=task_id, description=f"Tell people: {kind}", notice=notice)
        self._deliveries.append(asyncio.create_task(notify(task, self.route)))

    def post(self, recipient: str | None, body: SteeringBody | EventBody) -> None:
        """Send a message to an agent elsewhere, without waiting for it."""
        subject = body.name if isinstance(body, EventBody) else f"{body.order} {body.task_id}"
        task = PostTask(
            task_id=self.create_id("post"),
            description=f"Tell {recipient or 'everybody'}: {subject}",
            run_id=self.run_id,
            recipient=recipient,
            body=body,
            priority=Priority.CRITICAL if isinstance(body, SteeringBody) else Priority.LOW,
        )
        self._deliveries.append(asyncio.create_task(delegate(POST, task, self.route)))

    def _announce(self, body: EventBody) -> None:
        """Tell a webhook of an event; its number says which of the run's events it is."""
        run_id = self.run_id
        task_id = self.create_id("announce")
        happened = workflow.now()
        event = Message(
            id=f"{run_id}/{task_id}",
            sender=COORDINATOR,
            source=f"/agents/{COORDINATOR}",
            type=f"caveat.{body.name}",
            kind=MessageKind.EVENT,
            series=run_id,
            number=self.ids["announce"],
            run=run_id,
            time=happened,
            expires=happened + TTL,
            data=body,
        )
        task = AnnouncementTask(
            task_id=task_id,
            description=f"Tell the webhook: {body.name}",
            event=event,
            receivers=name_queue(workflow.info().task_queue, QueueKind.ANNOUNCE, Route()),
        )
        self._deliveries.append(asyncio.create_task(delegate(ANNOUNCE, task, self.route)))

    async def wait_for_deliveries(self) -> None:
        """Wait until everybody is told, and count the deliveries and what their failures tell."""
        while self._deliveries:
            deliveries, self._deliveries = self._deliveries, []
            for envelope in await asyncio.gather(*deliveries):
                self.count(envelope)


_LABELS = frozenset({"ending", "by", "phase", "status"})
"""Facts of an event that have a few values each and hold nobody's words."""


def count_usage(usage: Usage, role: str) -> None:
    """Count what a task took of language models; nothing where it asked none."""
    if not usage.model_calls:
        return
    labels = {"role": role}
    _create_counter("caveat_model_calls", "Calls to language models").add(usage.model_calls, labels)
    tokens = _create_counter("caveat_tokens", "Tokens of language models")
    tokens.add(usage.input_tokens, {**labels, "direction": "input"})
    tokens.add(usage.output_tokens, {**labels, "direction": "output"})
    if usage.cost_usd is not None:
        meter = workflow.metric_meter()
        spent = meter.create_histogram_float("caveat_cost_usd", "Cost of a task", "USD")
        spent.record(usage.cost_usd, labels)


def count_report(metrics: Metrics) -> None:
    """Count what code threw away before a report was written."""
    rejected = _create_counter("caveat_quotes_rejected", "Quotes that their source does not say")
    rejected.add(metrics.rejected_quotes)


def _create_counter(name: str, description: str) -> MetricCounter:
    return workflow.metric_meter().create_counter(name, description)

"""The record: everything that a run knows, and what it tells of itself while it goes on."""

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from caveat.contracts.envelope import AgentType, SubagentResult, Usage
    from caveat.contracts.investigation import Findings, Shelved
    from caveat.contracts.outcome import Ending, Evidence, RunRecord
    from caveat.contracts.plan import Plan, ResearchRequest
    from caveat.contracts.progress import AssignmentProgress, Phase, Progress
    from caveat.contracts.report import ReportedFailure
    from caveat.contracts.tasks import Inventory
    from caveat.rules.assembly import Material, gaps, reported_sources

R = TypeVar("R")


@dataclass
class Record:
    """What a run knows so far; every change is told to `on_change`.

    Attributes:
        run_id: workflow id.
        started: when the run began, UTC.
        on_change: called after every change.
    """

    run_id: str
    started: dt.datetime
    on_change: Callable[["Record"], None]
    topic: str = ""
    request: ResearchRequest | None = None
    phase: Phase = Phase.TAKING_STOCK
    inventory: Inventory | None = None
    plan: Plan | None = None
    lines: dict[str, AssignmentProgress] = field(default_factory=dict)
    shelf: dict[str, Shelved] = field(default_factory=dict)
    findings: list[Findings] = field(default_factory=list)
    failures: list[ReportedFailure] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    tasks: int = 0
    confidence: float | None = None
    problem: str | None = None

    def enter(self, phase: Phase) -> None:
        """Begin a phase."""
        self.phase = phase
        self.on_change(self)

    def stock_taken(self, inventory: Inventory) -> None:
        """Keep the inventory, and book each broken document as a failed task."""
        self.inventory = inventory
        self.tasks += len(inventory.broken)
        self.failures += [
            ReportedFailure(
                task_id=f"take-stock-{number}",
                agent_type=AgentType.LIBRARIAN,
                task_description=f"Read {document.path}",
                attempts=1,
                failure=document.failure,
            )
            for number, document in enumerate(inventory.broken, start=1)
        ]
        self.on_change(self)

    def plan_made(self, plan: Plan) -> None:
        """Keep the plan and open a line for each assignment."""
        self.plan = plan
        self.lines = {
            assignment.id: AssignmentProgress(id=assignment.id, title=assignment.title)
            for assignment in plan.assignments
        }
        self.on_change(self)

    def line(self, assignment_id: str, **changes: object) -> None:
        """Change one assignment's line."""
        self.lines[assignment_id] = self.lines[assignment_id].model_copy(update=changes)
        self.on_change(self)

    def count(self, envelope: SubagentResult[R]) -> SubagentResult[R]:
        """Book a task's usage and its failure, if it failed, and hand the envelope on."""
        self.tasks += 1
        self.usage += envelope.usage
        if envelope.failure is not None:
            self.failures.append(
                ReportedFailure(
                    task_id=envelope.task_id,
                    agent_type=envelope.agent_type,
                    task_description=envelope.task_description,
                    attempts=envelope.attempts,
                    failure=envelope.failure,
                )
            )
        self.on_change(self)
        return envelope

    def progress(self) -> Progress:
        """The run at a glance."""
        return Progress(
            run_id=self.run_id,
            topic=self.topic,
            phase=self.phase,
            started=self.started,
            documents=self.inventory.documents if self.inventory else None,
            assignments=tuple(self.lines.values()),
            failures=tuple(self.failures),
            confidence=self.confidence,
            problem=self.problem,
        )

    def material(self) -> Material:
        """Everything that a report is assembled from.

        Raises:
            RuntimeError: there is no plan yet.
        """
        if self.request is None or self.inventory is None or self.plan is None:
            raise RuntimeError("a report cannot be assembled before there is a plan")
        return Material(
            run_id=self.run_id,
            request=self.request,
            plan=self.plan,
            findings=tuple(self.findings),
            shelf=tuple(self.shelf.values()),
            failures=tuple(self.failures),
            documents=self.inventory.documents,
            unreadable=len(self.inventory.broken) + self._lost_readings(),
            usage=self.usage,
            tasks=self.tasks,
            started=self.started,
            now=workflow.now(),
        )

    def evidence(self, ending: Ending, reason: str) -> Evidence:
        """What is kept of a run that ends by name."""
        return Evidence(
            run_id=self.run_id,
            topic=self.topic,
            ending=ending,
            reason=reason,
            created=workflow.now(),
            assignments=self.plan.assignments if self.plan else (),
            claims=tuple(claim for found in self.findings for claim in found.claims),
            sources=reported_sources(tuple(self.shelf.values()), ()),
            gaps=gaps(self.findings),
            failures=tuple(self.failures),
        )

    def closed(self, ending: Ending | None) -> RunRecord:
        """What memory keeps of a run; `ending` is None when it has a report."""
        return RunRecord(
            run_id=self.run_id,
            topic=self.topic,
            ending=ending,
            started=self.started,
            finished=workflow.now(),
            confidence=self.confidence,
            sources_read=sum(kept.reading is not None for kept in self.shelf.values()),
            claims=sum(len(found.claims) for found in self.findings),
            failures=tuple(self.failures),
        )

    def _lost_readings(self) -> int:
        return sum(kept.admitted and kept.reading is None for kept in self.shelf.values())

"""Work under way in an assignment: what a deadline leaves behind, a follow-up takes up."""

from dataclasses import dataclass, field

from temporalio import workflow

from workflows.desk import Desk
from workflows.record import Record

with workflow.unsafe.imports_passed_through():
    from caveat.contracts.envelope import AgentType
    from caveat.contracts.failure import Failure, FailureCategory, FailureType
    from caveat.contracts.investigation import Unfinished, Work
    from caveat.contracts.report import ReportedFailure
    from caveat.contracts.tasks import Task

AGENTS = {
    Work.SEARCH: AgentType.SEARCHER,
    Work.READ: AgentType.READER,
    Work.ANALYSE: AgentType.ANALYST,
}
"""Who does each kind of work."""

TOO_LATE = Failure(
    category=FailureCategory.TRANSIENT,
    failure_type=FailureType.TIMEOUT,
    message="It was not done when the deadline passed.",
    retry_recommended=True,
)

CUT_SHORT = TOO_LATE.model_copy(
    update={"message": "It was not done when the run was cancelled."},
)


@dataclass
class UnderWay:
    """The pieces of work that one assignment has begun and not ended.

    Attributes:
        desk: where the tasks are given out.
        record: where those that are left behind are booked.
    """

    desk: Desk
    record: Record
    _open: dict[str, tuple[Unfinished, Task]] = field(default_factory=dict)

    def begin(self, piece: Unfinished, task: Task) -> Unfinished:
        """Note a piece of work and its task."""
        self._open[piece.task_id] = (piece, task)
        return piece

    def end(self, task_id: str) -> None:
        """Note that a piece of work came to its end, whatever that was."""
        self._open.pop(task_id, None)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is open."""
        return not self._open

    def leave(self, why: Failure) -> list[Unfinished]:
        """Leave behind whatever is open, book why, and say what it was."""
        for piece, task in self._open.values():
            self._book(piece, task, why)
        left = [
            piece.model_copy(update={"retry_recommended": True}) for piece, _ in self._open.values()
        ]
        self._open.clear()
        return left

    def _book(self, piece: Unfinished, task: Task, why: Failure) -> None:
        # One source may be late for several angles, and a task that failed is booked already.
        if all(failed.task_id != task.task_id for failed in self.record.failures):
            late = ReportedFailure(
                task_id=task.task_id,
                agent_type=AGENTS[piece.work],
                task_description=task.description,
                attempts=int(self.desk.has_begun(task.task_id)),
                failure=why,
                failed_at=workflow.now(),
            )
            self.record.book(late)

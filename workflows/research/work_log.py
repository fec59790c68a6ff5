"""The work log of one angle, from which its completeness, and what a follow-up does, are read."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from temporalio import workflow

from caveat.contracts.envelope import AgentType, R, SubagentResult
from caveat.contracts.failure import Failure
from caveat.contracts.investigation import OpenWork, Work
from caveat.contracts.report import ReportedFailure
from caveat.contracts.tasks import Task
from caveat.failures import timed_out
from caveat.workflows.research.run import Run
from caveat.workflows.research.tasks import Tasks

AGENTS = {
    Work.SEARCH: AgentType.SEARCHER,
    Work.READ: AgentType.READER,
    Work.ANALYSE: AgentType.ANALYST,
    Work.ASK: AgentType.OUTSIDE,
}
"""Who does each kind of work."""

OVERDUE = timed_out("It was not done when the deadline passed.").failure

CUT_SHORT = timed_out("It was not done when the run was cancelled.").failure


def build_open_work(piece: OpenWork, envelope: SubagentResult[R]) -> OpenWork | None:
    """Say what is left to do of a piece of work; None where it is done."""
    if envelope.failure is None:
        return None
    # By the name that its failure is booked under: a changed input has one of its own.
    facts = {
        "task_id": envelope.task_id,
        "retry_recommended": envelope.failure.retry_recommended,
        "left_out": envelope.left_out is not None,
        "was_started": envelope.attempts > 0,
    }
    return piece.model_copy(update=facts)


@dataclass
class WorkLog:
    """The work of one angle: what is under way, and what failed or was left out."""

    angle: str
    run: Run  # where failures are booked
    tasks: Tasks  # where the budget is
    open_work: list[OpenWork] = field(default_factory=list)
    attempted: int = 0  # pieces that count for how complete the angle is
    under_way: dict[str, tuple[OpenWork, Task]] = field(default_factory=dict)  # by task

    def begin(self, piece: OpenWork, task: Task) -> None:
        self.under_way[piece.task_id] = (piece, task)

    def record(self, envelope: SubagentResult[R], piece: OpenWork) -> None:
        self.under_way.pop(piece.task_id, None)
        if envelope.left_out is not None:
            self.leave_out(envelope.left_out, piece, envelope.task_description)
            return
        # A search that was made brings nothing by itself; one that failed kept something away.
        self.attempted += piece.work is not Work.SEARCH or envelope.failure is not None
        left = build_open_work(piece, envelope)
        if left is not None and envelope.failure is not None:
            self.open_work.append(left)
            self._show(envelope.failure.message)

    def record_document(self, attempted: int, left: OpenWork | None) -> None:
        """Note how a document ended, which other angles may have wanted too."""
        self.attempted += attempted
        if left is not None:
            self.open_work.append(left)
            if not left.left_out:
                self._show("a document is missing")

    def leave_out(self, bound: str, piece: OpenWork, description: str) -> None:
        """Keep what the budget leaves out for a follow-up: it is neither done nor failed."""
        left = {"retry_recommended": True, "left_out": True, "was_started": False}
        self.open_work.append(piece.model_copy(update=left))
        self.run.leave_out(bound, AGENTS[piece.work], piece.task_id, description)

    def abandon(self, also: Sequence[tuple[OpenWork, Task]], why: Failure, note: str) -> bool:
        """Leave behind whatever is under way, and say whether there was anything."""
        left = (*self.under_way.values(), *also)
        for piece, task in left:
            # One source may be overdue for several angles; a task that failed is booked already.
            if all(failed.task_id != task.task_id for failed in self.run.failures):
                self.run.record_failures(
                    ReportedFailure(
                        task_id=task.task_id,
                        agent_type=AGENTS[piece.work],
                        task_description=task.description,
                        attempts=int(task.task_id in self.tasks.begun),
                        failure=why,
                        failed_at=workflow.now(),
                    )
                )
        self.under_way.clear()
        self.attempted += len(left)
        self.open_work += [
            piece.model_copy(update={"retry_recommended": True}) for piece, _ in left
        ]
        if left:
            self._show(note)
        return bool(left)

    def count_failed(self) -> int:
        """Count the pieces for want of which the angle is less whole."""
        return sum(not piece.others_answered and _counts(piece) for piece in self.open_work)

    def reopen(self, pieces: Sequence[OpenWork]) -> None:
        self.attempted -= sum(piece in self.open_work and _counts(piece) for piece in pieces)
        self.open_work = [piece for piece in self.open_work if piece not in pieces]

    async def retry(self, piece: OpenWork, redo: Callable[[OpenWork], Awaitable[bool]]) -> None:
        """Do a piece of work at last or once more, and let its entry tell what came of it."""
        before = len(self.open_work)
        is_done = self.tasks.find_bound() is None and await redo(piece)
        # Others are taken up at the same time; only the very same piece says how this one went.
        since = self.open_work[before:]
        left = next((one for one in since if _is_same(one, piece)), None)
        if left is None and is_done:
            self.run.make_good(piece.task_id)
        elif left is None:  # the budget left it out, or there is nothing to do it with
            self.attempted += _counts(piece)
            self.open_work.append(piece)
        elif left.task_id == piece.task_id:
            return
        elif left.was_started or left.left_out:  # the new entry tells of it now
            self.run.drop_failure(piece.task_id)
        else:  # nothing new was learnt: the first failure keeps its facts
            self.run.drop_failure(left.task_id)
            self.open_work[self.open_work.index(left)] = piece

    def _show(self, note: str) -> None:
        failures = sum(not piece.left_out for piece in self.open_work)
        self.run.update_progress(self.angle, failures=failures, note=note)


def _counts(piece: OpenWork) -> bool:
    """Whether an angle is less whole without a piece of work."""
    return piece.work is not Work.REWORD and not piece.left_out


_DOCUMENT = frozenset({Work.READ, Work.ANALYSE})


def _is_same(one: OpenWork, other: OpenWork) -> bool:
    """Whether two pieces are the same work, each perhaps under a name of its own."""
    # A document that can be read by now and not be analysed is the same piece still.
    if one.work in _DOCUMENT and other.work in _DOCUMENT:
        return one.source_id == other.source_id
    return (one.work, one.query, one.engine) == (other.work, other.query, other.engine)

"""The pieces of work of one angle: what failed or was left out, for a follow-up to finish."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from temporalio import workflow

from caveat.contracts.envelope import AgentType, R, SubagentResult
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.contracts.investigation import Unfinished, Work
from caveat.contracts.report import ReportedFailure
from caveat.contracts.tasks import Task
from caveat.rules.evidence import build_sort_key
from caveat.workflows.research.documents import Study
from caveat.workflows.research.run import Run
from caveat.workflows.research.tasks import Tasks

AGENTS = {
    Work.SEARCH: AgentType.SEARCHER,
    Work.READ: AgentType.READER,
    Work.ANALYSE: AgentType.ANALYST,
    Work.ASK: AgentType.OUTSIDE,
}
"""Who does each kind of work."""

TOO_LATE = Failure(
    category=FailureCategory.TRANSIENT,
    failure_type=FailureType.TIMEOUT,
    message="It was not done when the deadline passed.",
    retry_recommended=True,
)

CUT_SHORT = TOO_LATE.model_copy(update={"message": "It was not done when the run was cancelled."})


@dataclass
class Pieces:
    """The pieces of work of one angle."""

    angle: str
    run: Run  # where those that fail are booked
    tasks: Tasks  # where the budget is
    # pieces that failed, or that a deadline left behind
    unfinished: list[Unfinished] = field(default_factory=list)
    left_out: list[Unfinished] = field(default_factory=list)
    attempted: int = 0  # pieces that count for how complete the angle is
    _open: dict[str, tuple[Unfinished, Task]] = field(default_factory=dict)
    _not_started: set[str] = field(default_factory=set)

    @property
    def open(self) -> tuple[tuple[Unfinished, Task], ...]:
        """What is under way beside documents."""
        return tuple(self._open.values())

    def begin(self, piece: Unfinished, task: Task) -> None:
        """Note a piece of work and its task."""
        self._open[piece.task_id] = (piece, task)

    def end(self, piece: Unfinished) -> None:
        """Note that a piece of work came to its end, whatever that was."""
        self._open.pop(piece.task_id, None)

    def tally(self, envelope: SubagentResult[R], piece: Unfinished) -> None:
        """Note how a piece of work ended."""
        # A search that was made brings nothing by itself; one that failed kept something away.
        self.attempted += piece.work is not Work.SEARCH or envelope.failure is not None
        self.end(piece)
        if envelope.failure is None:
            return
        if envelope.attempts == 0:
            self._not_started.add(envelope.task_id)
        # By the name that its failure is booked under: a changed input has one of its own.
        retry = envelope.failure.retry_recommended
        facts = {"task_id": envelope.task_id, "retry_recommended": retry}
        self.unfinished.append(piece.model_copy(update=facts))
        self._show(envelope.failure.message)

    def tally_study(self, study: Study) -> None:
        """Note how a document ended, which other angles may have wanted too."""
        self.attempted += study.attempted
        if study.unfinished is not None:
            self.unfinished.append(study.unfinished)
            if not study.was_started:
                self._not_started.add(study.unfinished.task_id)
            self._show("a document is missing")
        if study.left_out is not None:
            self.left_out.append(study.left_out)

    def leave_out(self, bound: str, piece: Unfinished, description: str) -> None:
        """Keep what the budget leaves out for a follow-up: it is neither done nor failed."""
        self.end(piece)
        self.left_out.append(piece.model_copy(update={"retry_recommended": True}))
        self.run.state.leave_out(bound, AGENTS[piece.work], piece.task_id, description)

    def leave(self, also: Sequence[tuple[Unfinished, Task]], why: Failure, note: str) -> bool:
        """Leave behind whatever is under way, and say whether there was anything."""
        left = (*self.open, *also)
        for piece, task in left:
            self._book(piece, task, why)
        self._open.clear()
        self.attempted += len(left)
        self.unfinished += [
            piece.model_copy(update={"retry_recommended": True}) for piece, _ in left
        ]
        if left:
            self._show(note)
        return bool(left)

    def retake(self, pieces: Sequence[Unfinished]) -> list[Unfinished]:
        """Take pieces out that are tried again; return those that were left out before."""
        self.attempted -= sum(piece in self.unfinished and counts(piece) for piece in pieces)
        self.unfinished = [piece for piece in self.unfinished if piece not in pieces]
        left_out = [piece for piece in pieces if piece in self.left_out]
        self.left_out = [piece for piece in self.left_out if piece not in pieces]
        return left_out

    async def redo_piece(
        self,
        piece: Unfinished,
        redo: Callable[[Unfinished], Awaitable[bool]],
        *,
        was_left_out: bool,
    ) -> None:
        """Do a piece of work at last or once more, and let its entry tell what came of it.

        Args:
            redo: does it, and says whether what it was to bring is there.
            was_left_out: whether it was left out before, and did not fail.
        """
        before = len(self.unfinished)
        is_done = self.tasks.find_bound() is None and await redo(piece)
        left_again = next((one for one in self.left_out if _is_same(one, piece)), None)
        if left_again is not None:
            if left_again.task_id != piece.task_id:  # the new entry tells of it now
                self.run.state.drop(piece.task_id)
            return
        # Others are taken up at the same time; only the very same piece says how this one went.
        since = self.unfinished[before:]
        left = next((one for one in since if _is_same(one, piece)), None)
        if left is None and is_done:
            self.run.state.make_good(piece.task_id)
        elif left is None and was_left_out:
            self.left_out.append(piece)
        elif left is None:  # the budget left it out, or there is nothing to do it with
            self.attempted += counts(piece)
            self.unfinished.append(piece)
        elif left.task_id in self._not_started:
            # Nothing new was learnt: the first failure keeps its facts.
            self.run.state.drop(left.task_id)
            self.unfinished[self.unfinished.index(left)] = piece
        else:
            self.run.state.drop(piece.task_id)

    def _book(self, piece: Unfinished, task: Task, why: Failure) -> None:
        # One source may be late for several angles, and a task that failed is booked already.
        if all(failed.task_id != task.task_id for failed in self.run.state.failures):
            late = ReportedFailure(
                task_id=task.task_id,
                agent_type=AGENTS[piece.work],
                task_description=task.description,
                attempts=int(self.tasks.has_begun(task.task_id)),
                failure=why,
                failed_at=workflow.now(),
            )
            self.run.book(late)

    def _show(self, note: str) -> None:
        failures = len(self.unfinished)
        self.run.state.change_line(self.angle, failures=failures, note=note)


def order_by_name(piece: Unfinished) -> tuple[int, str]:
    """What puts pieces of work in the order of their names."""
    return build_sort_key(piece.task_id)


def counts(piece: Unfinished) -> bool:
    """Whether an angle is less whole without a piece of work."""
    return piece.work is not Work.REWORD


_DOCUMENT = frozenset({Work.READ, Work.ANALYSE})


def _is_same(one: Unfinished, other: Unfinished) -> bool:
    """Whether two pieces are the same work, each perhaps under a name of its own."""
    # A document that can be read by now and not be analysed is the same piece still.
    if one.work in _DOCUMENT and other.work in _DOCUMENT:
        return one.source_id == other.source_id
    return (one.work, one.query, one.engine) == (other.work, other.query, other.engine)

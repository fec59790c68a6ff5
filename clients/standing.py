"""Where a run stands: what the server, the run itself and memory say of it."""

from dataclasses import dataclass, replace

from caveat.contracts.outcome import NamedEnd, Outcome, RunRecord
from caveat.contracts.progress import Progress
from caveat.contracts.report import ReportedFailure
from caveat.rendering.backends import waiting_words
from clients.memory import recalled
from clients.problems import NoSuchRun, OutOfReach
from clients.runs import Closed, RunLine, Runs, RunStatus
from workers.settings import Settings


@dataclass(frozen=True)
class Standing:
    """A run that the server knows.

    Attributes:
        line: what the server's list says of it.
        progress: what a running run says, None when it was not asked, no worker answers, or it
            has ended.
        closed: how it ended, None while it goes on.
        waits: which worker it waits for, one sentence; None while one works on it, when it has
            ended, and when that was not asked.
    """

    line: RunLine
    progress: Progress | None = None
    closed: Closed | None = None
    waits: str | None = None

    def failures(self) -> tuple[ReportedFailure, ...]:
        """Every failure so far.

        Raises:
            OutOfReach: the run goes on and no worker answers for it.
        """
        if isinstance(self.closed, Outcome):
            return (*self.closed.report.failures, *self.closed.failures)
        if isinstance(self.closed, NamedEnd):
            return self.closed.failures
        if self.closed is not None:
            # It was ended from outside; what it knew went with it.
            return ()
        if self.progress is None:
            raise OutOfReach(
                f"No worker answers for {self.line.run_id}: start one with `caveat up`, or with "
                "`caveat worker` for a server of your own, and ask again."
            )
        return self.progress.failures


async def standing(runs: Runs, settings: Settings, run_id: str) -> Standing | RunRecord:
    """Find out where a run stands; from memory when the server has forgotten it.

    Raises:
        NoSuchRun: nobody knows it.
    """
    try:
        line = await runs.line(run_id)
    except NoSuchRun as unknown:
        return await recalled(settings, unknown, run_id)
    if line.status is RunStatus.RUNNING:
        return Standing(line)
    return Standing(line, closed=await runs.closed(run_id))


async def standing_in_detail(runs: Runs, settings: Settings, run_id: str) -> Standing | RunRecord:
    """As `standing`, and ask a running run for its progress, which takes up to two seconds."""
    stands = await standing(runs, settings, run_id)
    if isinstance(stands, RunRecord) or stands.closed is not None:
        return stands
    progress, left = await runs.progress(run_id), await runs.is_left(run_id)
    waits = waiting_words((await runs.route(run_id)).backend) if left else None
    return replace(stands, progress=progress, waits=waits)

"""What is said of a run, whoever says it: the server, the run itself, or its files.

Imports nothing of Temporal, so that what files can answer comes at once.
"""

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum

from caveat.contracts.base import Contract
from caveat.contracts.outcome import NamedEnd, Outcome
from caveat.contracts.progress import Progress
from caveat.contracts.report import Report, ReportedFailure
from clients.problems import OutOfReach


class RunStatus(StrEnum):
    """Where a run stands on the server."""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TERMINATED = "terminated"
    TIMED_OUT = "timed_out"


class RunLine(Contract):
    """One run in a list.

    Attributes:
        run_id: workflow id.
        topic: what was asked; empty when the request was refused before it was read.
        status: where it stands on the server.
        phase: where the run itself says it is, if it got that far.
        confidence: of its report, once there is one.
        started: when it began, UTC.
        closed: when it ended, UTC; None while it goes on.
    """

    run_id: str
    topic: str
    status: RunStatus
    phase: str | None = None
    confidence: float | None = None
    started: dt.datetime
    closed: dt.datetime | None = None


class Broken(Contract):
    """A run that ended without a report and without a name: cancelled, terminated, or a bug."""

    message: str


Closed = Outcome | NamedEnd | Broken
"""How a run ended."""


@dataclass(frozen=True)
class Standing:
    """A run that the server knows.

    Attributes:
        line: what the server's list says of it.
        progress: what a running run says, None when it was not asked, no worker answers, or it
            has ended.
        report: the provisional one of a run that goes on, None when there is none.
        closed: how it ended, None while it goes on.
        waits: which worker it waits for, one sentence; None while one works on it, when it has
            ended, and when that was not asked.
    """

    line: RunLine
    progress: Progress | None = None
    report: Report | None = None
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

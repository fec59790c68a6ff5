"""What a running run says of itself: the answer to the `progress` query."""

import datetime as dt
from enum import StrEnum

from caveat.contracts.backend import Backend
from caveat.contracts.base import Contract
from caveat.contracts.contradiction import Contradiction, Rejection
from caveat.contracts.outcome import Artifact
from caveat.contracts.plan import GivenAdvice
from caveat.contracts.report import ReportedFailure
from caveat.contracts.source import Unread
from caveat.contracts.spending import StepUsage


class Phase(StrEnum):
    """Where a run is; also the search attribute `CaveatPhase`."""

    TAKING_STOCK = "taking_stock"
    PLANNING = "planning"
    INVESTIGATING = "investigating"
    COMPARING = "comparing"
    DEBATING = "debating"
    SETTLING = "settling"
    SYNTHESISING = "synthesising"
    AUDITING = "auditing"
    PUBLISHING = "publishing"
    AWAITING_RULINGS = "awaiting_rulings"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class AssignmentState(StrEnum):
    """Where one assignment is."""

    WAITING = "waiting"
    SEARCHING = "searching"
    READING = "reading"
    DONE = "done"
    NOTHING_FOUND = "nothing_found"
    FAILED = "failed"


class AssignmentProgress(Contract):
    """One line of the live table.

    Attributes:
        id: the assignment.
        title: its angle.
        state: where it is.
        found: sources that its searches returned.
        to_read: sources admitted for it.
        read: of those, how many are read and analysed, or failed.
        claims: claims found so far.
        failures: tasks that failed.
        note: the latest failure or gap in a few words.
    """

    id: str
    title: str
    state: AssignmentState = AssignmentState.WAITING
    found: int = 0
    to_read: int = 0
    read: int = 0
    claims: int = 0
    failures: int = 0
    note: str = ""


class Progress(Contract):
    """The run at a glance.

    Attributes:
        run_id: workflow id.
        topic: what was asked.
        phase: where the run is.
        started: when it began, UTC.
        backend: who reasons and searches, once that is decided; no other worker takes part.
        documents: documents in the corpus, once it was taken stock of.
        unread: files of the corpus that are not looked at.
        assignments: one line each, in plan order.
        failures: every failure so far.
        contradictions: claims that disagree, once they were compared.
        rejections: the latest answers to contradictions that were not accepted.
        rejected: how many were not accepted in all.
        advice: what people told it while it looked for evidence.
        provisional: whether a provisional report is there.
        provisional_files: its files, where the worker keeps them.
        provisional_problem: why there is none while people are waited for, if it could not be
            written.
        confidence: once it is known.
        problem: how the run ended, when it failed by name.
        model_calls: calls to a language model so far.
        tokens: input and output tokens so far.
        cost_usd: US dollars so far, None when a model's price is not known.
        usage_by_step: the same by what it was spent on.
    """

    run_id: str
    topic: str
    phase: Phase
    started: dt.datetime
    backend: Backend | None = None
    documents: int | None = None
    unread: tuple[Unread, ...] = ()
    assignments: tuple[AssignmentProgress, ...] = ()
    failures: tuple[ReportedFailure, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    rejected: int = 0
    advice: tuple[GivenAdvice, ...] = ()
    provisional: bool = False
    provisional_files: tuple[Artifact, ...] = ()
    provisional_problem: str | None = None
    confidence: float | None = None
    problem: str | None = None
    model_calls: int = 0
    tokens: int = 0
    cost_usd: float | None = 0.0
    usage_by_step: tuple[StepUsage, ...] = ()

"""What a running run says of itself: the answer to the `progress` query."""

import datetime as dt
from enum import StrEnum

from caveat.contracts.backend import Backend
from caveat.contracts.base import Contract
from caveat.contracts.contradiction import Contradiction, Rejection
from caveat.contracts.outcome import Artifact, RunView
from caveat.contracts.phase import Phase
from caveat.contracts.plan import Proposal
from caveat.contracts.source import Unread


class AssignmentState(StrEnum):
    """The state of one assignment."""

    WAITING = "waiting"
    SEARCHING = "searching"
    READING = "reading"
    DONE = "done"
    NOTHING_FOUND = "nothing_found"
    FAILED = "failed"


class AssignmentProgress(Contract):
    """One line of the live table."""

    id: str  # the assignment
    title: str  # its angle
    state: AssignmentState = AssignmentState.WAITING  # where it is
    found: int = 0  # sources that its searches returned
    to_read: int = 0  # sources admitted for it
    read: int = 0  # of those, how many are read and analysed, or failed
    claims: int = 0  # claims found so far
    failures: int = 0  # tasks that failed
    note: str = ""  # the latest failure or gap in a few words


class ProviderWait(Contract):
    """The provider of the models does not answer, and the run waits until it does."""

    since: dt.datetime  # UTC
    why: str  # how it answered last, as people are told


class Progress(RunView):
    """A running run at a glance."""

    phase: Phase  # where the run is, the last of its phases
    # who reasons and searches, once that is decided; no other worker takes part
    backend: Backend | None = None
    documents: int | None = None  # documents in the corpus, once it was taken stock of
    unread: tuple[Unread, ...] = ()  # files of the corpus that are not looked at
    proposal: Proposal | None = None  # the plan, while it waits for a person's approval
    # while the provider of the models is waited for
    provider_wait: ProviderWait | None = None
    assignments: tuple[AssignmentProgress, ...] = ()  # one line each, in plan order
    contradictions: tuple[Contradiction, ...] = ()  # claims that disagree, once they were compared
    # the latest answers to contradictions that were not accepted
    rejections: tuple[Rejection, ...] = ()
    rejected: int = 0  # how many were not accepted in all
    provisional: bool = False  # whether a provisional report is there
    provisional_files: tuple[Artifact, ...] = ()  # its files, where the worker keeps them
    # why it could not be written while the run waits for people
    provisional_problem: str | None = None
    confidence: float | None = None  # once it is known
    problem: str | None = None  # how the run ended, when it failed by name

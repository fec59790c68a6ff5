"""Notices: what a run tells people who are not looking."""

import datetime as dt
from enum import StrEnum

from pydantic import Field

from caveat.contracts.base import Contract

LONGEST = 1_000  # characters of a message: a sentence and an address, for a telephone's screen


class NoticeKind(StrEnum):
    """Why somebody is told."""

    QUORUM_LOST = "quorum_lost"
    """Too few assignments could be carried out; they are retried before the run ends."""
    CRITICAL_AGENT_FAILED = "critical_agent_failed"
    """An assignment that the run cannot do without failed; it is retried before the run ends."""
    DEGRADED = "degraded"  # the run has a report whose confidence is low
    UNKNOWN_FAILURE = "unknown_failure"
    """Something failed in a way that nobody foresaw; told once a run for each role and provider."""
    PERSON_NEEDED = "person_needed"  # somebody must decide before the run can go on
    SETTLED = "settled"  # what people were asked is settled: somebody ruled, or nobody did in time
    DONE = "done"  # the run has its final report
    CHANGED = "changed"  # a scheduled run found something else than the one before
    FAILED = "failed"  # the run ended by name, without a report
    CANCELLED = "cancelled"  # somebody cancelled the run


class Notice(Contract):
    """One message.

    Attributes:
        id: unique: the run's id and a number; receivers recognise repetitions by it.
        kind: why somebody is told.
        run_id: workflow id of the run.
        topic: what the run was asked.
        message: one sentence for people.
        created: when it was written, UTC.
        arbitration: workflow id of the arbitration that it is about, if it is about one.
        link: of the page where that can be read and answered, where one is configured.
    """

    id: str
    kind: NoticeKind
    run_id: str
    topic: str
    message: str = Field(min_length=1, max_length=LONGEST)
    created: dt.datetime
    arbitration: str | None = None
    link: str | None = None


class Delivery(Contract):
    """How one attempt to tell people ended.

    Attributes:
        notice: what they were told.
        has_receiver: whether a receiver is configured where it was told; else it stands in the log
            or on the terminal alone.
        passed_on: whether a worker that has a receiver is there and must tell it again.
    """

    notice: Notice
    has_receiver: bool
    passed_on: bool = False

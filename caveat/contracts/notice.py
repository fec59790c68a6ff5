"""Notices: what a run tells people who are not looking."""

import datetime as dt
from enum import StrEnum

from pydantic import Field

from caveat.contracts.base import Contract

LONGEST = 1_000  # characters of a message: a sentence and an address, for a telephone's screen


class NoticeKind(StrEnum):
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
    id: str  # unique: the run's id and a number; receivers recognise repetitions by it
    kind: NoticeKind  # why somebody is told
    run_id: str  # workflow id of the run
    topic: str  # what the run was asked
    message: str = Field(min_length=1, max_length=LONGEST)  # one sentence for people
    created: dt.datetime  # when it was written, UTC
    # workflow id of the arbitration that it is about, if it is about one
    arbitration: str | None = None


class Delivery(Contract):
    """The result of one attempt to notify."""

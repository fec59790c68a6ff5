"""What an event history says of a run's activities: the truth about retries."""

import datetime as dt
import json
from dataclasses import dataclass
from typing import Any

from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import WorkflowHandle


@dataclass
class Work:
    """One activity, as the server saw it."""

    type: str  # the activity's name
    summary: str  # its task in one line
    scheduled: dt.datetime  # when it was given out
    started: dt.datetime | None = None  # when its last attempt began
    attempt: int = 0  # how many attempts there were
    # type of the failure before the last attempt, empty without one; "lost" where its worker was,
    # whether the server missed its signs of life or was told
    last_failure: str = ""
    # seconds that the failure before asked to wait; None where it asked for none
    delay_s: float | None = None
    closed: int = 0  # id of the event that ended it, 0 while it is open
    completed: bool = False  # whether it ended with a result
    failed: str = ""  # type of the failure that ended it

    @property
    def waited_s(self) -> float:
        """From when it was given out to the beginning of its last attempt."""
        assert self.started is not None
        return (self.started - self.scheduled).total_seconds()


async def works(handle: WorkflowHandle[Any, Any]) -> list[Work]:
    """Every activity of a run, in the order in which they were given out."""
    found: dict[int, Work] = {}
    async for event in handle.fetch_history_events():
        if event.HasField("activity_task_scheduled_event_attributes"):
            found[event.event_id] = _given_out(event)
        elif event.HasField("activity_task_started_event_attributes"):
            _start(found[event.activity_task_started_event_attributes.scheduled_event_id], event)
        else:
            _end(found, event)
    return list(found.values())


def _given_out(event: HistoryEvent) -> Work:
    return Work(
        type=event.activity_task_scheduled_event_attributes.activity_type.name,
        summary=json.loads(event.user_metadata.summary.data),
        scheduled=event.event_time.ToDatetime(dt.UTC),
    )


def _start(work: Work, event: HistoryEvent) -> None:
    started = event.activity_task_started_event_attributes
    work.started = event.event_time.ToDatetime(dt.UTC)
    work.attempt = started.attempt
    failure = started.last_failure
    if failure.HasField("timeout_failure_info"):
        work.last_failure = "lost"
    elif failure.HasField("application_failure_info"):
        information = failure.application_failure_info
        work.last_failure = "lost" if information.type == "worker_lost" else information.type
        if information.HasField("next_retry_delay"):
            work.delay_s = information.next_retry_delay.ToTimedelta().total_seconds()


def _end(found: dict[int, Work], event: HistoryEvent) -> None:
    if event.HasField("activity_task_completed_event_attributes"):
        completed = event.activity_task_completed_event_attributes
        work = found[completed.scheduled_event_id]
        work.completed, work.closed = True, event.event_id
    elif event.HasField("activity_task_failed_event_attributes"):
        failed = event.activity_task_failed_event_attributes
        work = found[failed.scheduled_event_id]
        work.failed = failed.failure.application_failure_info.type
        work.closed = event.event_id

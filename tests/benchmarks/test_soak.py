"""The soak, small: one of each event, and what it counts as done twice."""

import argparse
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest
from temporalio.api.common.v1 import ActivityType, Payload, Payloads
from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import (
    ActivityTaskCompletedEventAttributes,
    ActivityTaskScheduledEventAttributes,
    HistoryEvent,
)
from temporalio.client import WorkflowHandle

from benchmarks.histories import activities
from benchmarks.soak import Soak, soaked
from standins.buckets import MOTO
from standins.postgresql import programs
from tests.fakes import brokers

pytestmark = pytest.mark.system

EVENTS = {
    *("worker killed", "bucket out of reach", "broker out of reach"),
    *("workers upgraded", "server killed"),
    *("bucket refusing", "scaled to three", "worker and server killed", "scaled to one"),
}


@pytest.mark.skipif(not MOTO.is_dir(), reason="moto is not here: `make .venv` installs it")
@pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed.")
@pytest.mark.skipif(not brokers.is_there(), reason="No RabbitMQ listens.")
async def test_nothing_is_lost_or_done_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ENDPOINT_URL", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "REGION"):
        monkeypatch.setenv(f"AWS_{name}", "")  # as it was, when this ends
    options = argparse.Namespace(minutes=0.75, every=12.0, cycles=1, seed=1, folder=None)
    soak: Soak = await soaked(tmp_path, options)
    judged = soak.runs.judged
    assert soak.is_clean, soak.table()
    assert judged.begun >= 3
    assert judged.activities > 20 * judged.begun
    assert soak.done == dict.fromkeys(EVENTS, 1)
    assert all(line.bucket > 0 and line.memory.server > 50 for line in soak.lines[:1])
    assert f"| runs begun | {judged.begun} |" in soak.table()


def scheduled(number: int, given: bytes) -> HistoryEvent:
    return HistoryEvent(
        event_id=number,
        event_type=EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED,
        activity_task_scheduled_event_attributes=ActivityTaskScheduledEventAttributes(
            activity_type=ActivityType(name="read"),
            input=Payloads(payloads=[Payload(data=given)]),
        ),
    )


def completed(of: int) -> HistoryEvent:
    return HistoryEvent(
        event_id=of + 100,
        event_type=EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED,
        activity_task_completed_event_attributes=ActivityTaskCompletedEventAttributes(
            scheduled_event_id=of
        ),
    )


class History:
    """A handle that knows some events."""

    def __init__(self, *events: HistoryEvent) -> None:
        self._events = events

    async def fetch_history_events(self) -> AsyncIterator[HistoryEvent]:
        for each in self._events:
            yield each


@pytest.mark.parametrize(
    ("events", "counted"),
    [
        ((scheduled(1, b"a"), completed(1), scheduled(2, b"b"), completed(2)), (2, 0)),
        ((scheduled(1, b"a"), scheduled(2, b"a"), completed(2)), (1, 0)),
        ((scheduled(1, b"a"), completed(1), scheduled(2, b"a"), completed(2)), (2, 1)),
    ],
    ids=["two inputs", "again, before it was done", "again, after it was done"],
)
async def test_what_was_done_and_is_scheduled_again_is_counted(
    events: tuple[HistoryEvent, ...], counted: tuple[int, int]
) -> None:
    assert await activities(cast("WorkflowHandle[Any, Any]", History(*events))) == counted

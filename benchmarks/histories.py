"""What a run's history says of work that was done, and done again."""

from collections import Counter
from typing import Any

from temporalio.api.enums.v1 import EventType
from temporalio.client import WorkflowHandle


async def activities(handle: WorkflowHandle[Any, Any]) -> tuple[int, int]:
    """Count the activities that completed, and those scheduled with an input that was done."""
    inputs: dict[int, bytes] = {}
    done: Counter[bytes] = Counter()
    again = 0
    async for event in handle.fetch_history_events():
        if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
            scheduled = event.activity_task_scheduled_event_attributes
            given = scheduled.input.SerializeToString(deterministic=True)
            inputs[event.event_id] = scheduled.activity_type.name.encode() + given
            again += done[inputs[event.event_id]]
        if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
            completed = event.activity_task_completed_event_attributes
            done[inputs[completed.scheduled_event_id]] += 1
    return done.total(), again

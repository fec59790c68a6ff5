"""What becomes of the ways in which Temporal says that an activity failed."""

import datetime as dt
from typing import Any

import pytest
from temporalio.exceptions import (
    ActivityError,
    ApplicationError,
    RetryState,
    TimeoutError,  # noqa: A004  # Temporal's, not the built-in
    TimeoutType,
)

from caveat.contracts.envelope import (
    AgentType,
    FailureCategory,
    FailureType,
    Status,
    SubagentResult,
    Usage,
)
from caveat.contracts.source import Analysis
from caveat.contracts.tasks import Task
from caveat.workflows.delegation import read_failed_envelope
from caveat.workflows.options import ANALYSE, OVERTIME, RETRY

TASK = Task(task_id="a1-analyse-s-1", description="Find “x” in “y”")


def read(cause: BaseException, started: int = 2) -> SubagentResult[Analysis]:
    error = ActivityError(
        "failed", scheduled_event_id=1, started_event_id=started, identity="worker",
        activity_type="analyse", activity_id="1",
        retry_state=RetryState.MAXIMUM_ATTEMPTS_REACHED,
    )  # fmt: skip
    error.__cause__ = cause
    return read_failed_envelope(error, TASK, ANALYSE)


def timeout(kind: TimeoutType, *heartbeat: Any) -> TimeoutError:
    return TimeoutError("timeout", type=kind, last_heartbeat_details=list(heartbeat))


@pytest.mark.parametrize(
    ("kind", "words", "attempts"),
    [
        (TimeoutType.HEARTBEAT, "gave no sign of life for 5 s", 4),
        (TimeoutType.START_TO_CLOSE, "took longer than 180 s", 1),
        (TimeoutType.SCHEDULE_TO_CLOSE, "was not done within 7 days", 1),
    ],
)
def test_a_timeout_says_which_bound_it_was(kind: TimeoutType, words: str, attempts: int) -> None:
    envelope = read(timeout(kind))
    assert (envelope.status, envelope.agent_type) == (Status.FAILED, AgentType.ANALYST)
    assert envelope.failure is not None
    assert envelope.failure.failure_type is FailureType.TIMEOUT
    assert envelope.failure.message == f"The analyst {words}."
    assert envelope.attempts == attempts


def test_what_ran_out_of_time_in_a_queue_was_never_begun() -> None:
    assert read(timeout(TimeoutType.SCHEDULE_TO_CLOSE), started=0).attempts == 0
    assert read(timeout(TimeoutType.SCHEDULE_TO_START), started=0).attempts == 0
    between = timeout(TimeoutType.SCHEDULE_TO_CLOSE)
    between.__cause__ = ApplicationError("failed", {"attempts": 3, "status": "failed"})
    assert read(between, started=0).attempts == 3
    begun = timeout(TimeoutType.SCHEDULE_TO_CLOSE, {"attempt": 2})
    assert read(begun, started=0).attempts == 2


PARTIAL = Analysis(rejected_quotes=2, read_to=1234)
SPENT = Usage(model_calls=2, input_tokens=100, output_tokens=10, cost_usd=0.1)


def beat(partial: Any, **more: Any) -> dict[str, Any]:
    """The detail of a heartbeat, as the server gives it back."""
    return {"partial": partial, "completeness": 0.5, **more}


def test_the_last_heartbeat_of_a_killed_worker_is_a_partial_result() -> None:
    envelope = read(timeout(TimeoutType.HEARTBEAT, beat(PARTIAL.model_dump(mode="json"))))
    assert (envelope.status, envelope.completeness) == (Status.PARTIAL, 0.5)
    assert envelope.partial_result == PARTIAL
    assert envelope.usage == Usage()


@pytest.mark.parametrize(
    "partial", [None, PARTIAL.model_dump(mode="json"), {"claims": "no analysis"}]
)
def test_the_last_heartbeat_says_what_was_spent(partial: Any) -> None:
    envelope = read(timeout(TimeoutType.HEARTBEAT, beat(partial, usage=SPENT.model_dump())))
    assert envelope.usage == SPENT
    assert (envelope.status is Status.PARTIAL) == (envelope.partial_result == PARTIAL)


@pytest.mark.parametrize(
    "cause",
    [
        ApplicationError("no detail", type="permanent"),
        ApplicationError("not an envelope", {"status": "success"}, type="permanent"),
        ValueError("from nowhere"),
    ],
)
def test_what_carries_no_envelope_is_unknown(cause: BaseException) -> None:
    envelope = read(cause)
    assert envelope.failure is not None
    assert envelope.failure.category is FailureCategory.UNKNOWN
    assert "nowhere" not in envelope.failure.message


# Retries are Temporal's, by the table of docs/recovery.md.


NEVER = {FailureType.AUTH_ERROR, FailureType.NOT_FOUND, FailureType.PERMANENT}


def test_the_same_input_is_tried_again_after_1_2_and_4_seconds() -> None:
    waits = [
        min(RETRY.initial_interval * RETRY.backoff_coefficient**attempt, RETRY.maximum_interval)
        for attempt in range(RETRY.maximum_attempts - 1)
        if RETRY.maximum_interval is not None
    ]
    assert waits == [dt.timedelta(seconds=seconds) for seconds in (1, 2, 4)]


def test_what_can_never_work_is_not_tried_again_and_what_is_transient_is() -> None:
    never = RETRY.non_retryable_error_types or ()
    assert {each for each in FailureType if each in never} == NEVER
    assert OVERTIME in never

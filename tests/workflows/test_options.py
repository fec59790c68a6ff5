"""Retries are Temporal's, by the table of docs/recovery.md."""

import datetime as dt

from caveat.contracts.failure import FailureType
from caveat.workflows.options import OVERTIME, RETRY

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

import datetime as dt
import ssl
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.adapters.notify.endpoint import Endpoint
from caveat.adapters.notify.exchange import Answer
from caveat.adapters.notify.failures import undelivered
from caveat.contracts.failure import FailureType

ENDPOINT = Endpoint.of("http://receiver.example/")


@given(st.sampled_from([429, 503]), st.text(max_size=40))
def test_no_retry_after_breaks_the_naming(status: int, header: str) -> None:
    wait = undelivered(Answer(status, header), ENDPOINT).failure.retry_after_s
    assert wait is None or 0 <= wait <= 3600


@given(st.datetimes(timezones=st.just(dt.UTC)))
def test_every_date_is_a_wait_of_at_most_an_hour(moment: dt.datetime) -> None:
    header = format_datetime(moment, usegmt=True)
    wait = undelivered(Answer(429, header), ENDPOINT).failure.retry_after_s
    assert wait is not None
    assert 0 <= wait <= 3600


@given(st.integers(300, 599))
def test_every_status_that_is_no_success_has_a_name(status: int) -> None:
    failure = undelivered(Answer(status, None), ENDPOINT).failure
    assert failure.provider == "webhook"
    assert (failure.failure_type is FailureType.UNAVAILABLE) == (status >= 500)


@pytest.mark.parametrize(
    ("error", "failure_type"),
    [
        (ssl.SSLEOFError(8, "planted"), FailureType.UNAVAILABLE),
        (ssl.SSLError(1, "planted"), FailureType.PERMANENT),
        (ConnectionResetError("planted"), FailureType.UNAVAILABLE),
        (BrokenPipeError("planted"), FailureType.UNAVAILABLE),
        (OSError(113, "planted"), FailureType.UNAVAILABLE),
        (TimeoutError("planted"), FailureType.TIMEOUT),
    ],
)
def test_errors_that_no_loopback_server_makes(error: OSError, failure_type: FailureType) -> None:
    failure = undelivered(error, ENDPOINT).failure
    assert failure.failure_type is failure_type
    assert "planted" not in repr(failure)

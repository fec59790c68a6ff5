"""What statuses, errors and `Retry-After` mean, whoever was asked."""

import asyncio
import contextlib
import socket
import ssl
from functools import partial

import pytest
from httpcore2 import ConnectError, ConnectTimeout, ReadError, RemoteProtocolError
from hypothesis import given
from hypothesis import strategies as st

from caveat.adapters.claude.messages.failures import retry_after_s
from caveat.adapters.http.client import HttpAnswer
from caveat.adapters.http.failures import Fault, build_http_failure, parse_retry_after
from caveat.adapters.http.manners import HostBusyError, Manners
from caveat.adapters.http.meanings import ABSENT, RefusalError
from caveat.adapters.http.target import Target
from caveat.adapters.search.asking import build_failure as unsearched
from caveat.adapters.web.fetching import translate_ending
from caveat.contracts.envelope import Failure, FailureCategory, FailureType

TARGET = Target.from_url("http://moons.test/io")
LONGEST_S = 3600.0


def answer(status: int, retry_after: str = "") -> HttpAnswer:
    return HttpAnswer(TARGET, status, {"retry-after": retry_after})


of_anybody = partial(
    build_http_failure,
    subject="Somebody",
    resource="moons.test",
    provider=None,
    longest_wait_s=LONGEST_S,
    statuses={},
)


def everybodys(ended: HttpAnswer | Fault) -> list[Failure]:
    """The failure of a page, of a search engine and of anybody else."""
    raised = (
        translate_ending(ended, url=TARGET.url, host=TARGET.host),
        unsearched("engine", ended),
        of_anybody(ended),
    )
    return [each.failure for each in raised]


TYPES = {
    FailureType.TIMEOUT: {FailureCategory.TRANSIENT},
    FailureType.RATE_LIMITED: {FailureCategory.TRANSIENT},
    FailureType.UNAVAILABLE: {FailureCategory.TRANSIENT},
    FailureType.AUTH_ERROR: {FailureCategory.PERMISSION},
    FailureType.NOT_FOUND: {FailureCategory.BUSINESS},
    FailureType.PERMANENT: {FailureCategory.BUSINESS, FailureCategory.VALIDATION},
}


@given(st.integers(300, 999))
def test_every_status_that_is_no_success_has_a_name(status: int) -> None:
    for failure in everybodys(answer(status)):
        assert failure.category in TYPES[failure.failure_type]
        assert failure.retry_recommended == (failure.category is FailureCategory.TRANSIENT)
        assert f"answered {status}: it " in failure.message


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, FailureType.AUTH_ERROR),
        (403, FailureType.AUTH_ERROR),
        (404, FailureType.NOT_FOUND),
        (408, FailureType.TIMEOUT),
        (410, FailureType.NOT_FOUND),
        (418, FailureType.PERMANENT),
        (425, FailureType.UNAVAILABLE),
        (429, FailureType.RATE_LIMITED),
        (451, FailureType.PERMANENT),
        (500, FailureType.UNAVAILABLE),
        (503, FailureType.UNAVAILABLE),
        (504, FailureType.TIMEOUT),
        (999, FailureType.PERMANENT),
    ],
)
def test_a_status_means_the_same_to_everybody(status: int, kind: FailureType) -> None:
    assert {failure.failure_type for failure in everybodys(answer(status))} == {kind}


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (TimeoutError("planted"), FailureType.TIMEOUT),
        (ConnectTimeout("planted"), FailureType.TIMEOUT),
        (HostBusyError(3.0), FailureType.RATE_LIMITED),
        (RefusalError("has no name", ABSENT), FailureType.NOT_FOUND),
        (RefusalError("is refused"), FailureType.PERMANENT),
        (ssl.SSLEOFError(8, "planted"), FailureType.UNAVAILABLE),
        (ssl.SSLError(1, "planted"), FailureType.PERMANENT),
        (ssl.SSLCertVerificationError(1, "planted"), FailureType.PERMANENT),
        (caused(ConnectError("planted"), ssl.SSLError(1, "planted")), FailureType.PERMANENT),
        (caused(ConnectError("planted"), ssl.SSLEOFError(8, "x")), FailureType.UNAVAILABLE),
        (caused(ConnectError("planted"), socket.gaierror(-2, "x")), FailureType.UNAVAILABLE),
        (ConnectError("planted"), FailureType.UNAVAILABLE),
        (ReadError("planted"), FailureType.UNAVAILABLE),
        (RemoteProtocolError("planted"), FailureType.UNAVAILABLE),
        (ConnectionResetError("planted"), FailureType.UNAVAILABLE),
        (BrokenPipeError("planted"), FailureType.UNAVAILABLE),
        (OSError(113, "planted"), FailureType.UNAVAILABLE),
    ],
    ids=repr,
)
def test_an_error_means_the_same_to_everybody(error: Fault, kind: FailureType) -> None:
    for failure in everybodys(error):
        assert failure.failure_type is kind
        assert failure.category in TYPES[kind]
        assert "planted" not in failure.model_dump_json()


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("0", 0.0),
        ("7", 7.0),
        (" 7 ", 7.0),
        ("1.5", 1.5),
        ("9" * 400, float("inf")),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0.0),
        ("Sun Nov  6 08:49:37 1994", 0.0),
        ("", None),
        ("soon", None),
        ("-1", None),
        ("1e3", None),
        ("nan", None),
        ("٣", None),
        ("Sun, 99 Foo 1994 99:99:99 GMT", None),
        ("Mon, 01 Jan 9999999999999999999 00:00:00 GMT", None),
    ],
)
def test_retry_after_is_read_alike_by_everybody(header: str, seconds: float | None) -> None:
    assert parse_retry_after(header) == seconds
    bounded = None if seconds is None else min(seconds, LONGEST_S)
    assert retry_after_s({"retry-after": header}) == bounded
    assert of_anybody(answer(503, header)).failure.retry_after_s == bounded


@given(st.text(max_size=40))
def test_no_retry_after_breaks_the_naming(header: str) -> None:
    for failure in everybodys(answer(429, header)):
        assert failure.retry_after_s is None or 0 <= failure.retry_after_s <= LONGEST_S


def test_a_failure_that_is_permanent_waits_for_nothing() -> None:
    assert [each.retry_after_s for each in everybodys(answer(404, "7"))] == [None] * 3


# Lines of requests to hosts.


async def test_a_turn_that_fails_or_is_given_up_lets_the_next_one_in() -> None:
    """`HostBusyError` is raised where a turn is not free within a second."""
    manners = Manners(interval_s=0.0)
    with contextlib.suppress(ValueError):
        async with manners.turn("moons.test", 1.0):
            raise ValueError
    async with manners.turn("moons.test", 1.0):
        waiting = asyncio.create_task(_turn(manners, 5.0))
        await asyncio.sleep(0.01)
        waiting.cancel()
    async with manners.turn("moons.test", 1.0):
        pass


async def test_whoever_is_cancelled_in_the_pause_holds_up_nobody() -> None:
    """`HostBusyError` is raised where the last turn is not free within a second."""
    manners = Manners(interval_s=0.2)
    await _turn(manners, 1.0)
    waiting = asyncio.create_task(_turn(manners, 5.0))
    await asyncio.sleep(0.01)
    waiting.cancel()
    await _turn(manners, 1.0)


async def test_a_line_that_is_too_long_says_when_to_come_back() -> None:
    manners = Manners(interval_s=3.0)
    await _turn(manners, 1.0)
    with pytest.raises(HostBusyError) as raised:
        await _turn(manners, 0.05)
    assert raised.value.wait_s == 3.0


async def test_a_rest_is_not_waited_for_in_line() -> None:
    manners = Manners(interval_s=0.0)
    manners.rest("moons.test", 60.0)
    with pytest.raises(HostBusyError) as raised:
        await _turn(manners, 30.0)
    assert raised.value.wait_s == pytest.approx(60.0, abs=1.0)
    manners.rest("moons.test", 1.0)
    with pytest.raises(HostBusyError):
        await _turn(manners, 30.0)
    await _turn(manners, 0.1, "jupiter.test")


async def _turn(manners: Manners, patience_s: float, host: str = "moons.test") -> None:
    async with manners.turn(host, patience_s):
        pass

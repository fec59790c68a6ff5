"""How a request fails, in the domain's words: one table for pages and search engines."""

import datetime as dt
import re
import socket
import ssl
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from httpcore2 import NetworkError, ProtocolError, TimeoutException

from caveat.adapters.http.client import HttpAnswer
from caveat.adapters.http.manners import HostBusyError
from caveat.adapters.http.meanings import (
    ABSENT,
    BUSY,
    CLOSED,
    DOWN,
    TIMEOUT,
    UNFIT,
    WITHHELD,
    Meaning,
    RefusalError,
)
from caveat.contracts.envelope import Failure, FailureCategory
from caveat.failures import PortFailure

STATUSES: Mapping[int, Meaning] = {
    3: (*UNFIT, "redirects, and redirects are not followed"),
    4: (*UNFIT, "does not accept the request"),
    5: (*DOWN, "is out of order"),
    401: (*CLOSED, "does not accept the credentials, or wants some"),
    402: (*WITHHELD, "wants to be paid first"),
    403: (*CLOSED, "refuses the request"),
    404: (*ABSENT, "is not there"),
    408: (*TIMEOUT, "waited too long for the request"),
    410: (*ABSENT, "is not there any more"),
    425: (*DOWN, "wants to be asked later"),
    429: (*BUSY, "wants fewer requests"),
    451: (*WITHHELD, "may not be shown for legal reasons"),
    504: (*TIMEOUT, "was too slow for its gateway"),
}
"""Statuses by their class, one digit, and where the code says more than its class by the code (RFC
9110, section 15; 429: RFC 6585; 451: RFC 7725)."""
_UNKNOWN: Meaning = (*UNFIT, "has a status that HTTP does not know")

_ERRORS: tuple[tuple[type[Exception], Meaning], ...] = (
    (TimeoutException, (*TIMEOUT, "did not answer in time")),
    (TimeoutError, (*TIMEOUT, "did not answer in time")),
    (socket.gaierror, (*DOWN, "has a host name that cannot be resolved now")),
    (ssl.SSLEOFError, (*DOWN, "drops connections")),
    (ssl.SSLCertVerificationError, (*WITHHELD, "has a certificate that is not trusted")),
    (ssl.SSLError, (*WITHHELD, "does not speak TLS as it should")),
    (ConnectionRefusedError, (*DOWN, "refuses connections")),
    (NetworkError, (*DOWN, "cannot be reached")),
    # One exception stands for both; the first is by far the more frequent, and mends itself.
    (ProtocolError, (*DOWN, "breaks off its answers, or does not speak HTTP")),
    (OSError, (*DOWN, "cannot be reached")),
)
"""The first that fits counts, so classes stand before those that they derive from. What lies behind
an error is looked at before it: httpcore2 hides errors of TLS and of names in its own."""

FAULTS = (RefusalError, TimeoutException, NetworkError, ProtocolError, OSError)
"""How a request ends without an answer; timeouts of asyncio and errors of TLS are OSErrors."""

Fault = RefusalError | TimeoutException | NetworkError | ProtocolError | OSError

_SECONDS = re.compile(r"[0-9]+(?:\.[0-9]*)?")
"""The RFC knows whole seconds alone; APIs that send 1.5 mean nothing else by it, and who comes
back at once instead is refused again."""


def build_http_failure(
    ended: HttpAnswer | Fault | Meaning,
    *,
    subject: str,
    resource: str,
    provider: str | None,
    longest_wait_s: float,
    statuses: Mapping[int, Meaning],
    retry_after: str = "",
    alternatives: tuple[str, ...] = (),
) -> PortFailure:
    """Build the failure of a request.

    Args:
        ended: an answer without success, an error, or its meaning.
        subject: the beginning of the sentence, such as “The page at moons.test”.
        provider: whose trouble it is; None where other requests to it need not fail alike.
        longest_wait_s: seconds that a task waits for it at most, whatever it asks for.
        statuses: what it means by statuses, where that is not what everybody means.
        retry_after: the header, if `ended` is a meaning.
    """
    failure_type, category, phrase = find_meaning(ended, statuses)
    transient = category is FailureCategory.TRANSIENT
    answered = ""
    if isinstance(ended, HttpAnswer):
        retry_after = ended.get_header("retry-after")
        answered = f"answered {ended.status}: it "
    wait_s = parse_retry_after(retry_after) if transient else None
    if isinstance(ended, HostBusyError):
        wait_s = ended.wait_s
    return PortFailure(
        Failure(
            category=category,
            failure_type=failure_type,
            message=f"{subject} {answered}{phrase}.",
            retry_recommended=transient,
            retry_after_s=None if wait_s is None else min(wait_s, longest_wait_s),
            alternatives=alternatives,
            resource=resource,
            provider=provider,
        )
    )


def find_meaning(ended: HttpAnswer | Fault | Meaning, statuses: Mapping[int, Meaning]) -> Meaning:
    match ended:
        case tuple():
            return ended
        case HttpAnswer(status=code):
            table = {**STATUSES, **statuses}
            return table.get(code) or table.get(code // 100) or _UNKNOWN
        case RefusalError():
            return (*ended.kind, str(ended))
    causes: list[BaseException] = [ended]
    while (behind := causes[-1].__cause__) is not None:
        causes.append(behind)
    return next(
        meant for error in reversed(causes) for kind, meant in _ERRORS if isinstance(error, kind)
    )


def parse_retry_after(retry_after: str) -> float | None:
    """Parse `Retry-After` to seconds; callers bound it.

    Args:
        retry_after: seconds or a date; anything else is None.
    """
    text = retry_after.strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, OverflowError):  # a year of a million digits is a date to the parser
        return None
    # The obsolete form that C's asctime writes names no zone; it means UTC as well.
    aware = date if date.tzinfo else date.replace(tzinfo=dt.UTC)
    return max((aware - dt.datetime.now(dt.UTC)).total_seconds(), 0.0)

"""What goes wrong with a webhook, in the domain's words."""

import asyncio
import datetime as dt
import re
import socket
import ssl
from email.utils import parsedate_to_datetime

from caveat.adapters.notify.endpoint import Endpoint
from caveat.adapters.notify.exchange import Answer, NotHttp
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.failures import PortFailure

PROVIDER = "webhook"
"""Whose service failed, as failures name it."""

_LONGEST_WAIT_S = 3600.0
"""A notice that comes more than an hour late tells nobody anything, and a run may wait for it."""

_CATEGORIES = {
    FailureType.TIMEOUT: FailureCategory.TRANSIENT,
    FailureType.RATE_LIMITED: FailureCategory.TRANSIENT,
    FailureType.UNAVAILABLE: FailureCategory.TRANSIENT,
    FailureType.AUTH_ERROR: FailureCategory.PERMISSION,
    FailureType.NOT_FOUND: FailureCategory.BUSINESS,
    FailureType.PERMANENT: FailureCategory.VALIDATION,
}

_STATUSES = {
    401: (FailureType.AUTH_ERROR, "refuses the delivery"),
    403: (FailureType.AUTH_ERROR, "refuses the delivery"),
    404: (FailureType.NOT_FOUND, "has no receiver at its address"),
    408: (FailureType.TIMEOUT, "waited too long for the delivery"),
    410: (FailureType.NOT_FOUND, "wants no more deliveries"),
    429: (FailureType.RATE_LIMITED, "asks for fewer deliveries"),
}
"""Where the code says more than its class (RFC 9110, section 15; 429: RFC 6585)."""

_CLASSES = {
    3: (FailureType.PERMANENT, "redirects, and redirects are not followed"),
    4: (FailureType.PERMANENT, "does not accept the delivery"),
    5: (FailureType.UNAVAILABLE, "is out of order"),
}

_ERRORS: tuple[tuple[type[Exception], FailureType, str], ...] = (
    (TimeoutError, FailureType.TIMEOUT, "did not answer in time"),
    (ssl.SSLEOFError, FailureType.UNAVAILABLE, "dropped the connection"),
    (ssl.SSLCertVerificationError, FailureType.PERMANENT, "has a certificate that is not trusted"),
    (ssl.SSLError, FailureType.PERMANENT, "does not speak TLS as it should"),
    (socket.gaierror, FailureType.UNAVAILABLE, "has a name that cannot be resolved"),
    (ConnectionRefusedError, FailureType.UNAVAILABLE, "refuses connections"),
    (ConnectionError, FailureType.UNAVAILABLE, "dropped the connection"),
    (asyncio.IncompleteReadError, FailureType.UNAVAILABLE, "dropped the connection"),
    (NotHttp, FailureType.PERMANENT, "answers with something that is not HTTP"),
    (OSError, FailureType.UNAVAILABLE, "cannot be reached"),
)
"""The first that fits counts: classes stand before those that they derive from."""

Unreached = TimeoutError | OSError | asyncio.IncompleteReadError | NotHttp
"""How an exchange ends without an answer."""


def undelivered(ended: Answer | Unreached, endpoint: Endpoint) -> PortFailure:
    """Name what stopped a delivery: an answer that is no success, or an error.

    The text holds neither the receiver's words nor more of the URL than its host.
    """
    if isinstance(ended, Answer):
        failure_type, phrase = _STATUSES.get(ended.status) or _CLASSES[ended.status // 100]
        phrase = f"answered {ended.status}: it {phrase}"
        retry_after_s = _seconds(ended.retry_after)
    else:
        failure_type, phrase = next(
            (kind, phrase) for error, kind, phrase in _ERRORS if isinstance(ended, error)
        )
        retry_after_s = None
    transient = _CATEGORIES[failure_type] is FailureCategory.TRANSIENT
    return PortFailure(
        Failure(
            category=_CATEGORIES[failure_type],
            failure_type=failure_type,
            message=f"The webhook at {endpoint.authority} {phrase}.",
            retry_recommended=transient,
            retry_after_s=retry_after_s if transient else None,
            resource=endpoint.authority,
            provider=PROVIDER,
        )
    )


def unsigned(reason: str, *, resource: str) -> PortFailure:
    """There is no key to sign with; nothing is sent unsigned where a signature is expected."""
    return PortFailure(
        Failure(
            category=FailureCategory.PERMISSION,
            failure_type=FailureType.AUTH_ERROR,
            message=f"The webhook's secret file cannot be used: {reason}.",
            resource=resource,
            provider=PROVIDER,
        )
    )


def _seconds(retry_after: str | None) -> float | None:
    # RFC 9110, section 10.2.3: a number of seconds, or a date. What is neither says nothing.
    if retry_after is None:
        return None
    if re.fullmatch(r"[0-9]{1,300}", retry_after.strip()):
        return min(float(retry_after), _LONGEST_WAIT_S)
    try:
        date = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    # The obsolete form that C's asctime writes names no zone; it means UTC as well.
    aware = date if date.tzinfo else date.replace(tzinfo=dt.UTC)
    wait = (aware - dt.datetime.now(dt.UTC)).total_seconds()
    return min(max(wait, 0.0), _LONGEST_WAIT_S)

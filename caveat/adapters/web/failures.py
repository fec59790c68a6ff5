"""What goes wrong with a page, in the domain's words."""

import socket
import ssl
from collections.abc import Iterator

from httpcore2 import NetworkError, ProtocolError, TimeoutException

from caveat.adapters.web.exchange import Answer
from caveat.adapters.web.manners import HostBusy
from caveat.adapters.web.refusals import (
    Disallowed,
    Paywalled,
    Refusal,
    Unreadable,
    Unresolvable,
    Unsettled,
)
from caveat.adapters.web.retry_after import seconds_of
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.failures import PortFailure

LONGEST_WAIT_S = 120.0
"""Seconds that a task waits for one host at most. Whoever asks for more is left alone for as long
as it asked, but the run goes on without that page."""

_Named = tuple[FailureType, FailureCategory, str]
"""What happened, who can do something about it, and how the sentence goes on."""

_TIMEOUT = (FailureType.TIMEOUT, FailureCategory.TRANSIENT)
_BUSY = (FailureType.RATE_LIMITED, FailureCategory.TRANSIENT)
_DOWN = (FailureType.UNAVAILABLE, FailureCategory.TRANSIENT)
_CLOSED = (FailureType.AUTH_ERROR, FailureCategory.PERMISSION)
_ABSENT = (FailureType.NOT_FOUND, FailureCategory.BUSINESS)
_WITHHELD = (FailureType.PERMANENT, FailureCategory.BUSINESS)
_UNFIT = (FailureType.PERMANENT, FailureCategory.VALIDATION)

_STATUSES: dict[int, _Named] = {
    401: (*_CLOSED, "is open to those who log in only"),
    402: (*_CLOSED, "is open to those who pay only"),
    403: (*_CLOSED, "may not be read by this program"),
    404: (*_ABSENT, "is not there"),
    408: (*_TIMEOUT, "waited too long for the request"),
    410: (*_ABSENT, "is not there any more"),
    425: (*_DOWN, "wants to be asked later"),
    429: (*_BUSY, "wants fewer requests"),
    451: (*_WITHHELD, "may not be shown for legal reasons"),
    504: (*_TIMEOUT, "was too slow for its gateway"),
}
"""Where the code says more than its class (RFC 9110, section 15; 429: RFC 6585; 451: RFC 7725)."""
_CLASSES: dict[int, _Named] = {
    2: (*_WITHHELD, "holds nothing"),
    3: (*_WITHHELD, "leads nowhere"),
    4: (*_UNFIT, "does not answer such requests"),
    5: (*_DOWN, "is out of order"),
}
_UNCLASSED: _Named = (*_UNFIT, "has a status that HTTP does not know")

_ERRORS: tuple[tuple[type[Exception], _Named], ...] = (
    (Disallowed, (*_WITHHELD, "")),
    (Unreadable, (*_WITHHELD, "")),
    (Paywalled, (*_CLOSED, "")),
    (Refusal, (*_UNFIT, "")),
    (Unresolvable, (*_ABSENT, "has a host name that does not exist")),
    (Unsettled, (*_DOWN, "belongs to a site whose robots.txt is out of order")),
    (HostBusy, (*_BUSY, "has to wait: its host gets or wants no more requests now")),
    (TimeoutException, (*_TIMEOUT, "did not come in time")),
    (TimeoutError, (*_TIMEOUT, "did not come in time")),
    (socket.gaierror, (*_DOWN, "has a host name that cannot be resolved now")),
    (ssl.SSLEOFError, (*_DOWN, "has a host that drops connections")),
    (ssl.SSLCertVerificationError, (*_WITHHELD, "has a host whose certificate is not trusted")),
    (ssl.SSLError, (*_WITHHELD, "has a host that does not speak TLS as it should")),
    (ConnectionRefusedError, (*_DOWN, "has a host that refuses connections")),
    (NetworkError, (*_DOWN, "has a host that cannot be reached")),
    (ProtocolError, (*_DOWN, "has a host that breaks off its answers")),
    (OSError, (*_DOWN, "has a host that cannot be reached")),
)
"""The first that fits counts: classes stand before those that they derive from."""

FAULTS = (
    Refusal, Unresolvable, Unsettled, HostBusy, TimeoutException, NetworkError, ProtocolError,
    OSError,
)  # fmt: skip
"""How a fetch ends without an answer; timeouts of asyncio and TLS errors are OSErrors."""

Fault = (
    Refusal
    | Unresolvable
    | Unsettled
    | HostBusy
    | TimeoutException
    | NetworkError
    | ProtocolError
    | OSError
)


def unreadable(ended: Answer | Fault, *, url: str, host: str) -> PortFailure:
    """Name what stopped a fetch: an answer without a page, or an error.

    Args:
        ended: how it ended.
        url: the page as it was asked for.
        host: who was asked last; the provider of failures that are the host's own, so that one
            host's trouble is not taken for everybody's.
    """
    if isinstance(ended, Answer):
        named = _STATUSES.get(ended.status) or _CLASSES.get(ended.status // 100) or _UNCLASSED
        wait_s = seconds_of(ended.header("retry-after"))
        reason = f"answered {ended.status}: it {named[2]}"
    else:
        named = _named(ended)
        wait_s = ended.wait_s if isinstance(ended, HostBusy) else None
        reason = named[2] or str(ended)
    kind, category, _ = named
    transient = category is FailureCategory.TRANSIENT
    # A page that says itself that it is for sale says nothing of its host's other pages.
    is_refusal = category is FailureCategory.PERMISSION and isinstance(ended, Answer)
    return PortFailure(
        Failure(
            category=category,
            failure_type=kind,
            message=f"The page at {host or url[:100]} {reason}.",
            retry_recommended=transient,
            retry_after_s=min(wait_s, LONGEST_WAIT_S) if transient and wait_s is not None else None,
            resource=url[:500],
            provider=host if transient or is_refusal else None,
        )
    )


def unforeseen(error: Exception, *, url: str, host: str) -> PortFailure:
    """Name an error that nobody foresaw as trouble with the host whose page it came from."""
    # The error's own text may hold text of the page, so only its class travels.
    return PortFailure(
        Failure(
            category=FailureCategory.UNKNOWN,
            failure_type=FailureType.PERMANENT,
            message=f"The page at {host or url[:100]} stopped its reader in a way that nobody "
            f"foresaw ({type(error).__name__}); the worker's log has it.",
            resource=url[:500],
            provider=host or None,
        )
    )


def _named(error: Fault) -> _Named:
    """Name an error by itself or by what caused it: httpcore2 hides TLS errors in its own."""
    for each in _with_causes(error):
        for kind, named in _ERRORS[:_GENERAL]:
            if isinstance(each, kind):
                return named
    return next(named for kind, named in _ERRORS if isinstance(error, kind))


def _with_causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__


_GENERAL = next(place for place, (kind, _) in enumerate(_ERRORS) if kind is NetworkError)
"""From here on the names are too general to be looked for among causes."""

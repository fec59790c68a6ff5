"""What goes wrong with a search engine, in the domain's words."""

import socket
import ssl
from collections.abc import Iterator, Mapping

from httpcore2 import NetworkError, ProtocolError, TimeoutException

from caveat.adapters.web.exchange import Answer
from caveat.adapters.web.manners import HostBusy
from caveat.adapters.web.refusals import Refusal, Unresolvable
from caveat.adapters.web.retry_after import seconds_of
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.failures import PortFailure
from caveat.rules.elsewhere import corrected

LONGEST_WAIT_S = 600.0
"""Seconds that a search waits for an engine at most. Without sources there is no report, so this is
longer than for a page, but a run does not wait for tomorrow's quota."""

Named = tuple[FailureType, FailureCategory, str]
"""What happened, who can do something about it, and how the sentence goes on."""

TIMEOUT = (FailureType.TIMEOUT, FailureCategory.TRANSIENT)
BUSY = (FailureType.RATE_LIMITED, FailureCategory.TRANSIENT)
DOWN = (FailureType.UNAVAILABLE, FailureCategory.TRANSIENT)
KEY = (FailureType.AUTH_ERROR, FailureCategory.PERMISSION)
ABSENT = (FailureType.NOT_FOUND, FailureCategory.BUSINESS)
WITHHELD = (FailureType.PERMANENT, FailureCategory.BUSINESS)
UNFIT = (FailureType.PERMANENT, FailureCategory.VALIDATION)

MISUNDERSTOOD: Named = (*UNFIT, "does not understand the query")
TOO_LONG: Named = (*UNFIT, "finds the query too long")
"""What other words may help against, and nothing else."""

NO_KEY: Named = (*KEY, "has no key here")


class SaidError(Exception):
    """An engine says by itself, in an answer of HTTP 200, what is wrong.

    Args:
        code: the engine's word for it.
        retry_after: its header `Retry-After`, empty where there is none.
    """

    def __init__(self, code: str, retry_after: str = "") -> None:
        super().__init__(code)
        self.retry_after = retry_after


MALFORMED: Named = (*DOWN, "sends answers that cannot be understood")
"""A proxy's error page rather than a change of format is what this is most often."""

_STATUSES: dict[int, Named] = {
    400: MISUNDERSTOOD,
    401: (*KEY, "does not accept the key"),
    402: (*WITHHELD, "wants to be paid first"),
    403: (*KEY, "refuses to answer"),
    404: (*ABSENT, "is not at its address"),
    408: (*TIMEOUT, "waited too long for the query"),
    414: TOO_LONG,
    422: MISUNDERSTOOD,
    429: (*BUSY, "wants fewer queries"),
    504: (*TIMEOUT, "was too slow for its gateway"),
}
"""What everybody means by these (RFC 9110, section 15; 429: RFC 6585)."""
_CLASSES: dict[int, Named] = {
    2: MALFORMED,
    3: (*UNFIT, "is at another address: it redirects"),
    4: (*UNFIT, "does not accept the query"),
    5: (*DOWN, "is out of order"),
}

_ERRORS: tuple[tuple[type[Exception], Named], ...] = (
    (HostBusy, (*BUSY, "has a long line of queries before this one")),
    (Unresolvable, (*ABSENT, "has a host name that does not exist")),
    (Refusal, (*UNFIT, "cannot be asked like that")),
    (TimeoutException, (*TIMEOUT, "did not answer in time")),
    (TimeoutError, (*TIMEOUT, "did not answer in time")),
    (socket.gaierror, (*DOWN, "has a host name that cannot be resolved now")),
    (ssl.SSLEOFError, (*DOWN, "drops connections")),
    (ssl.SSLCertVerificationError, (*WITHHELD, "has a certificate that is not trusted")),
    (ssl.SSLError, (*WITHHELD, "does not speak TLS as it should")),
    (ConnectionRefusedError, (*DOWN, "refuses connections")),
    (NetworkError, (*DOWN, "cannot be reached")),
    (ProtocolError, (*DOWN, "breaks off its answers")),
    (OSError, (*DOWN, "cannot be reached")),
)
"""The first that fits counts: classes stand before those that they derive from."""

FAULTS = (
    HostBusy, Refusal, Unresolvable, TimeoutException, NetworkError, ProtocolError, OSError,
)  # fmt: skip
"""How a question ends without an answer; timeouts of asyncio and TLS errors are OSErrors."""

_NO_STATUSES: Mapping[int, Named] = {}
_NO_CODES: Mapping[str, Named] = {}

Fault = (
    SaidError
    | HostBusy
    | Refusal
    | Unresolvable
    | TimeoutException
    | NetworkError
    | ProtocolError
    | OSError
)


def failed(
    engine: str,
    ended: Answer | Fault | Named,
    statuses: Mapping[int, Named] = _NO_STATUSES,
    codes: Mapping[str, Named] = _NO_CODES,
    query: str = "",
) -> PortFailure:
    """Name what stopped a search.

    Args:
        engine: whose failure it is.
        ended: an answer that is no success, what the engine said, an error, or its name itself.
        statuses: what this engine means by statuses of HTTP, where that is not the usual.
        codes: what it means by its own words.
        query: what it was asked, as it was typed; empty where it was given other words than those.
    """
    named = _named(ended, statuses, codes)
    kind, category, phrase = named
    transient = category is FailureCategory.TRANSIENT
    wait_s = _wait_s(ended)
    answered = f"answered {ended.status}: it " if isinstance(ended, Answer) else ""
    return PortFailure(
        Failure(
            category=category,
            failure_type=kind,
            message=f"The search engine {engine} {answered}{phrase}.",
            retry_recommended=transient,
            retry_after_s=min(wait_s, LONGEST_WAIT_S) if transient and wait_s is not None else None,
            alternatives=corrected(query) if named in {MISUNDERSTOOD, TOO_LONG} else (),
            resource=engine,
            provider=engine,
        )
    )


def _named(
    ended: Answer | Fault | Named, statuses: Mapping[int, Named], codes: Mapping[str, Named]
) -> Named:
    if isinstance(ended, tuple):
        return ended
    if isinstance(ended, Answer):
        code = ended.status
        return statuses.get(code) or _STATUSES.get(code) or _CLASSES.get(code // 100, MALFORMED)
    if isinstance(ended, SaidError):
        return codes.get(str(ended), MALFORMED)
    return _by_class(ended)


def _by_class(error: Fault) -> Named:
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


def _wait_s(ended: Answer | Fault | Named) -> float | None:
    match ended:
        case Answer():
            return seconds_of(ended.header("retry-after"))
        case SaidError():
            return seconds_of(ended.retry_after)
        case HostBusy():
            return ended.wait_s
    return None


_GENERAL = next(place for place, (kind, _) in enumerate(_ERRORS) if kind is NetworkError)
"""From here on the names are too general to be looked for among causes."""

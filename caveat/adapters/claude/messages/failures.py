"""The SDK's exceptions, by name, in the domain's words: the one place that knows them."""

import json
import math
import sys
from collections.abc import Mapping

import anthropic
import httpx2

from caveat.adapters.claude.messages import problems
from caveat.adapters.claude.messages.problems import ProblemKind, Purpose
from caveat.adapters.http.failures import parse_retry_after
from caveat.contracts.envelope import Usage
from caveat.failures import PortFailure

_BROKEN_OFF = (
    anthropic.AnthropicError,
    httpx2.HTTPError,
    httpx2.StreamError,
    json.JSONDecodeError,
    UnicodeDecodeError,
    TimeoutError,
)
"""What stops a stream while it is read, where the SDK no longer wraps it: the transport and the
JSON decoder speak for themselves."""

SENSELESS = (
    AttributeError,
    AssertionError,
    IndexError,
    KeyError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What the SDK's assembly of a stream raises when events do not fit together; it checks none."""

_LONGEST_S = 3_600.0
"""An hour. A run waits minutes for a provider; who asks for more says that it is closed."""


def list_stream_errors() -> tuple[type[Exception], ...]:
    """Say what stops a stream, what the packages of the clouds raise included."""
    return (*_BROKEN_OFF, *(type_ for type_, _ in _list_vendor_errors()))


def _list_vendor_errors() -> list[tuple[type[Exception], ProblemKind]]:
    loaded = ((sys.modules.get(module), name, kind) for module, name, kind in _OF_VENDORS)
    return [(getattr(module, name), kind) for module, name, kind in loaded if module is not None]


def list_call_errors() -> tuple[type[Exception], ...]:
    """Say what a call raises; a missing key is a TypeError, and in clouds a RuntimeError."""
    return (*list_stream_errors(), TypeError, RuntimeError)


def list_ignorable_errors() -> tuple[type[Exception], ...]:
    """Say what a question beside a call may raise, without whose answer the call goes on."""
    return (*list_call_errors(), *SENSELESS, PortFailure)


_STATUSES: dict[int, ProblemKind] = {
    **dict.fromkeys((400, 412, 422, 431, 501), problems.INVALID_REQUEST),
    **dict.fromkeys((401, 403), problems.REFUSED_ENTRY),
    402: problems.SPENT,
    404: problems.NO_MODEL,
    **dict.fromkeys((408, 504), problems.TOOK_TOO_LONG),
    409: problems.OUT_OF_ORDER,
    413: problems.TOO_LARGE,
    429: problems.TOO_MANY,
    499: problems.UNREACHABLE,
    529: problems.OVERLOADED,
}
"""What is not listed is out of order from 500 on, and else unforeseen."""

_TYPES: dict[str, ProblemKind] = {
    "invalid_request_error": problems.INVALID_REQUEST,
    "authentication_error": problems.REFUSED_ENTRY,
    "permission_error": problems.REFUSED_ENTRY,
    "not_found_error": problems.NO_MODEL,
    "request_too_large": problems.TOO_LARGE,
    "rate_limit_error": problems.TOO_MANY,
    "timeout_error": problems.TOOK_TOO_LONG,
    "api_error": problems.OUT_OF_ORDER,
    "conflict_error": problems.OUT_OF_ORDER,
    "overloaded_error": problems.OVERLOADED,
}
"""An error inside a stream comes with status 200, so its type is all that it says."""

_OF_VENDORS = (
    ("botocore.eventstream", "ParserError", problems.NOT_THE_API),
    ("botocore.exceptions", "BotoCoreError", problems.NO_KEY),
    ("botocore.exceptions", "ClientError", problems.NO_KEY),
    ("google.auth.exceptions", "TransportError", problems.UNREACHABLE),
    ("google.auth.exceptions", "GoogleAuthError", problems.NO_KEY),
    ("azure.core.exceptions", "AzureError", problems.NO_KEY),
)
"""What packages of the clouds raise where they find no credentials; they are extras, and loaded
by the SDK's clients alone."""

_SPENT = (
    "billing_disabled", "billing_error", "contract_spend_limit_reached",
    "enforced_spend_limit_reached", "linked_organization_billing_unavailable",
    "linked_organization_spend_limit_reached", "organization_on_hold",
)  # fmt: skip
_CODES: dict[str, ProblemKind] = {
    **dict.fromkeys(_SPENT, problems.SPENT),
    "insufficient_quota": problems.QUOTA,
    "internalserverexception": problems.OUT_OF_ORDER,
    "modelerrorexception": problems.OUT_OF_ORDER,
    "modelstreamerrorexception": problems.OUT_OF_ORDER,
    "modeltimeoutexception": problems.TOOK_TOO_LONG,
    "servicequotaexceededexception": problems.QUOTA,
    "serviceunavailableexception": problems.OUT_OF_ORDER,
    "throttlingexception": problems.TOO_MANY,
    "validationexception": problems.INVALID_REQUEST,
}
"""Codes that say something else than their status, and in a stream of a cloud everything."""

_OTHERS: tuple[tuple[type[Exception], ProblemKind], ...] = (
    (anthropic.APIResponseValidationError, problems.WRONG_SHAPE),
    (anthropic.APITimeoutError, problems.TOOK_TOO_LONG),
    (anthropic.APIConnectionError, problems.UNREACHABLE),
    (anthropic.CredentialsError, problems.NO_KEY),
    (httpx2.TimeoutException, problems.TOOK_TOO_LONG),
    (httpx2.HTTPError, problems.UNREACHABLE),
    (httpx2.StreamError, problems.UNREACHABLE),
    (json.JSONDecodeError, problems.NOT_THE_API),
    (UnicodeDecodeError, problems.NOT_THE_API),
    (TimeoutError, problems.TOOK_TOO_LONG),
    (TypeError, problems.NO_KEY),
    (RuntimeError, problems.NO_KEY),
)
"""As above: the first that fits counts."""


def translate_error(error: Exception, purpose: Purpose, usage: Usage | None = None) -> PortFailure:
    """Name what a call raised; the error's own words, request and headers stay behind."""
    if not isinstance(error, anthropic.APIStatusError):
        known = (*_list_vendor_errors(), *_OTHERS)
        kind = next((kind for type_, kind in known if isinstance(error, type_)), None)
        return purpose.build_failure(kind or problems.UNFORESEEN, usage=usage)
    kind, headers = _classify_error(error), error.response.headers
    # The server's word on retries outweighs its status, as for the SDK's own retries.
    told = headers.get("x-should-retry", "").strip().lower()
    should_retry = {"true": True, "false": False}.get(told, kind.is_transient)
    if kind is not problems.SPENT and should_retry != kind.is_transient:
        kind = problems.MAY_WORK_LATER if should_retry else problems.DECLINED_FOR_GOOD
    return purpose.build_failure(kind, retry_after_s=retry_after_s(headers), usage=usage)


def _classify_error(error: anthropic.APIStatusError) -> ProblemKind:
    by_code = next((_CODES[code] for code in _list_error_codes(error) if code in _CODES), None)
    other = problems.OUT_OF_ORDER if error.status_code >= 500 else None
    by_status = _STATUSES.get(error.status_code, other)
    return by_code or by_status or _TYPES.get(error.type or "", problems.UNFORESEEN)


def _list_error_codes(error: anthropic.APIStatusError) -> list[str]:
    """Gather what a server calls a failure, the most exact first, in small letters."""
    header = error.response.headers.get("x-amzn-errortype", "") if error.status_code >= 400 else ""
    body = error.body[0] if isinstance(error.body, list) and error.body else error.body
    inner = body.get("error") if isinstance(body, Mapping) else None
    told = inner if isinstance(inner, Mapping) else {}
    details = told.get("details")
    listed = details if isinstance(details, list) else []
    reasons = [detail.get("reason") for detail in listed if isinstance(detail, Mapping)]
    codes = [error.error_code, header.partition(":")[0].rpartition("#")[2], *reasons]
    codes += [told.get("code"), told.get("status"), told.get("type")]
    return [code.lower() for code in codes if isinstance(code, str)]


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Read how long to wait, in seconds, at most an hour; None where nothing is said."""
    # `retry-after-ms` is Anthropic's own and more precise; `Retry-After` is a number of seconds or
    # a date (RFC 9110, section 10.2.3). What is neither says nothing.
    try:
        wait: float | None = float(headers.get("retry-after-ms", "nan")) / 1_000
    except ValueError:
        wait = None
    if wait is None or not math.isfinite(wait):
        wait = parse_retry_after(headers.get("retry-after", ""))
    return None if wait is None else min(max(wait, 0.0), _LONGEST_S)

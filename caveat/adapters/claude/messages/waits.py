"""How long a server asks to wait, and whether it wants to be asked again."""

import math
from collections.abc import Mapping

from caveat.adapters.http.retry_after import seconds_of

_LONGEST_S = 3_600.0
"""An hour. A run waits minutes for a provider; who asks for more says that it is closed."""


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Read how long to wait, in seconds, at most an hour; None where nothing is said.

    `retry-after-ms` is Anthropic's own and more precise; `Retry-After` is a number of seconds or a
    date (RFC 9110, section 10.2.3). What is neither says nothing.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return _within(milliseconds / 1_000)
    seconds = seconds_of(headers.get("retry-after", ""))
    return None if seconds is None else _within(seconds)


def should_retry(headers: Mapping[str, str]) -> bool | None:
    """Read whether to ask again, where the server says so whatever its status."""
    return {"true": True, "false": False}.get(headers.get("x-should-retry", "").strip().lower())


def _number(written: str | None) -> float | None:
    try:
        number = float(written) if written is not None else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _within(seconds: float) -> float:
    return min(max(seconds, 0.0), _LONGEST_S)

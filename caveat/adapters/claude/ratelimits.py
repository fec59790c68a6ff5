"""What a server says of its rate limits in the headers of every answer."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import StrEnum
from math import isfinite


class Measure(StrEnum):
    """What is limited, as the names of the headers say it."""

    REQUESTS = "requests"
    INPUT_TOKENS = "input-tokens"
    OUTPUT_TOKENS = "output-tokens"


@dataclass(frozen=True)
class Told:
    """One limit as an answer tells it.

    Attributes:
        limit: requests or tokens that are allowed in a period.
        remaining: how many of them are left.
        reset: when all of them are allowed again, on the server's clock.
        lasts_s: seconds from the answer until then.
    """

    limit: float
    remaining: float
    reset: dt.datetime
    lasts_s: float


def told(headers: Mapping[str, str], measure: Measure, received: dt.datetime) -> Told | None:
    """Read `anthropic-ratelimit-<measure>-*`; None where one of the three is missing or no value.

    Args:
        headers: of the answer, whatever its status.
        measure: which limit.
        received: when it came, on this machine's clock; counts only where the server does not say
            what time it is, because clocks differ.
    """
    name = f"anthropic-ratelimit-{measure}"
    limit, remaining = (_amount(headers.get(f"{name}-{each}")) for each in ("limit", "remaining"))
    reset = _moment(headers.get(f"{name}-reset"))
    if limit is None or remaining is None or reset is None:
        return None
    lasts_s = (reset - (_date(headers.get("date")) or received)).total_seconds()
    # A time in whole seconds is cut off, so that the limit ends up to a second later.
    rounding = 0.0 if reset.microsecond else 1.0
    return Told(limit, remaining, reset, max(0.0, lasts_s + rounding))


def _amount(written: str | None) -> float | None:
    try:
        amount = float(written or "")
    except ValueError:
        return None
    return amount if isfinite(amount) and amount >= 0 else None


def _moment(written: str | None) -> dt.datetime | None:
    """Read an RFC 3339 time."""
    try:
        moment = dt.datetime.fromisoformat(written or "")
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def _date(written: str | None) -> dt.datetime | None:
    """Read an HTTP date."""
    try:
        date = parsedate_to_datetime(written or "")
    except ValueError:
        return None
    return date if date.tzinfo else None

"""The header `Retry-After` (RFC 9110, section 10.2.3)."""

import datetime as dt
import re
from email.utils import parsedate_to_datetime

_SECONDS = re.compile(r"[0-9]+(?:\.[0-9]*)?")
"""The RFC knows whole seconds alone; APIs that send 1.5 mean nothing else by it, and who comes
back at once instead is refused again."""


def seconds_of(retry_after: str) -> float | None:
    """Return how long a server asks to be left alone, in seconds; callers bound it.

    Args:
        retry_after: a number of seconds, or a date. What is neither says nothing.
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

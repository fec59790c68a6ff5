"""The header `Retry-After` (RFC 9110, section 10.2.3)."""

import datetime as dt
import re
from email.utils import parsedate_to_datetime


def seconds_of(retry_after: str) -> float | None:
    """Return how long a server asks to be left alone, in seconds.

    Args:
        retry_after: a number of seconds, or a date. What is neither says nothing.
    """
    text = retry_after.strip()
    if re.fullmatch(r"[0-9]{1,15}", text):
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, OverflowError):  # a year of a million digits is a date to the parser
        return None
    # The obsolete form that C's asctime writes names no zone; it means UTC as well.
    aware = date if date.tzinfo else date.replace(tzinfo=dt.UTC)
    return max((aware - dt.datetime.now(dt.UTC)).total_seconds(), 0.0)

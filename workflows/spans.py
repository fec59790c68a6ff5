"""Spans of time in words."""

from datetime import timedelta

UNITS = (("days", 86_400), ("h", 3_600), ("min", 60), ("s", 1))


def in_words(span: timedelta) -> str:
    """Write a span to the second, as in `5 h 30 min`; at least a second."""
    left = max(1, int(span.total_seconds()))
    parts = []
    for unit, seconds in UNITS:
        count, left = divmod(left, seconds)
        if count:
            parts.append(f"{count} {unit if count > 1 or unit != 'days' else 'day'}")
    return " ".join(parts)

"""Lines: texts on one line, shortened and joined."""

from collections.abc import Sequence


def collapse_spaces(text: str) -> str:
    """Write a text on one line, each white space as one space: as passages have it."""
    return " ".join(text.split())


def shorten(text: str, limit: int) -> str:
    """Put a text on one line and cut it between words to at most `limit` characters."""
    line = collapse_spaces(text)
    if len(line) <= limit:
        return line
    cut = line[:limit].rsplit(" ", 1)[0]
    return cut[: limit - 1].rstrip(" ,;:–-") + "…"


def join_names(names: Sequence[str]) -> str:
    """Write names as `one`, `one and two` or `one, two and three`."""
    *firsts, last = names
    return f"{', '.join(firsts)} and {last}" if firsts else last

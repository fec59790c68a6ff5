"""Durations as people type them."""

import datetime as dt
import re

from clients.problems import BadInput

_SHAPE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([smhSMH])")
_UNIT_S = {"s": 1, "m": 60, "h": 3600}

_LONGEST_S = 30 * 24 * 3600
"""Thirty days: whoever waits longer has forgotten the run, or mistaken a unit."""


def duration_of(text: str, option: str) -> dt.timedelta:
    """Read a duration such as `90s`, `10m` or `6h`.

    Args:
        text: what was typed.
        option: where it was typed, for the sentence that refuses it.

    Raises:
        BadInput: it is not a duration, shorter than a second or longer than thirty days.
    """
    found = _SHAPE.fullmatch(text.strip())
    if found is None:
        raise BadInput(
            f"“{text}” is not a duration for {option}: write a number and s, m or h, for example "
            "90s, 10m or 6h."
        )
    seconds = float(found[1]) * _UNIT_S[found[2].lower()]
    if not 1 <= seconds <= _LONGEST_S:
        raise BadInput(f"{option} takes from 1s to 720h, and “{text}” is not in between.")
    return dt.timedelta(seconds=seconds)

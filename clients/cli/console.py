"""Where words go: results to standard output, everything on the way to standard error."""

import datetime as dt
import json
import os
import re
import sys
from functools import lru_cache
from typing import Any, TextIO, cast

from rich.console import Console
from rich.text import Text

from caveat.rendering.visible import is_control, sanitize_line

_UNBOUNDED = 1_000
"""Columns where no terminal limits the width: what reads a pipe wants whole lines."""

_PLAIN: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}

_UNCOMMON = re.compile(r"[^\n -~]")
"""What JSON may hold unescaped and is neither a line's end nor ASCII to be seen."""


_MOMENT = re.compile(r"\d+ [A-Z][a-z]+ \d{4}, \d\d:\d\d UTC")


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Go on in silence: the reader has enough, and the work is not done."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())


def get_stdout() -> Console:
    """Return the console for results, always the same one of a stream."""
    return _create_console(_find_own_stream(sys.stdout), stderr=False)


def get_stderr() -> Console:
    """Return the console for what happens on the way; two would draw into each other."""
    return _create_console(_find_own_stream(sys.stderr), stderr=True)


def _find_own_stream(stream: TextIO) -> TextIO:
    """Find the stream behind what Rich puts in its place while it draws."""
    return cast("TextIO", getattr(stream, "rich_proxied_file", stream))


def create_log_console() -> Console:
    """Return the console whose lines go to the log, of whatever kind that is."""
    from caveat.workers.telemetry import LogStream  # noqa: PLC0415  # rarely wanted, and Temporal's

    return Console(file=cast("TextIO", LogStream()), width=_UNBOUNDED, **_PLAIN)


def is_seen(console: Console) -> bool:
    """Say whether a terminal shows it now: what else takes it may keep it and pass it on."""
    return console.file.isatty()


def is_animated(console: Console) -> bool:
    """Say whether lines can be drawn over; colours alone, forced by a variable, do not mean it."""
    return console.file.isatty() and not console.is_dumb_terminal


def say(console: Console, sentence: str, style: str = "") -> None:
    """Print foreign or own text as it is, without markup."""
    text = sanitize_line(sentence)
    if is_seen(console):
        text = _MOMENT.sub(_localise, text)
    # A pipe gets whole lines. What people copy, commands and addresses, stays one line too.
    is_copied = "`" in sentence or "://" in sentence or sentence.startswith("  ")
    console.print(Text(text, style=style), soft_wrap=is_copied or not is_seen(console))


def _localise(moment: re.Match[str]) -> str:
    """Write a moment in the time of this machine, which sentences for every face give in UTC."""
    try:
        utc = dt.datetime.strptime(moment[0], "%d %B %Y, %H:%M %Z").replace(tzinfo=dt.UTC)
        here = utc.astimezone()
    except (ValueError, OverflowError):  # what others wrote: "31 February 2024, 10:00 UTC"
        return moment[0]
    return f"{here.day} {here:%B %Y, %H:%M %Z}"


def print_json(value: Any) -> None:
    """Print one JSON value on standard output, with nothing in it that a terminal would obey."""
    # A reader who gets other than UTF-8 still gets every character, escaped.
    escape = sys.stdout.encoding.lower().replace("-", "") != "utf8"
    written = json.dumps(value, indent=2, ensure_ascii=escape)
    get_stdout().out(_UNCOMMON.sub(_escape_control, written), highlight=False)


def _escape_control(match: re.Match[str]) -> str:
    sign = match.group()
    return json.dumps(sign)[1:-1] if is_control(sign) else sign


@lru_cache(maxsize=2)
def _create_console(stream: TextIO, *, stderr: bool) -> Console:
    width = None if stream.isatty() else _UNBOUNDED
    return _Console(stderr=stderr, width=width, **_PLAIN)

"""What is typed at a terminal, without a thread, which nothing could interrupt."""

import asyncio
import codecs
import os
import re
import sys
import termios
import tty
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

_READ_BYTES = 4_096

_END, _KILL_LINE, _KILL_WORD, _ERASE = "\x04", "\x15", "\x17", "\x7f\b"
_SEQUENCE = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|O.|.)?", re.DOTALL)
"""An arrow or a function key: a short line is edited without them."""


@dataclass
class Line:
    """A line while it is typed."""

    text: str = ""
    is_complete: bool = False  # whether Enter was pressed
    is_ended: bool = False  # whether nothing more comes
    rest: str = ""  # what was typed behind Enter, before anybody asked for it
    _decoder: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")(errors="replace")
    )

    def take(self, typed: bytes) -> None:
        """Take what was typed up to Enter or the end of input."""
        if not typed:
            self.is_ended = True
        self.press(self._decoder.decode(typed))

    def press(self, keys: str) -> None:
        """Take keys up to Enter or the end of input; the others are left for the next line."""
        waiting = _SEQUENCE.sub("", keys)
        while waiting and not (self.is_complete or self.is_ended):
            key, waiting = waiting[0], waiting[1:]
            self._press(key)
        self.rest = waiting

    def _press(self, key: str) -> None:
        if key in "\r\n":
            self.is_complete = True
        elif key == _END:
            self.is_ended = not self.text
        elif key in _ERASE:
            self.text = self.text[:-1]
        elif key == _KILL_LINE:
            self.text = ""
        elif key == _KILL_WORD:
            self.text = self.text.rstrip().rpartition(" ")[0]
        elif key.isprintable():
            self.text += key


async def read_keys(line: Line) -> AsyncIterator[None]:
    """Fill a line key by key, unseen: whoever draws shows it after each."""
    descriptor = sys.stdin.fileno()
    with _enter_cbreak_mode(descriptor):
        while not (line.is_complete or line.is_ended):
            await _is_ready(descriptor)
            line.take(os.read(descriptor, _READ_BYTES))
            yield


async def read_line() -> str:
    """Read a line that the terminal itself shows; empty at the end of input."""
    await _is_ready(sys.stdin.fileno())
    return sys.stdin.readline()


@contextmanager
def _enter_cbreak_mode(descriptor: int) -> Iterator[None]:
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor, termios.TCSADRAIN)  # Ctrl-C stays a signal
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


async def _is_ready(descriptor: int) -> None:
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)

"""A terminal with somebody at it: a command in a pseudo-terminal, and what its screen shows."""

import fcntl
import io
import os
import pty
import re
import select
import struct
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.cells import cell_len

_SIGN = re.compile(
    r"\x1b\[(?P<numbers>[0-9;?]*)(?P<does>[A-Za-z])|\x1b\].*?(?:\x07|\x1b\\)|(.)", re.DOTALL
)


class Screen:
    """What a terminal of so many columns and rows shows, with the lines that scrolled away.

    Knows what Rich sends: text, line ends, erasing a line, moving up, styles, hiding the cursor.
    """

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.scrolled: list[str] = []
        self._lines = [""] * rows
        self._row = self._column = 0

    @property
    def text(self) -> str:
        """All lines, those that scrolled away first."""
        return "\n".join(line.rstrip() for line in (*self.scrolled, *self._lines)).rstrip()

    def write(self, said: str) -> None:
        for match in _SIGN.finditer(said):
            if match["does"]:
                self._obey(match["does"], match["numbers"])
            elif match[3]:
                self._put(match[3])

    def _obey(self, does: str, numbers: str) -> None:
        if does == "A":
            self._row = max(0, self._row - int(numbers or 1))
        elif does == "K":
            self._lines[self._row] = ""
        elif does not in "mhl":
            raise ValueError(f"the screen does not know {does}")

    def _put(self, sign: str) -> None:
        if sign == "\r":
            self._column = 0
        elif sign == "\n":
            self._next_row()
        elif sign >= " ":
            if self._column + cell_len(sign) > self.columns:
                self._column = 0
                self._next_row()
            line = self._lines[self._row].ljust(self._column)
            self._lines[self._row] = line[: self._column] + sign + line[self._column + 1 :]
            self._column += cell_len(sign)

    def _next_row(self) -> None:
        if self._row == self.rows - 1:
            self.scrolled.append(self._lines.pop(0))
            self._lines.append("")
        else:
            self._row += 1


class Terminal(io.StringIO):
    """What is written to, as a terminal is."""

    def isatty(self) -> bool:
        return True


class Sitting:
    """A command that runs in a pseudo-terminal."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        size: tuple[int, int],
        environment: Mapping[str, str],
        folder: Path,
    ) -> None:
        columns, rows = size
        self.screen = Screen(columns, rows)
        self._rest = b""
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            os.chdir(folder)
            os.execvpe(  # noqa: S606  # the command of a test
                command[0], list(command), {**environment, "TERM": "xterm-256color"}
            )
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def wait_for(self, words: str, within_s: float) -> None:
        """Look until these words stand on the screen."""
        until = time.monotonic() + within_s
        while words not in self.screen.text:
            assert time.monotonic() < until, f"no {words!r} on:\n{self.screen.text}"
            assert self._look(), f"ended without {words!r}:\n{self.screen.text}"

    def type(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())

    def end(self, within_s: float) -> int:
        """Look until the command has ended, and return its exit code."""
        until = time.monotonic() + within_s
        while self._look():
            assert time.monotonic() < until, f"still there:\n{self.screen.text}"
        _, status = os.waitpid(self._pid, 0)
        os.close(self._terminal)
        return os.waitstatus_to_exitcode(status)

    def _look(self) -> bool:
        if not select.select([self._terminal], [], [], 0.1)[0]:
            return True
        try:
            said = os.read(self._terminal, 65_536)
        except OSError:  # what Linux says when the other end is closed
            return False
        text, self._rest = _whole(self._rest + said)
        self.screen.write(text)
        return bool(said)


def _whole(said: bytes) -> tuple[str, bytes]:
    """Take what is whole of it: no half a character, and no half an escape sequence."""
    cut = len(said)
    last = said.rfind(b"\x1b")
    if last >= 0 and not re.match(
        rb"\x1b(\[[0-9;?]*[A-Za-z]|\].*?(\x07|\x1b\\))", said[last:], re.DOTALL
    ):
        cut = last
    while cut:
        try:
            return said[:cut].decode(), said[cut:]
        except UnicodeDecodeError:
            cut -= 1
    return "", said

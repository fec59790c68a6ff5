"""A terminal with somebody at it: a command in a pseudo-terminal, and what it wrote there."""

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

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\].*?(?:\x07|\x1b\\)|\r", re.DOTALL)


class Terminal(io.StringIO):
    """What is written to, as a terminal is."""

    def isatty(self) -> bool:
        return True

    @property
    def text(self) -> str:
        """What was written, without what a terminal obeys."""
        return _CONTROL.sub("", self.getvalue())


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
        self._said = b""
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            os.chdir(folder)
            os.execvpe(  # noqa: S606  # the command of a test
                command[0], list(command), {**environment, "TERM": "xterm-256color"}
            )
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    @property
    def text(self) -> str:
        return _CONTROL.sub("", self._said.decode(errors="replace"))

    def end(self, within_s: float) -> int:
        """Look until the command has ended, and return its exit code."""
        until = time.monotonic() + within_s
        while self._look():
            assert time.monotonic() < until, f"still there:\n{self.text}"
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
        self._said += said
        return bool(said)

"""What goes wrong for people who come in, each with one sentence that says what to do."""

import signal
from typing import ClassVar

from caveat.problem import ExitCode, InternalError, Problem


class BadInput(Problem):
    exit_code: ClassVar[ExitCode] = ExitCode.WRONG_INPUT


class NoSuchRun(BadInput):
    """The server does not know a run of that id."""


class NoSuchArbitration(BadInput):
    """The server does not know an arbitration of that id."""


class NoResult(Problem):
    """The run exists and does not have what was asked of it."""


class OutOfReach(Problem):
    """A server, or a worker behind it, does not answer."""

    exit_code: ClassVar[ExitCode] = ExitCode.OUT_OF_REACH


class Stopped(InternalError):
    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.exit_code = 128 + number

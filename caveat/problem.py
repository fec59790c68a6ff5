"""What a user is told in one sentence, and the exit code that goes with it."""

import signal
from enum import IntEnum
from typing import ClassVar


class ExitCode(IntEnum):
    """The exit codes of every command; a command that a signal ended adds 128 to its number."""

    DONE = 0
    FAILED = 1  # the work failed by name: no evidence, an audit that found something, no report yet
    WRONG_INPUT = 2  # what was typed, a folder, a file or a setting cannot be used
    OUT_OF_REACH = 3  # a server or a provider could not be reached


class Problem(Exception):
    """The root of everything that a user is told."""

    exit_code: ClassVar[ExitCode] = ExitCode.FAILED  # how a command ends that is stopped by it


class BadInput(Problem):
    exit_code: ClassVar[ExitCode] = ExitCode.WRONG_INPUT


class NoSuchRun(BadInput):
    """The server does not know a run of that id."""


class NoSuchArbitration(BadInput):
    """The server does not know an arbitration of that id."""


class NoResult(Problem):
    """The run exists and does not have what was asked of it."""


class OutOfReach(Problem):
    """A server, or a worker behind it, cannot be reached or used."""

    exit_code: ClassVar[ExitCode] = ExitCode.OUT_OF_REACH


class InternalError(Exception):
    """The root of what code tells code: a caller catches it, and no user sees it."""


class Stopped(InternalError):
    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.exit_code = 128 + number

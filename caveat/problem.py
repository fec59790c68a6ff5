"""What a user is told in one sentence, and the exit code that goes with it."""

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


class InternalError(Exception):
    """The root of what code tells code: a caller catches it, and no user sees it."""

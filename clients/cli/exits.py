"""How a command ends, and what its exit code means."""

import signal
from enum import IntEnum


class ExitCode(IntEnum):
    """The exit codes of every command; a command that a signal ended adds 128 to its number."""

    DONE = 0
    FAILED = 1
    """The work failed by name: no evidence, an audit that found something, no report yet."""
    WRONG_INPUT = 2
    """What was typed, a folder, a file or a setting cannot be used."""
    OUT_OF_REACH = 3
    """A server or a provider could not be reached."""


class Stopped(Exception):
    """A signal ended the work.

    Args:
        number: of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.exit_code = 128 + number

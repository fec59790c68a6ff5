"""What people are told when the Temporal server cannot be used."""

from typing import ClassVar

from caveat.problem import ExitCode, Problem


class ServerProblem(Problem):
    """The Temporal server cannot be used."""

    exit_code: ClassVar[ExitCode] = ExitCode.OUT_OF_REACH

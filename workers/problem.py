"""What people are told when the Temporal server cannot be used."""

import shutil
from typing import ClassVar

from caveat.problem import ExitCode, Problem
from caveat.workers.settings import Settings


class ServerProblem(Problem):
    exit_code: ClassVar[ExitCode] = ExitCode.OUT_OF_REACH


_NO_SPACE = 1_000_000
"""Bytes free below which a disk is called full: the server's database grows by more at once."""


def find_full_disk(settings: Settings) -> ServerProblem | None:
    # The server cannot: its log lies on the same disk.
    try:
        free = shutil.disk_usage(settings.state_dir).free
    except OSError:
        return None
    if free >= _NO_SPACE:
        return None
    return ServerProblem(
        f"The disk that {settings.state_dir} lies on is full: free some space, or set "
        "CAVEAT_STATE_DIR to a folder on another disk."
    )

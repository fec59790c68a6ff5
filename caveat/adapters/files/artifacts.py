"""The files of a report: the name of their folder, and what keeps one from being written."""

import hashlib
import os
import re
from pathlib import Path

from caveat import atomic, failures
from caveat.contracts.outcome import Artifact
from caveat.contracts.plan import Format
from caveat.failures import PortFailure

_NAME_LIMIT = 120
"""Characters of a folder name that come from a run id; file systems end at 255 bytes."""

_READABLE = 0o644  # a report that somebody asked for is for all who may read the folder


def build_folder_name(run_id: str) -> str:
    """Make a folder name of a run id; two ids never share one."""
    # Ids of this service are kept as they are. Anyone may start a workflow under any id, though, so
    # characters that could lead elsewhere are replaced, and a digest keeps changed names apart.
    safe = re.sub(r"[^A-Za-z0-9._-]", "_", run_id).lstrip(".")[:_NAME_LIMIT]
    if safe and safe == run_id:
        return safe
    return f"{safe or 'run'}-{hashlib.sha256(run_id.encode()).hexdigest()[:8]}"


def write_artifact(path: Path, chosen: Format, content: bytes) -> Artifact:
    try:
        atomic.write(path, content, _READABLE)
    except OSError as error:
        raise build_write_failure(error, path) from error
    return Artifact(
        format=chosen,
        path=str(path.absolute()),
        sha256=hashlib.sha256(content).hexdigest(),
        size=len(content),
    )


def build_write_failure(error: OSError, path: Path) -> PortFailure:
    """Name the failure that an error of the system is, where a file was to be written."""
    place = str(path.parent)
    if isinstance(error, PermissionError):
        return failures.forbidden(f"{place} may not be written to.", resource=str(path))
    if isinstance(error, FileExistsError | NotADirectoryError | IsADirectoryError):
        return failures.invalid(
            f"{place} cannot hold a report: a file is where a folder is needed, or the reverse.",
            resource=str(path),
        )
    return failures.unavailable(
        f"{place} could not be written to: {describe_os_error(error)}.", resource=str(path)
    )


def describe_os_error(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno else "the system gave no reason"

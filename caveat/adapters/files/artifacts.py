"""The files of a report: the name of their folder, and what keeps one from being written."""

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from caveat import atomic, failures
from caveat.contracts.outcome import Artifact
from caveat.contracts.plan import Format

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
    with translate_os_errors(path, "written"):
        atomic.write(path, content, _READABLE)
    return describe_artifact(str(path.absolute()), chosen, content)


def describe_artifact(path: str, chosen: Format, content: bytes) -> Artifact:
    digest = hashlib.sha256(content).hexdigest()
    return Artifact(format=chosen, path=path, sha256=digest, size=len(content))


@contextmanager
def translate_os_errors(path: Path, done: str) -> Iterator[None]:
    """Name the failure that an error of the system is, where a file was to be read or written."""
    try:
        yield
    except PermissionError as error:
        raise failures.forbidden(f"{path} may not be {done}.", resource=str(path)) from error
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        why = "a file is where a folder is needed, or the reverse"
        raise failures.invalid(f"{path} cannot be {done}: {why}.", resource=str(path)) from error
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else "the system gave no reason"
        raise failures.unavailable(
            f"{path} could not be {done}: {why}.", resource=str(path)
        ) from error

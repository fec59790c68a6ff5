"""What Caveat keeps is its user's alone: texts of documents, reports, what people ruled.

Every process that keeps something sets its umask first thing, its children inherit that, and here
the folders are closed, for what an earlier version left open in them.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from platformdirs import user_config_path

from caveat.workers.settings import Settings

_OTHERS = stat.S_IRWXG | stat.S_IRWXO  # what the group and everybody may do

MOUNTED = Path("/run/secrets")
"""Where Compose, Docker and Podman mount secrets into a container: readable for all of its users,
of which there is one."""


def is_open_to_others(file: Path) -> bool:
    """Say whether a file of secrets may be read or changed by more people than it should."""
    found = file.stat()
    allowed = 0
    if file.is_relative_to(MOUNTED):
        allowed = ~(stat.S_IWGRP | stat.S_IWOTH)
    elif found.st_uid == 0:  # Kubernetes mounts secrets so: a container reads them as the group
        allowed = stat.S_IRGRP
    return bool(found.st_mode & _OTHERS & ~allowed)


def close_folders(settings: Settings) -> None:
    """Close what is kept to others; a state folder that holds other things too stays as it is."""
    for path in _list_private_paths(settings):
        # What is missing, or somebody else's, is not ours to close.
        with suppress(OSError):
            found = path.lstat()
            if found.st_uid == os.geteuid() and found.st_mode & _OTHERS:
                path.chmod(stat.S_IMODE(found.st_mode) & ~_OTHERS)


def _list_private_paths(settings: Settings) -> Iterator[Path]:
    yield settings.server_folder
    yield settings.payloads_folder
    yield settings.snapshots_folder
    yield settings.reports_folder
    yield settings.uploads_folder
    yield settings.answers_folder
    yield settings.index_folder
    yield settings.pages_folder
    # SQLite's journals lie beside it.
    yield from settings.state_dir.glob(f"{settings.memory_database.name}*")
    with suppress(RuntimeError):  # there is no home folder
        yield user_config_path("caveat", appauthor=False)

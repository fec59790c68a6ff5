"""Where what runs keep is: in the state folder, or in the bucket that `CAVEAT_BLOBS` names.

Commands read reports from it too, so nothing of Temporal is imported.
"""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from caveat.adapters.files.blobs import FolderBlobs
from caveat.adapters.files.snapshots import KeptSnapshots
from caveat.failures import PortFailure
from caveat.ports import Blobs
from caveat.problem import OutOfReach
from caveat.workers.settings import Settings, SettingsProblem, require_package

if TYPE_CHECKING:
    from caveat.adapters.buckets import BucketBlobs


def open_blobs(settings: Settings, folder: Path) -> Blobs:
    """Open the blobs of one kind: in its folder, or in the bucket under the folder's name."""
    if settings.blobs is None:
        return FolderBlobs(folder)
    return _connect_bucket(settings.blobs, folder.name)


def open_snapshots(settings: Settings) -> KeptSnapshots:
    """Open the snapshot store, for audits outside a worker too."""
    return KeptSnapshots(open_blobs(settings, settings.snapshots_folder))


def require_blobs(settings: Settings) -> None:
    """Ask the bucket whether it can be used; a folder is made when it is needed."""
    if settings.blobs is None:
        return
    try:
        _connect_bucket(settings.blobs, settings.payloads_folder.name).require_usable()
    except PortFailure as refused:
        raise OutOfReach(
            f"CAVEAT_BLOBS cannot be used: {refused} Its bucket must exist, and the credentials of "
            "the environment must be allowed to list, read, write and delete in it."
        ) from None


@cache  # connections are kept
def _connect_bucket(url: str, kind: str) -> "BucketBlobs":
    require_package("obstore", "blobs", "CAVEAT_BLOBS")
    from caveat.adapters.buckets import open_bucket  # noqa: PLC0415  # of an extra

    try:
        return open_bucket(f"{url}/{kind}")
    except PortFailure as refused:
        raise SettingsProblem(f"CAVEAT_BLOBS cannot be used: {refused}.") from None

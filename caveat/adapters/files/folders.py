"""The names of folders that runs are kept in."""

import hashlib
import re

NAME_LIMIT = 120
"""Characters of a folder name that come from a run id; file systems end at 255 bytes."""


def folder_name(run_id: str) -> str:
    """Make a folder name of a run id; two ids never share one.

    Ids of this service are kept as they are. Anyone may start a workflow under any id, though, so
    characters that could lead elsewhere are replaced, and a digest keeps changed names apart.
    """
    safe = re.sub(r"[^A-Za-z0-9._-]", "_", run_id).lstrip(".")[:NAME_LIMIT]
    if safe and safe == run_id:
        return safe
    return f"{safe or 'run'}-{hashlib.sha256(run_id.encode()).hexdigest()[:8]}"

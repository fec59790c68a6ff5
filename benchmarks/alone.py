"""Commands and servers that meet nothing else: folders and ports that nobody else has."""

from pathlib import Path
from typing import Any

from caveat.workers.settings import Settings
from tests.fakes.free_ports import free_port


def alone(folder: Path) -> dict[str, str]:
    """Return the variables by which a command keeps everything in a folder."""
    return {
        "CAVEAT_STATE_DIR": str(folder / "state"),
        "CAVEAT_CACHE_DIR": str(folder / "cache"),
        "CAVEAT_PORT": str(free_port()),
    }


def settings(folder: Path, **more: Any) -> Settings:
    """Make settings that keep everything in a folder.

    Args:
        folder: that nobody else has.
        more: by their names.
    """
    return Settings(
        state_dir=folder / "state", cache_dir=folder / "cache", port=free_port(), **more
    )

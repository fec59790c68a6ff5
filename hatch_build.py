"""Hangs the rooms beside `caveat` in it (docs/decisions/0019-packages.md)."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOMS = ("workflows", "activities", "workers", "clients")


class Rooms(BuildHookInterface[Any]):
    """Puts the rooms into a wheel, and links to them where an installation is editable."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Give `caveat` its rooms; a file in a link's place was a link, before it was copied."""
        for room in ROOMS:
            if version != "editable":
                build_data["force_include"][str(Path(self.root, room))] = f"caveat/{room}"
                continue
            link = Path(self.root, "caveat", room)
            link.unlink(missing_ok=True)
            link.symlink_to(Path("..", room))

"""Hangs the rooms beside `caveat` in it (docs/decisions/0019-packages.md); completes links."""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

ROOMS = ("workflows", "activities", "workers", "clients")
_LINK = re.compile(r"(!?\[[^\[\]]*\]\()(?![a-z]+:|#)")


class Links(MetadataHookInterface):
    """Makes the README's links absolute, and names the project's addresses, on a forge."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Without GitHub's variables there is no address, and links stay as they are."""
        readme = Path(self.root, "README.md").read_text(encoding="utf-8")
        if name := os.environ.get("GITHUB_REPOSITORY"):
            home = f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{name}"
            version = f"v{metadata['version']}"

            def complete(found: re.Match[str]) -> str:
                return f"{found[1]}{home}/{'raw' if found[1][0] == '!' else 'blob'}/{version}/"

            readme = _LINK.sub(complete, readme).replace("git clone ADDRESS", f"git clone {home}")
            metadata["urls"] = {
                "Homepage": home,
                "Documentation": f"{home}/tree/{version}/docs",
                "Changelog": f"{home}/blob/{version}/CHANGELOG.md",
                "Issues": f"{home}/issues",
            }
        metadata["readme"] = {"content-type": "text/markdown", "text": readme}


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

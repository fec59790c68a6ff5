"""Completes the links of the README where a forge builds."""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

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

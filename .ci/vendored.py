"""Adds what is vendored to a bill of materials: the page's scripts and font, of no package manager.

python .ci/vendored.py BILL.json
"""

import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

STATIC = Path(__file__).resolve().parents[1] / "clients" / "web" / "static"

_NAMED = re.compile(r"^(\S+): \S+ (\S+) \(npm package (\S+), (\S+)\), (\S+)$", re.MULTILINE)


def components() -> list[dict[str, Any]]:
    """Describe each file that `LICENSES.txt` names, as CycloneDX does."""
    licences = (STATIC / "LICENSES.txt").read_text(encoding="utf-8")
    return [_component(*named.groups()) for named in _NAMED.finditer(licences)]


def _component(file: str, version: str, package: str, licence: str, address: str) -> dict[str, Any]:
    digest = hashlib.sha256((STATIC / file).read_bytes()).hexdigest()
    return {
        "type": "library",
        "bom-ref": f"vendored-{file}",
        "name": package,
        "version": version,
        "purl": f"pkg:npm/{quote(package)}@{version}",
        "licenses": [{"license": {"id": licence}}],
        "hashes": [{"alg": "SHA-256", "content": digest}],
        "externalReferences": [{"type": "website", "url": address}],
    }


def main(bill: Path) -> None:
    """Write the bill anew with them."""
    written = json.loads(bill.read_text(encoding="utf-8"))
    written["components"] += components()
    bill.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

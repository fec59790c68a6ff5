"""The bill of materials names the page's scripts and font, whose licences lie beside them."""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
STATIC = ROOT / "clients" / "web" / "static"


def test_every_file_that_is_not_ours_is_named_with_its_version(tmp_path: Path) -> None:
    bill = tmp_path / "bill.json"
    bill.write_text(json.dumps({"components": [{"name": "caveat"}]}), encoding="utf-8")
    subprocess.run([sys.executable, ROOT / ".ci" / "vendored.py", bill], check=True)
    ours, *vendored = json.loads(bill.read_text(encoding="utf-8"))["components"]
    assert ours == {"name": "caveat"}
    assert len(vendored) == len([*STATIC.glob("*.min.js"), *STATIC.glob("*.woff2")])
    assert len({each["bom-ref"] for each in vendored}) == len(vendored)
    assert {(each["name"], each["licenses"][0]["license"]["id"]) for each in vendored} == {
        ("htmx.org", "0BSD"),
        ("htmx-ext-sse", "0BSD"),
        ("@fontsource-variable/inter", "OFL-1.1"),
    }
    said = re.search(r'version:"([\d.]+)"', (STATIC / "htmx.min.js").read_text(encoding="utf-8"))
    assert said is not None
    (htmx,) = (each for each in vendored if each["name"] == "htmx.org")
    assert htmx["version"] == said[1]
    assert htmx["purl"] == f"pkg:npm/htmx.org@{said[1]}"

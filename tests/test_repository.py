"""The documentation, licences and what is vendored are what the code says of itself."""

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import files, metadata
from pathlib import Path
from types import ModuleType

import pytest

from caveat.adapters.documents.loaders import SUFFIXES

ROOT = Path(__file__).parents[1]


def script(name: str) -> ModuleType:
    """Load one of the programs that keep the documentation."""
    spec = importlib.util.spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


reference = script("reference")


@pytest.mark.parametrize("page", reference.PAGES)
def test_the_reference_is_what_the_code_says(page: str) -> None:
    written = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert written == reference.PAGES[page](), "`make reference` writes it anew"


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 200


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Documentation")[2]
    pages = {page.name for page in (ROOT / "docs").glob("*.md")}
    assert {name for name in pages if f"(docs/{name})" not in index} == set()


def test_the_site_has_the_groups_of_the_index() -> None:
    index = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Documentation")[2]
    named = {
        block.partition("**")[0]: re.findall(r"\(docs/([\w-]+\.md)\)", block)
        for block in index.partition("\n## ")[0].split("\n- **")[1:]
    }
    config = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))
    groups = {name: pages for each in config["project"]["nav"][1:] for name, pages in each.items()}
    shown = {name: [page for page in groups[name] if "/" not in page] for name in named}
    assert list(named) == ["Tutorial", "How-tos", "Reference", "Explanation"]
    assert shown == named


def test_every_format_that_is_read_is_documented() -> None:
    page = (ROOT / "docs" / "documents.md").read_text(encoding="utf-8")
    twins = {".htm", ".markdown"}
    assert {each for each in SUFFIXES if f"`{each}`" not in page} <= twins


FAMILY = re.compile(r"MIT|Apache|LGPL|AGPL|GPL|BSD|MPL|[Pp]ublic [Dd]omain")
"""What two spellings of a licence have in common: `Apache-2.0`, `Apache Software License`."""


def families_of(package: str) -> set[str]:
    """The licences that a package names of itself: by expression, else in words or its file."""
    told = metadata(package)
    words = (
        [told["License-Expression"]]
        if "License-Expression" in told
        else [
            told["License"] or "",
            *(each for each in told.get_all("Classifier", []) if each.startswith("License ::")),
        ]
    )
    if not any(words):
        shipped = [each for each in files(package) or [] if each.name == "LICENSE"]
        words = [each.read_text("utf-8").split("\n", 1)[0] for each in shipped]
    return {family.casefold() for family in FAMILY.findall(" ".join(words))}


DEPENDENCIES = [
    re.split(r"[\[<>=]", line, maxsplit=1)[0]
    for line in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "dependencies"
    ]
]


@pytest.mark.parametrize("package", DEPENDENCIES)
def test_a_dependency_has_a_licence_that_asks_nothing_of_others(package: str) -> None:
    assert families_of(package) & {"mit", "apache", "bsd", "mpl", "public domain"}


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
        ("@fontsource-variable/inter", "OFL-1.1"),
    }
    said = re.search(r'version:"([\d.]+)"', (STATIC / "htmx.min.js").read_text(encoding="utf-8"))
    assert said is not None
    (htmx,) = (each for each in vendored if each["name"] == "htmx.org")
    assert htmx["version"] == said[1]
    assert htmx["purl"] == f"pkg:npm/htmx.org@{said[1]}"

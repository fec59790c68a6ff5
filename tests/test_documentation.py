"""The documentation: what the code says of itself is up to date, and its English can be read."""

import importlib.util
import re
import tomllib
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


english, reference = script("english"), script("reference")


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

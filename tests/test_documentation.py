"""The documentation: what the code says of itself is up to date, and its English can be read."""

import importlib.util
import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from caveat.adapters.documents.loaders import suffixes

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


LONG = "word " * 31


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (f"A {LONG}.", "32 words"),
        (f"{'A ' + 'word ' * 17 + '. '} " * 3, "18.0 words a sentence on average"),
        ("Whoever asks is told. Nobody knows whatever they ask.", "of the kind of “whoever”"),
        (f"```text\nUsage: caveat x\n\n  A {LONG}.\n```", "32 words"),
        (f"```text\nUsage: x\n\nOptions:\n  --to X  {LONG}.\n  --by Y  Short.\n```", "31 words"),
    ],
    ids=["long", "mean", "rare", "help", "option"],
)
def test_what_is_hard_to_read_is_found(text: str, fault: str) -> None:
    assert any(fault in each for each in english.find_faults(text))


@pytest.mark.parametrize(
    "text",
    [
        f"| {LONG} |",
        f"```\n{LONG}\n```",
        f"# {LONG}",
        f"- {'word ' * 16}\n- {'word ' * 16}",
        f"The `{LONG}` is code.",
    ],
)
def test_what_is_no_sentence_is_left_alone(text: str) -> None:
    assert english.find_faults(text) == []


def test_messages_are_read_and_docstrings_are_not(tmp_path: Path) -> None:
    code = '"""It says what nobody hears."""\nX = f"{1} says it to all" + "one short word"\n'
    (tmp_path / "code.py").write_text(code, encoding="utf-8")
    assert english.read_messages(tmp_path) == "X says it to all"


def test_every_format_that_is_read_is_documented() -> None:
    page = (ROOT / "docs" / "documents.md").read_text(encoding="utf-8")
    twins = {".htm", ".markdown"}
    assert {each for each in suffixes() if f"`{each}`" not in page} <= twins

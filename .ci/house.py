"""The size of the house, now and at a base: what "Must show" of a plan is read from.

    python .ci/house.py [BASE]

Prints a table: lines of the product by room, the share of imports, commands, options, settings,
lines of tests, benchmarks and stand-ins, words of docs, and circles of imports. A circle is a group
of modules each of which imports all others, directly or through others of the group.
"""

import ast
import io
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Container, Iterator
from pathlib import Path

_PRODUCT = ("caveat", "workflows", "activities", "workers", "clients")
_ROOMS = ("caveat/contracts", "caveat/rules", "caveat/quantities", "caveat/rendering")
_BESIDE = {"tests": ("tests",), "benchmarks": ("benchmarks",), "stand-ins and fakes": (
    "standins", "tests/fakes",
)}  # fmt: skip
_ROOT = Path(__file__).parents[1]


def main(base: str | None) -> None:
    """Print the table, with a column for the base where one is named."""
    columns = {"now": measure(_ROOT)}
    if base:
        with tempfile.TemporaryDirectory() as folder:
            _unpack(base, folder)
            columns = {base: measure(Path(folder)), **columns}
    width = max(map(len, columns["now"]))
    print(f"{'':{width}}", *(f"{name:>10}" for name in columns))
    for row in columns["now"]:
        print(f"{row:{width}}", *(f"{column[row]:>10}" for column in columns.values()))


def measure(root: Path) -> dict[str, str]:
    """Say what stands in each row of a tree."""
    files = {path: path.read_text() for room in _PRODUCT for path in _list_modules(root / room)}
    lines = {path: len(text.splitlines()) for path, text in files.items()}
    trees = {path: ast.parse(text) for path, text in files.items()}
    rows = {"product, lines": f"{sum(lines.values()):,}", "product, files": f"{len(files):,}"}
    for room in (*_PRODUCT[1:], *_ROOMS, *_list_rooms(root / "caveat" / "adapters", root)):
        inside = sum(count for path, count in lines.items() if path.is_relative_to(root / room))
        rows[f"  {room}"] = f"{inside:,}"
    imports = sum(map(_count_import_lines, trees.values()))
    rows["imports, share of lines"] = f"{imports / sum(lines.values()):.1%}"
    rows["circles of imports"] = str(len(_find_circles(root, trees)))
    commands = (root / "docs" / "commands.md").read_text()
    rows["commands in --help"] = str(_count_commands(commands))
    rows["options of research"] = str(_count_options(commands))
    settings = (root / "docs" / "settings.md").read_text()
    rows["settings"] = str(len(re.findall(r"^\| `[A-Z_]+` \|", settings, re.MULTILINE)))
    for name, folders in _BESIDE.items():
        rows[f"{name}, lines"] = f"{sum(_count_lines(root / folder) for folder in folders):,}"
    docs = [*(root / "docs").glob("*.md"), root / "README.md"]
    rows["docs, words"] = f"{sum(map(_count_words, docs)):,}"
    decisions = list((root / "docs" / "decisions").glob("*.md"))
    rows["decisions, words"] = f"{sum(map(_count_words, decisions)):,}"
    return rows


def _list_rooms(folder: Path, root: Path) -> list[str]:
    rooms = [each for each in folder.iterdir() if each.is_dir() and each.name[0] not in "._"]
    return sorted(str(each.relative_to(root)) for each in rooms)


def _unpack(revision: str, folder: str) -> None:
    packed = subprocess.run(
        ["git", "archive", revision], cwd=_ROOT, check=True, capture_output=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="tar")


def _list_modules(folder: Path) -> list[Path]:
    # The rooms beside `caveat` hang in it as links.
    modules = folder.rglob("*.py")
    return [path for path in modules if not any(parent.is_symlink() for parent in path.parents)]


def _count_lines(folder: Path) -> int:
    return sum(len(path.read_text().splitlines()) for path in _list_modules(folder))


def _count_words(page: Path) -> int:
    return len(page.read_text().split())


def _count_import_lines(tree: ast.Module) -> int:
    return sum(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
    )


def _count_commands(page: str) -> int:
    """Count the commands that the first help text of docs/commands.md lists."""
    listed = page.partition("## caveat\n")[2].partition("\n## ")[0]
    return len(re.findall(r"^  [a-z][a-z-]* +[A-Z]", listed, re.MULTILINE))


def _count_options(page: str) -> int:
    section = page.partition("## caveat research\n")[2].partition("\n## ")[0]
    return len(re.findall(r"^  (?:-\w, )?--[a-z-]+", section, re.MULTILINE))


def _find_circles(root: Path, trees: dict[Path, ast.Module]) -> list[frozenset[str]]:
    modules = {_name_module(root, path): tree for path, tree in trees.items()}
    ahead = {
        name: set(_list_imports(tree, modules)) & modules.keys() for name, tree in modules.items()
    }
    for middle, beyond in ahead.items():
        for reached in ahead.values():
            if middle in reached:
                reached.update(beyond)
    circles = {frozenset(other for other in ahead[name] if name in ahead[other]) for name in ahead}
    return [circle for circle in circles if len(circle) > 1]


def _name_module(root: Path, path: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    parts = parts if parts[0] == "caveat" else ("caveat", *parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _list_imports(tree: ast.Module, modules: Container[str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom) and node.module:
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in modules else node.module for name in inside)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)

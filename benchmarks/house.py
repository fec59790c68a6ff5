"""The size of the house: lines by room, docstrings and circles of imports, now and at a base.

    python -m benchmarks.house [BASE]

A circle is a group of modules each of which imports all others, directly or through others of
the group; imports for types alone and inside functions count.
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

_PRODUCT = ("caveat", "activities", "workers", "workflows", "clients")
_ROOMS = (
    "caveat/contracts", "caveat/rules", "caveat/rendering", "caveat/quantities",
    "caveat/adapters", "caveat/adapters/claude", "caveat/adapters/extractive",
    "caveat/adapters/documents", "activities", "workers", "workflows", "clients",
)  # fmt: skip
_ROOT = Path(__file__).parents[1]
_PARTICIPLE = re.compile(r"_*[a-z]{2,}(?:ed|ing)")


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
    """What each row says of a tree."""
    files = {path: path.read_text() for room in _PRODUCT for path in _python(root / room)}
    lines = {path: len(text.splitlines()) for path, text in files.items()}
    trees = {path: ast.parse(text) for path, text in files.items()}
    total = sum(lines.values())
    docs = sum(map(_docstring_lines, trees.values()))
    rows = {"product, lines": f"{total:,}", "product, files": f"{len(files):,}"}
    for room in _ROOMS:
        inside = sum(lines[path] for path in files if path.is_relative_to(root / room))
        rows[f"  {room}"] = f"{inside:,}"
    return rows | {
        "largest file, lines": f"{max(lines.values()):,}",
        "docstrings, lines": f"{docs:,}",
        "docstrings, share": f"{docs / total:.1%}",
        "functions called by one participle": str(sum(map(_count_participles, trees.values()))),
        "circles of imports": str(len(_circles(root, trees))),
        "tests, lines": f"{_lines_below(root / 'tests'):,}",
        "benchmarks, lines": f"{_lines_below(root / 'benchmarks'):,}",
    }


def _unpack(revision: str, folder: str) -> None:
    packed = subprocess.run(
        ["git", "archive", revision], cwd=_ROOT, check=True, capture_output=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")


def _python(folder: Path) -> list[Path]:
    # The rooms beside `caveat` hang in it as links where it is installed for development.
    found = folder.rglob("*.py")
    return [path for path in found if not any(parent.is_symlink() for parent in path.parents)]


def _lines_below(folder: Path) -> int:
    return sum(len(path.read_text().splitlines()) for path in _python(folder))


def _docstring_lines(tree: ast.Module) -> int:
    defined = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return sum(
        (node.body[0].end_lineno or 0) - node.body[0].lineno + 1
        for node in ast.walk(tree)
        if isinstance(node, defined) and ast.get_docstring(node) is not None
    )


def _count_participles(tree: ast.Module) -> int:
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return sum(
        isinstance(node, functions)
        and not node.decorator_list
        and _PARTICIPLE.fullmatch(node.name) is not None
        for node in ast.walk(tree)
    )


def _circles(root: Path, trees: dict[Path, ast.Module]) -> list[frozenset[str]]:
    modules = {_name(root, path): tree for path, tree in trees.items()}
    ahead = {name: set(_imported(tree, modules)) & modules.keys() for name, tree in modules.items()}
    for middle, beyond in ahead.items():
        for reached in ahead.values():
            if middle in reached:
                reached.update(beyond)
    circles = {frozenset(other for other in ahead[name] if name in ahead[other]) for name in ahead}
    return [circle for circle in circles if len(circle) > 1]


def _name(root: Path, path: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    parts = parts if parts[0] == "caveat" else ("caveat", *parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(tree: ast.Module, modules: Container[str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom) and node.module:
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in modules else node.module for name in inside)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)

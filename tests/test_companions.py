"""Tests, benchmarks and what stands in for the world: none leans on what is not meant for it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("workflows", "activities", "workers", "clients")
PRODUCT = ("caveat", *ROOMS)
COMPANIONS = ("tests", "benchmarks")


def imported(source: str) -> Iterator[str]:
    """Name the modules that a source imports, and what may be one."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from (each.name for each in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield from (f"{module}.{each.name}" for each in names)


def is_forbidden(importer: str, name: str) -> bool:
    """Whether a folder's module may not import another."""
    root, *rest = name.split(".")
    if root in ROOMS:
        return True  # an installation has `caveat.workflows`, and maybe somebody else's `workflows`
    if importer == "tests":
        return root == "tests" and any(part.startswith("test_") for part in rest)
    if importer == "benchmarks":
        return root == "tests" and rest[:1] != ["fakes"]
    return root in COMPANIONS


@pytest.mark.parametrize("folder", [*PRODUCT, *COMPANIONS])
def test_nobody_imports_what_is_not_meant_for_them(folder: str) -> None:
    trespasses = [
        f"{file.relative_to(ROOT)}: {name}"
        for file in (ROOT / folder).rglob("*.py")
        for name in imported(file.read_text(encoding="utf-8"))
        if is_forbidden(folder, name)
    ]
    assert trespasses == []

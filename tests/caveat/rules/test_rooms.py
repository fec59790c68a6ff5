"""Who is outside a room of the rules takes what it hands out, and a room hands out no more."""

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
RULES = ROOT / "caveat" / "rules"
PACKAGES = ("caveat", "workflows", "activities", "workers", "clients", "benchmarks")
ROOMS = sorted(path.parent.name for path in RULES.glob("*/__init__.py"))


@cache
def imports() -> tuple[tuple[Path, str, str], ...]:
    """Every name that product code takes of the rules: by which module, from where, which."""
    found = []
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "caveat.rules" in text else ():
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("caveat.rules."):
                found += [(path, node.module or "", alias.name) for alias in node.names]
        whole = {
            alias.asname or alias.name: f"caveat.rules.{alias.name}"
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.ImportFrom) and node.module == "caveat.rules"
            for alias in node.names
        }
        found += [
            (path, whole[node.value.id], node.attr)
            for node in ast.walk(ast.parse(text))
            if whole and isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
            if node.value.id in whole
        ]
    return tuple(found)


@pytest.mark.parametrize("room", ROOMS)
def test_others_take_what_a_room_hands_out(room: str) -> None:
    face = f"caveat.rules.{room}"
    outside = [
        (module, name)
        for path, module, name in imports()
        if RULES / room not in path.parents and f"{module}.".startswith(f"{face}.")
    ]
    modules = {module.removeprefix(f"{face}.") for module, _ in outside if module != face}
    assert not any(module.startswith("_") for module in modules)
    tree = ast.parse((RULES / room / "__init__.py").read_text(encoding="utf-8"))
    taken = (each for each in tree.body if isinstance(each, ast.ImportFrom))
    handed = {alias.name for each in taken for alias in each.names}
    if handed:
        assert modules <= handed  # a module may be handed out whole
        assert {name for module, name in outside if module == face} | modules == handed

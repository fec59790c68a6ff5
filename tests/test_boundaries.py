"""Only named boundaries may catch everything; what is caught elsewhere is caught by its name."""

import ast
from pathlib import Path
from typing import TypeGuard

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("caveat", "workflows", "activities", "workers", "clients")

EVERYTHING = {"Exception", "BaseException"}
BOUNDARIES = {
    # Where an exception becomes an envelope, and where one becomes a sentence.
    "activities/subagent.py",
    "clients/cli/boundary.py",
    # What one host sends is trouble with that host, whatever it is, and nobody else's.
    "caveat/adapters/web/fetching.py",
    "caveat/adapters/web/library.py",
    # A document of a stranger may break any library; it ends itself and no other one.
    "caveat/adapters/documents/reader.py",
    "caveat/adapters/documents/readers.py",
    # One message, or one assignment, that cannot be dealt with must not keep the others waiting.
    "caveat/adapters/rabbitmq/messages.py",
    "clients/agents.py",
    # A package may raise whatever it likes when it is imported.
    "caveat/plugins.py",
    # A forged reference to a stored payload makes the SDK raise whatever it likes.
    "workers/data.py",
}


def catches(source: str) -> list[int]:
    """The lines that catch everything and do not raise it again."""
    return [node.lineno for node in ast.walk(ast.parse(source)) if _catches(node)]


def _catches(node: ast.AST) -> TypeGuard[ast.ExceptHandler | ast.expr]:
    match node:
        case ast.ExceptHandler(type=None):
            return not _raises_again(node)
        case ast.ExceptHandler(type=ast.expr() as caught):
            return bool(EVERYTHING & _names(caught)) and not _raises_again(node)
        case ast.Call(func=called, args=caught):
            everything = any(EVERYTHING & _names(each) for each in caught)
            return everything and "suppress" in _names(called)
    return False


def _names(node: ast.expr) -> set[str]:
    """The last names in an expression: `suppress` in `contextlib.suppress`."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return {name}
        case ast.Tuple(elts=parts):
            return {name for part in parts for name in _names(part)}
    return set()


def _raises_again(handler: ast.ExceptHandler) -> bool:
    """Whether it tidies up and lets the exception go on."""
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def test_only_boundaries_catch_everything() -> None:
    found = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if catches(path.read_text(encoding="utf-8"))
    }
    assert found == BOUNDARIES


@pytest.mark.parametrize(
    "source",
    [
        "try:\n    g()\nexcept:\n    pass",
        "try:\n    g()\nexcept Exception:\n    log()",
        "try:\n    g()\nexcept (KeyError, Exception) as error:\n    log(error)",
        "try:\n    g()\nexcept builtins.BaseException:\n    raise Other from None",
        "with suppress(Exception):\n    g()",
        "with contextlib.suppress(OSError, Exception):\n    g()",
    ],
)
def test_what_keeps_quiet_is_found(source: str) -> None:
    assert catches(source)

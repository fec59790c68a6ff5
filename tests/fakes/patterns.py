"""Every regular expression of the product, and texts that its parts match, to be repeated."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, product
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import caveat

_METHODS = {"search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
_MAY_USE = re.compile(rf"\bre\.|\.(?:{'|'.join(_METHODS)})\b")
"""Modules without it are not taken apart: most have no expression."""
_ONCE = {"match", "fullmatch"}  # methods that try one place of a text; the others try each
_NOT_ALONE = ("__main__", "migrations")  # modules that do something when they are imported
_COMMON = [
    " ", "\n", "\t", "a", "A", "0", "-", "_", ".", ",", "'", "(", "[", "<", "*", "`", "|", "=", "#",
    "\\", ":", "é", " \n", "a ", "A ", "a-", "a.", "A. ", "0 ", "0.", "0,", "a0", "1-2 ", "of the ",
    "Mon, ", "Aa ", "A.", "a, ", "(a", "0 a ", "(a) ",
]  # fmt: skip
_MOST = 100  # seeds of one expression


class Expression(NamedTuple):
    """A regular expression, and the methods by which it is used; empty where nobody can tell."""

    pattern: re.Pattern[str]
    methods: frozenset[str]

    def applied(self) -> Callable[[str], object]:
        """Go through a text as it is done at worst."""
        if self.methods and self.methods <= _ONCE:
            return self.pattern.match if "match" in self.methods else self.pattern.fullmatch
        return lambda text: sum(1 for _ in self.pattern.finditer(text))


def modules() -> list[ModuleType]:
    """Import the whole product."""
    names = [
        found.name
        for found in pkgutil.walk_packages(caveat.__path__, "caveat.")
        if not any(part in found.name for part in _NOT_ALONE)
    ]
    return [importlib.import_module(name) for name in names]


def expressions() -> dict[str, list[Expression]]:
    """Find the expressions by their module: those that have a name, and those in calls of `re`."""
    loaded = modules()
    sources = {each.__name__: Path(each.__file__ or "").read_text() for each in loaded}
    nodes = {
        name: list(ast.walk(ast.parse(source)))
        for name, source in sources.items()
        if _MAY_USE.search(source)
    }
    used = _usage(nodes)
    found: dict[str, list[Expression]] = {}
    for module in loaded:
        name = module.__name__
        named = [
            Expression(pattern, _methods(used, name, label))
            for label, value in vars(module).items()
            for pattern in _held(value)
        ]
        own = [each for each in named if each.pattern.pattern] + list(_called(nodes.get(name, [])))
        if own:
            found[name] = list({(each.pattern, each.methods): each for each in own}.values())
    return found


def _methods(used: dict[tuple[str, str], set[str]], module: str, name: str) -> frozenset[str]:
    return frozenset(used.get((module, name), set()) | used.get(("", name), set()))


def _held(value: object, depth: int = 0) -> Iterator[re.Pattern[str]]:
    """What a global of a module holds, in containers too."""
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif depth < 4 and isinstance(value, dict):
        for pair in value.items():
            yield from _held(pair, depth + 1)
    elif depth < 4 and isinstance(value, tuple | list | set | frozenset):
        for each in value:
            yield from _held(each, depth + 1)
    elif depth < 4 and type(value).__module__.partition(".")[0] == "caveat":
        yield from _held(vars(value) if hasattr(value, "__dict__") else (), depth + 1)


def _called(nodes: list[ast.AST]) -> Iterator[Expression]:
    """Expressions that stand in a call itself, as in `re.sub(r"...", ...)`."""
    for node in nodes:
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=method),
                args=[ast.Constant(value=str(pattern)), *_],
            ) if method != "compile":
                yield Expression(re.compile(pattern), frozenset({method}))


def _usage(by_module: dict[str, list[ast.AST]]) -> dict[tuple[str, str], set[str]]:
    """By module and name, the methods that are called on it."""
    used: dict[tuple[str, str], set[str]] = {}
    for module, nodes in by_module.items():
        imported = {
            alias.asname or alias.name: (node.module or "", alias.name)
            for node in nodes
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for node in nodes:
            match node:
                case ast.Attribute(value=ast.Name(id=name), attr=method) if method in _METHODS:
                    used.setdefault(imported.get(name, (module, name)), set()).add(method)
                case ast.Attribute(value=ast.Attribute(attr=name), attr=method):
                    if method in _METHODS:
                        used.setdefault(("", name), set()).add(method)
    return used


_parser: Any = importlib.import_module("re._parser")
_constants: Any = importlib.import_module("re._constants")
_REPEATS = {
    _constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT,
}  # fmt: skip
_LOOKED_AT = {_constants.ASSERT, _constants.ASSERT_NOT}
_LETTERS = "a 0.(A\n-"  # one of these is in every class of signs that leaves some out


def seeds(pattern: re.Pattern[str]) -> list[str]:
    """Write short texts that up to three neighbouring parts of an expression match."""
    tree = _parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE)
    found = (text for part in _parts(list(tree)) for text in _texts(part, 4) if 0 < len(text) <= 60)
    return list(dict.fromkeys([*_COMMON, *islice(dict.fromkeys(found), _MOST)]))


def _parts(items: list[Any]) -> Iterator[list[Any]]:
    for start, item in enumerate(items):
        yield from (items[start : start + length] for length in (1, 2, 3))
        for inner in _inner(item):
            yield from _parts(list(inner))


def _inner(item: tuple[Any, Any]) -> Iterable[Any]:
    operation, value = item
    if operation in _REPEATS:
        return [value[2]]
    if operation is _constants.SUBPATTERN:
        return [value[-1]]
    if operation is _constants.ATOMIC_GROUP:
        return [value]
    if operation is _constants.BRANCH:
        branches: list[Any] = value[1]
        return branches
    return [value[1]] if operation in {_constants.ASSERT, _constants.ASSERT_NOT} else []


def _texts(items: Iterable[Any], most: int) -> list[str]:
    texts = [""]
    for item in items:
        choices = _choices(item, max(8, most)) or [""]
        texts = list(islice(map("".join, product(texts, choices)), most))
    return texts


def _choices(item: tuple[Any, Any], most: int) -> list[str]:
    operation, value = item
    if operation is _constants.LITERAL:
        return [chr(value)]
    if operation in {_constants.NOT_LITERAL, _constants.ANY}:
        return ["b" if value == ord("a") else "a"]
    if operation is _constants.IN:
        return _signs(value)
    if operation in _REPEATS:
        least, _, inner = value
        return [text * max(least, 1) for text in _texts(inner, 3)] + [""] * (least == 0)
    inner = [text for inner in _inner(item) for text in _texts(inner, 2)]
    return inner[:most] if operation not in _LOOKED_AT else []


_OF_CATEGORY = {
    _constants.CATEGORY_DIGIT: "0",
    _constants.CATEGORY_SPACE: " ",
    _constants.CATEGORY_NOT_WORD: " ",
}


def _signs(members: list[tuple[Any, Any]]) -> list[str]:
    if members[0][0] is _constants.NEGATE:
        listed = {sign for each in members[1:] for sign in _signs([each])}
        return [sign for sign in _LETTERS if sign not in listed][:3]
    signs = []
    for operation, value in members:
        if operation is _constants.LITERAL:
            signs.append(chr(value))
        elif operation is _constants.RANGE:
            signs.append(chr(value[0]))
        else:
            signs.append(_OF_CATEGORY.get(value, "a"))
    return signs[:4]

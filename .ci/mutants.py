"""Change the core a little in many ways, and name the changes that no test near by notices.

`make mutants`: every number that stands by itself in a module, and a sample of the rest. A change
lives in a process of its own and never in a file. Tools of this kind pass by what stands outside
of functions (mutmut 3), and there the numbers are.
"""

import argparse
import ast
import importlib.util
import os
import random
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

import pytest
import temporalio.worker  # noqa: F401  # here, so that no forked process has to

ROOT = Path(__file__).parents[1]

ROOMS = {
    "caveat/rules/run": ["tests/caveat/rules/run"],
    "caveat/rules/audit": ["tests/caveat/rules/audit"],
    "caveat/rules/contradictions": ["tests/caveat/rules/contradictions"],
    "caveat/rules/evidence": ["tests/caveat/rules/evidence"],
    "caveat/rules/report": ["tests/caveat/rules/report"],
    "caveat/rules/sources": ["tests/caveat/rules/sources"],
    "caveat/rules/messages.py": ["tests/caveat/rules/test_messages.py"],
    "caveat/intake.py": ["tests/caveat/test_intake.py"],
    "caveat/contracts": ["tests/caveat/contracts", "tests/caveat/rules/test_messages.py"],
    "caveat/adapters/rabbitmq/topology.py": ["tests/caveat/adapters/rabbitmq"],
    "caveat/roles": ["tests/caveat/adapters/claude"],
    "activities": ["tests/activities"],
    "workflows/arbitration.py": ["tests/workflows/test_arbitration.py"],
    "workflows/options.py": ["tests/workflows/test_delegation.py"],
    "workflows/research/angle.py": [
        "tests/workflows/test_coverage.py",
        "tests/workflows/test_research.py",
        "tests/workflows/test_searches.py",
        "tests/workflows/test_deadlines.py",
    ],
    "workflows/research/breaker.py": [
        "tests/workflows/test_breaker.py",
        "tests/workflows/test_provider_down.py",
        "tests/workflows/test_replay.py",
    ],
    "workflows/research/contradictions.py": [
        "tests/workflows/test_contradictions.py",
        "tests/workflows/test_debating.py",
    ],
    "workflows/research/budget.py": [
        "tests/workflows/test_usage.py",
        "tests/workflows/test_coverage.py",
        "tests/workflows/test_recovery.py",
    ],
    "workflows/research/documents.py": [
        "tests/workflows/test_research.py",
        "tests/workflows/test_coverage.py",
        "tests/workers/test_scan.py",
    ],
    "workflows/research/report.py": [
        "tests/workflows/test_research.py",
        "tests/workflows/test_recovery.py",
        "tests/workflows/test_contradictions.py",
    ],
    "workflows/research/tasks.py": ["tests/workflows/test_recovery.py"],
}
"""What is changed, and the tests near it; those of runs start a server of their own."""

LONGEST_S = 120.0  # seconds for the tests of one change: whoever never ends has been noticed

_SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
}  # fmt: skip


class Mutant(NamedTuple):
    path: Path  # of the module, from the root
    line: int  # where it is
    before: str  # what stood there
    after: str  # what stands there now
    is_number: bool  # whether it is a number of the module or one of its classes
    place: int  # which node of the module it is, in the order of `_places`
    other: ast.AST  # what it becomes

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before} → {self.after}"


def mutants(path: Path) -> Iterator[Mutant]:
    """Make every change that is known of a module."""
    for place, (node, is_outside) in enumerate(_places(_parsed(path))):
        for other in _others(node):
            line, is_number = getattr(node, "lineno", 0), isinstance(node, ast.Constant)
            yield Mutant(
                path, line, _words(node), _words(other), is_outside and is_number, place, other
            )


def _parsed(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


def _changed(mutant: Mutant) -> ast.Module:
    """Write a module with its change."""
    tree = _parsed(mutant.path)
    node, _ = list(_places(tree))[mutant.place]
    node.__class__ = mutant.other.__class__
    node.__dict__.update(mutant.other.__dict__)
    return ast.fix_missing_locations(tree)


def _places(tree: ast.AST, *, outside: bool = True) -> Iterator[tuple[ast.AST, bool]]:
    """Walk through what is carried out: no annotation, and no form of a field."""
    if isinstance(tree, ast.Call) and ast.unparse(tree.func) == "Field":
        return
    for name, value in ast.iter_fields(tree):
        if name in {"annotation", "returns", "decorator_list", "type_params"}:
            continue
        for node in value if isinstance(value, list) else [value]:
            if not isinstance(node, ast.AST) or isinstance(node, ast.Subscript):
                continue
            yield node, outside
            inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _places(node, outside=outside and not inside)


def _others(node: ast.AST) -> Iterator[ast.AST]:  # one case a kind
    match node:
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(value=float(value)):
            near = value - 0.05 if 0.05 < value < 1 else value * 2 or 0.05
            yield ast.Constant(round(near, 10))
        case ast.Compare(ops=[only]) if type(only) in _SWAPS:
            yield ast.Compare(node.left, [_swapped(only)], node.comparators)
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(_swapped(op), values)
        case ast.BinOp(op=op) if type(op) in _SWAPS:
            yield ast.BinOp(node.left, _swapped(op), node.right)
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield operand
        case ast.If(body=[*_, ast.Return() | ast.Raise() | ast.Continue()]):
            yield ast.If(ast.Constant(value=False), node.body, node.orelse)
        case ast.List(elts=[_, _, *_], ctx=ast.Load()):
            yield ast.List(node.elts[:-1], node.ctx)
        case ast.Set(elts=[_, _, *_]):
            yield ast.Set(node.elts[:-1])


def _swapped(op: ast.AST) -> Any:
    return _SWAPS[type(op)]()


def _words(node: ast.AST) -> str:
    shown = node.test if isinstance(node, ast.If) else node
    return ("if " if isinstance(node, ast.If) else "") + " ".join(ast.unparse(shown).split())[:70]


class _Changed(SourceFileLoader):
    """Imports one module from a changed tree."""

    def __init__(self, mutant: Mutant) -> None:
        name = ".".join(mutant.path.with_suffix("").parts)
        super().__init__(
            name if name.startswith("caveat.") else f"caveat.{name}", str(ROOT / mutant.path)
        )
        self._tree = _changed(mutant)

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self)

    def get_code(self, fullname: str) -> CodeType:
        assert fullname == self.name
        return compile(self._tree, self.path, "exec")


def _started(tests: Sequence[str], mutant: Mutant | None = None) -> int:
    """Run tests in a process of their own, which has imported nothing of this project."""
    child = os.fork()
    if child:
        return child
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    if mutant is not None:
        sys.meta_path.insert(0, _Changed(mutant))
    quiet = ["-q", "-x", "-n", "0", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
    quiet += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # of what was imported before
    code = pytest.main([*quiet, *tests])
    os._exit(int(code))


def _rooms() -> Iterator[tuple[Path, Sequence[str]]]:
    for room, tests in ROOMS.items():
        found = ROOT / room
        files = [found] if found.is_file() else sorted(found.rglob("*.py"))
        for path in files:
            if path.name != "__init__.py":
                yield path.relative_to(ROOT), [*_beside(path, tests), *tests]


def _beside(path: Path, tests: Sequence[str]) -> Iterator[str]:
    """Name the test of a module that is likely to notice first."""
    for folder in tests:
        if (ROOT / folder / f"test_{path.stem}.py").is_file():
            yield f"{folder}/test_{path.stem}.py"


def _chosen(only: str, most: int, seed: int) -> list[tuple[Mutant, Sequence[str]]]:
    """Choose what is tried: every number, and of the rest as many as there is room for."""
    every = [
        (mutant, tests) for path, tests in _rooms() if only in str(path) for mutant in mutants(path)
    ]
    chance = random.Random(seed)
    chance.shuffle(every)
    every.sort(key=lambda each: not each[0].is_number)
    return every[:most]


def _survivors(
    chosen: Sequence[tuple[Mutant, Sequence[str]]], until: float, processes: int
) -> Iterator[tuple[Mutant, bool]]:
    """Try each change, some at once; yield it with whether it survived."""
    waiting = list(reversed(chosen))
    running: dict[int, tuple[Mutant, float]] = {}
    while running or (waiting and time.monotonic() < until):
        while waiting and len(running) < processes and time.monotonic() < until:
            mutant, tests = waiting.pop()
            running[_started(tests, mutant)] = (mutant, time.monotonic() + LONGEST_S)
        for child, (mutant, ends) in list(running.items()):
            if time.monotonic() > ends:
                os.kill(child, 9)
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                del running[child]
                yield mutant, status == 0
        time.sleep(0.02)


def main() -> int:
    """Print the survivors; 1 where the tests fail without any change."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=300, help="changes that are tried")
    parser.add_argument("--minutes", type=float, default=15, help="after which none is begun")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="part of the paths that are changed")
    asked = parser.parse_args()
    chosen = _chosen(asked.only, asked.most, asked.seed)
    near = dict.fromkeys(test for _, tests in chosen for test in tests)
    if os.waitpid(_started(list(near)), 0)[1]:
        print("The tests fail without any change.")
        return 1
    tried = list(_survivors(chosen, time.monotonic() + 60 * asked.minutes, asked.processes))
    survivors = [mutant for mutant, survived in tried if survived]
    for mutant in sorted(survivors, key=str):
        print(mutant)
    print(f"{len(tried)} changes tried, {len(survivors)} of them not noticed.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

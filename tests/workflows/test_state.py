"""Who is only asked changes no state: predicates, queries and validators."""

import ast
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from caveat.contracts.contradiction import Rejection
from caveat.contracts.report import ReportedFailure
from caveat.failures import timed_out
from caveat.workflows.research.run import KEPT_REJECTIONS, Run
from tests.fakes.reports import reported

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "workflows").rglob("*.py"))
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
MUTATORS = frozenset(
    {"append", "extend", "insert", "add", "update", "setdefault", "pop", "popitem", "remove"}
    | {"discard", "clear", "sort", "reverse", "__setattr__", "__setitem__"}
)


def _names(node: ast.expr) -> Iterator[str]:
    """The names and attributes that an expression goes through, from the outside in."""
    while True:
        match node:
            case ast.Attribute(attr=name, value=inner):
                yield name
                node = inner
            case ast.Subscript(value=inner) | ast.Starred(value=inner):
                node = inner
            case ast.Name(id=name):
                yield name
                return
            case _:
                return


def _is_in_state(node: ast.expr) -> bool:
    """Whether an expression is a part of a state: `run.failures`, `state.shelf[name]`."""
    return any(name in {"run", "_run", "state", "_state"} for name in list(_names(node))[1:])


def _targets(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            for target in targets:
                yield from target.elts if isinstance(target, ast.Tuple) else (target,)
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            yield target
        case ast.Call(func=ast.Attribute(attr=name, value=owner)) if name in MUTATORS:
            yield ast.Attribute(owner, name)
        case ast.Call(func=ast.Name(id="setattr"), args=[owner, *_]):
            yield ast.Attribute(owner, "setattr")


EFFECTS = frozenset(
    {"enter", "new_id", "count", "book", "tell", "rule", "close", "reject", "note_record"}
    | {name for name, each in vars(Run).items() if callable(each) and name[0] != "_"}
)
"""Methods that change a state, whoever offers them."""


def _called(node: ast.AST) -> set[str]:
    """The names of what is called somewhere in a piece of code."""
    calls = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
    return {next(_names(call), "") for call in calls}


def effects_of_looking(source: str) -> set[str]:
    """The changes that a module makes where it is only asked: in predicates and in queries."""
    tree = ast.parse(source)
    defined = {
        each.name: each
        for each in ast.walk(tree)
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    asked: list[ast.AST] = [
        each
        for each in defined.values()
        if any("query" in _names(by) or "validator" in _names(by) for by in each.decorator_list)
    ]
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and "wait_condition" in _names(call.func):
            asked += call.args
            asked += [defined[name] for name in _names(call.args[0]) if name in defined]
    reached: set[str] = set()
    while asked:
        looking = asked.pop()
        if any(_is_in_state(target) for each in ast.walk(looking) for target in _targets(each)):
            reached.add("writes")
        called = _called(looking) - reached
        reached |= called
        asked += [defined[name] for name in called if name in defined]
    return reached & (EFFECTS | {"writes"})


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_who_is_asked_changes_nothing(path: Path) -> None:
    assert effects_of_looking(path.read_text(encoding="utf-8")) == set()


@pytest.mark.parametrize(
    "asks",
    [
        "wait_condition(lambda: holds())",
        "workflow.wait_condition(holds)",
        "workflow.wait_condition(lambda: run.book(failed))",
    ],
)
def test_a_predicate_that_changes_something_is_seen(asks: str) -> None:
    module = f"def holds():\n    return shut()\n\ndef shut():\n    run.topic = x\n\n{asks}\n"
    assert effects_of_looking(module) in ({"writes"}, {"book"})


def a_failure(task_id: str) -> ReportedFailure:
    return reported(timed_out("Too slow.", resource="page"), task_id=task_id)


def test_of_many_rejected_answers_the_latest_are_kept_and_all_are_counted() -> None:
    state = Run("run", NOON)
    for number in range(KEPT_REJECTIONS + 5):
        state.reject(Rejection(received=NOON, reason="No.", given=str(number)))
    assert state.rejected == KEPT_REJECTIONS + 5
    assert [each.given for each in state.rejections] == [
        str(number) for number in range(5, KEPT_REJECTIONS + 5)
    ]


def test_what_failed_again_is_not_made_good() -> None:
    state = Run("run", NOON)
    state.add_failures(a_failure("publish"))
    before = state.failures
    state.make_good("publish")
    state.add_failures(a_failure("publish-2"))
    assert [each.recovered for each in state.failures] == [True, False]
    state.fail_again(before)
    assert [each.recovered for each in state.failures] == [False, False]

"""Every number that a request may hold has a bound, and no value within it overflows anything."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from caveat.contracts.phase import Step
from caveat.contracts.plan import Budget, ResearchRequest
from caveat.rules.run.budget import BudgetAccount, compute_reserve, compute_task_budget

SCHEMA = ResearchRequest.model_json_schema()


def numbers(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every place of a schema where a number may stand, by its path."""
    if reference := schema.get("$ref"):
        schema = SCHEMA["$defs"][reference.rpartition("/")[2]]
    if schema.get("type") in {"integer", "number"}:
        yield path, schema
    for each in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from numbers(each, path)
    for name, each in schema.get("properties", {}).items():
        yield from numbers(each, f"{path}.{name}".lstrip("."))
    if isinstance(schema.get("items"), dict):
        yield from numbers(schema["items"], f"{path}[]")


def test_every_number_of_a_request_has_an_upper_bound() -> None:
    found = dict(numbers(SCHEMA))
    assert {"budget.cost_usd", "budget.tokens", "max_sources"} <= set(found)
    unbounded = {
        path for path, each in found.items() if not {"maximum", "exclusiveMaximum"} & set(each)
    }
    # What a claim or a ruling says stands in an answer of a run, and is counted with nothing.
    assert not {path for path in unbounded if not path.startswith(("rulings", "backend"))}


anything = st.floats() | st.integers() | st.sampled_from([1e15, 1e308, -1.0, 0, 2**63, 10**400])


@given(st.sampled_from(sorted(Budget.model_fields)), anything)
def test_whatever_a_bound_is_it_is_refused_or_reckoned_with(name: str, value: float) -> None:
    try:
        request = ResearchRequest.model_validate({"topic": "x", "budget": {name: value}})
    except ValidationError:
        return
    for step in Step:
        needs = {each: compute_task_budget(None, 0).usage for each in Step}
        reserve = compute_reserve(step, needs, request.budget)
        assert BudgetAccount(request.budget).find_exceeded(reserve) is None


@given(st.sampled_from(["deadline", "arbitration_timeout", "approval_timeout"]), anything)
def test_whatever_a_time_is_it_is_refused_or_reckoned_with(name: str, value: float) -> None:
    try:
        request = ResearchRequest.model_validate({"topic": "x", name: value})
    except ValidationError:
        return
    assert dt.datetime(2026, 1, 1, tzinfo=dt.UTC) + getattr(request, name)

"""A bound or a failure never gives an all-clear: what was read is compared, or said not to be."""

import pytest

from caveat.contracts.failure import FailureType
from caveat.contracts.report import Method, Report
from caveat.rendering import words
from caveat.rendering.markdown import render
from caveat.rules.audit import audit
from tests.fakes.ports import World
from tests.fakes.runs import SHORT_S, Start, failing, fault, report_of, texts
from tests.fakes.worlds import disagreeing


async def bounded(start: Start, calls: int | None) -> Report:
    budget = {} if calls is None else {"budget": {"model_calls": calls}}
    return await report_of(await start(arbitration_timeout=SHORT_S, id=f"bound-{calls}", **budget))


@pytest.mark.parametrize("calls", [4, 8, 12])
async def test_a_bound_on_model_calls_never_hides_a_contradiction_nor_raises_confidence(
    start: Start, world: World, calls: int
) -> None:
    world.uses_model = True
    disagreeing(world, (1, 2))
    whole = await bounded(start, None)
    less = await bounded(start, calls)
    assert audit(less, texts(world)).passed
    assert less.confidence.value < whole.confidence.value
    assert whole.contradictions
    assert "No contradiction was seen" not in render(less)
    assert (words.BY_RULES in render(less)) is (less.methods.comparison is Method.RULES)


async def test_where_the_model_cannot_compare_rules_do(start: Start, world: World) -> None:
    world.uses_model = True
    disagreeing(world, (1, 2))
    whole = await bounded(start, None)
    assert whole.methods.comparison is Method.BOTH
    assert words.BY_BOTH in render(whole)
    beside = world.calls["compare_by_rules"]
    failing(world, "detect alpha and beta", fault(FailureType.PERMANENT))
    less = await bounded(start, 500)
    assert world.calls["compare_by_rules"] == 2 * beside  # once more
    assert len(less.contradictions) == len(whole.contradictions) == 1
    assert less.methods.comparison is Method.RULES
    assert less.confidence.value < whole.confidence.value
    assert words.BY_RULES in render(less)
    assert audit(less, texts(world)).passed


async def test_where_nothing_compares_the_report_claims_nothing(start: Start, world: World) -> None:
    disagreeing(world, (1, 2))
    whole = await bounded(start, None)
    error = fault(FailureType.PERMANENT)

    failing(world, ("detect", "compare_by_rules"), error)
    less = await bounded(start, 500)
    assert less.methods.comparison is Method.NONE
    assert words.NOT_COMPARED in render(less)
    assert less.confidence.value < whole.confidence.value
    assert audit(less, texts(world)).passed

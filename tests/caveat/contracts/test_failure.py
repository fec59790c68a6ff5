import itertools

import pytest
from pydantic import ValidationError

from caveat.contracts.envelope import AgentType, Status, SubagentResult, Usage
from caveat.contracts.failure import CATEGORIES, Failure, FailureCategory, FailureType


@pytest.mark.parametrize(
    ("kind", "category"), list(itertools.product(FailureType, FailureCategory))
)
def test_a_failure_type_has_its_categories(kind: FailureType, category: FailureCategory) -> None:
    fields = {"category": category, "failure_type": kind, "message": "x"}
    if category in CATEGORIES[kind]:
        assert Failure.model_validate(fields).category is category
    else:
        with pytest.raises(ValidationError, match="cannot be"):
            Failure.model_validate(fields)


FAILURE = Failure(
    category=FailureCategory.TRANSIENT, failure_type=FailureType.TIMEOUT, message="late"
)


@pytest.mark.parametrize(
    ("status", "fields", "valid"),
    [
        (Status.SUCCESS, {"result": 1, "completeness": 1}, True),
        (Status.SUCCESS, {"result": 1, "completeness": 0.9}, False),
        (Status.SUCCESS, {"completeness": 1}, False),
        (Status.SUCCESS, {"result": 1, "failure": FAILURE, "completeness": 1}, False),
        (Status.PARTIAL, {"partial_result": 1, "failure": FAILURE, "completeness": 0.5}, True),
        (Status.PARTIAL, {"partial_result": 1, "completeness": 0.5}, False),
        (Status.PARTIAL, {"partial_result": 1, "failure": FAILURE, "completeness": 1}, False),
        (Status.FAILED, {"failure": FAILURE, "completeness": 0}, True),
        (Status.FAILED, {"completeness": 0}, False),
        (Status.FAILED, {"result": 1, "failure": FAILURE, "completeness": 0}, False),
    ],
)
def test_envelopes_fit_their_state(status: Status, fields: dict[str, object], valid: bool) -> None:
    given = {
        "status": status, "task_id": "t", "agent_type": AgentType.READER, "task_description": "x",
        **fields,
    }  # fmt: skip
    if valid:
        assert SubagentResult[int].model_validate(given).status is status
    else:
        with pytest.raises(ValidationError):
            SubagentResult[int].model_validate(given)


def test_an_unknown_cost_makes_the_sum_unknown() -> None:
    known, unknown = Usage(model_calls=1, cost_usd=0.5), Usage(model_calls=1, cost_usd=None)
    assert (known + known).cost_usd == 1.0
    assert (known + unknown).cost_usd is None
    assert (known + unknown).model_calls == 2

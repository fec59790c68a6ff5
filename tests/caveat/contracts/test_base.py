"""Contracts: read leniently, sent strictly, frozen."""

import datetime as dt
import importlib
import json
import pkgutil
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from pydantic_core import to_jsonable_python

import caveat.contracts
from caveat.contracts.base import Contract
from caveat.contracts.plan import Approval, Assignment, ResearchRequest
from tests.fakes.reports import AWAITED, a_disputed_report
from tests.fakes.tasks import (
    DRAFT,
    EVENT,
    EVIDENCE,
    FIELDS,
    MATERIAL,
    NOTICE,
    RECORD,
    REPORT,
    RULING,
)
from tests.fakes.widening import widen


def every_contract(kind: type[Contract] = Contract) -> Iterator[type[Contract]]:
    for each in kind.__subclasses__():
        yield each
        yield from every_contract(each)


def test_no_contract_refuses_what_it_does_not_know() -> None:
    for module in pkgutil.iter_modules(caveat.contracts.__path__):
        importlib.import_module(f"caveat.contracts.{module.name}")
    assert {each.model_config["extra"] for each in every_contract()} == {"ignore"}


TASKS = tuple(
    kind.model_validate({"task_id": "t", "description": "d", **fields})
    for kind, fields in FIELDS.items()
)
ON_THE_WIRE: tuple[Contract, ...] = (
    *TASKS,
    *(REPORT, a_disputed_report(), AWAITED, EVIDENCE, MATERIAL, DRAFT),
    *(EVENT, NOTICE, RECORD, RULING),
)


@pytest.mark.parametrize("value", ON_THE_WIRE, ids=lambda value: type(value).__name__)
@settings(max_examples=3)
@given(name=st.from_regex(r"added_[a-z]{1,9}", fullmatch=True))
def test_what_crosses_the_wire_may_have_a_field_more(value: Contract, name: str) -> None:
    written = json.dumps(widen(value, name), default=to_jsonable_python)
    assert name in written
    assert type(value).model_validate_json(written) == value


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        (ResearchRequest, {"topic": "x", "detph": "deep"}),
        (ResearchRequest, {"topic": "x", "budget": {"minuets": 3}}),
        (Approval, {"dorp": ["a1"]}),
    ],
)
def test_misspelt_fields_are_mistakes(kind: type[Contract], sent: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        kind.parse_sent(sent)
    kind.model_validate(sent)


def test_what_is_sent_has_no_field_that_nobody_set() -> None:
    assert ResearchRequest(topic="x").write_sent() == {"topic": "x"}


def test_what_a_request_and_an_angle_mean_unless_they_say_otherwise() -> None:
    """README.md, and docs/contradictions.md: six hours to rule."""
    assert ResearchRequest(topic="x").arbitration_timeout == dt.timedelta(hours=6)
    angle = Assignment(id="a1", title="x", question="How wide?", queries=("x",))
    assert not angle.critical

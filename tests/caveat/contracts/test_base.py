"""Contracts: read leniently, sent strictly, frozen."""

import datetime as dt
import importlib
import itertools
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
from caveat.contracts.envelope import (
    CATEGORIES,
    AgentType,
    Failure,
    FailureCategory,
    FailureType,
    Status,
    SubagentResult,
    Usage,
)
from caveat.contracts.plan import Approval, Assignment, ResearchRequest
from caveat.contracts.source import DocumentFacts, Landmark, Precision, Snapshot, SourceRef
from tests.fakes.reports import AWAITED, a_disputed_report
from tests.fakes.tasks import DRAFT, EVENT, EVIDENCE, FIELDS, MATERIAL, NOTICE, REPORT, RULING
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
    *(EVENT, NOTICE, RULING),
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


SNAPSHOT = Snapshot(
    text="x" * 100, landmarks=(Landmark(offset=10, label="p. 1"), Landmark(offset=50, label="p. 2"))
)


@pytest.mark.parametrize(
    ("offset", "label"), [(0, None), (9, None), (10, "p. 1"), (49, "p. 1"), (99, "p. 2")]
)
def test_an_offset_lies_under_the_landmark_before_it(offset: int, label: str | None) -> None:
    assert SNAPSHOT.find_location(offset) == label


def test_a_text_without_landmarks_has_no_locations() -> None:
    assert Snapshot(text="x").find_location(0) is None


@pytest.mark.parametrize(
    ("known", "day"),
    [
        ({"published": "2022-06-01", "precision": "month"}, "2022-06-30"),
        ({"published": "2022-06-01"}, "2022-06-01"),
        ({}, "2022-06-30"),
        ({"published": "2022-06-01", "corpus": "/notes"}, "2022-06-30"),
    ],
)
def test_a_reader_dates_what_is_not_dated_to_the_day(known: dict[str, str], day: str) -> None:
    source = SourceRef.model_validate({"id": "s-1", "title": "Heft 3", **known})
    told = DocumentFacts(published=dt.date(2022, 6, 30)).apply_to(source)
    assert (str(told.published), told.precision) == (day, Precision.DAY)


def test_a_reader_names_the_institute_of_a_paper_in_a_folder() -> None:
    source = SourceRef(id="s-1", title="Heft 3", authors=("I. Petrow",), corpus="/notes")
    told = DocumentFacts(author="Technische Universität Harsfeld")
    assert told.apply_to(source).authors == ("I. Petrow", "Technische Universität Harsfeld")
    away = source.model_copy(update={"corpus": None})
    assert told.apply_to(away).authors == ("I. Petrow",)


def test_an_author_within_another_is_named_once() -> None:
    source = SourceRef(id="s-1", title="Heft 3", authors=("Universität Sülde",), corpus="/notes")
    told = DocumentFacts(author="Institut für Wärme, Universität Sülde")
    assert told.apply_to(source).authors == ("Universität Sülde",)

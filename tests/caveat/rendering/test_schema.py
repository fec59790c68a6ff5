"""The committed JSON Schema is the contract's, and reports keep to it."""

import json

import pytest
from jsonschema import Draft202012Validator, ValidationError

from caveat.rendering.schema import (
    COMMITTED,
    COMMITTED_MESSAGE,
    render_message_schema,
    render_report_schema,
)
from tests.fakes.reports import a_disputed_report, a_report


def test_the_committed_schemas_are_the_generated_ones() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == render_report_schema()
    assert COMMITTED_MESSAGE.read_text(encoding="utf-8") == render_message_schema()


def test_reports_keep_to_the_schema() -> None:
    """`ValidationError` is raised where one does not, as the next test shows."""
    Draft202012Validator.check_schema(json.loads(render_report_schema()))
    validator = Draft202012Validator(json.loads(render_report_schema()))
    for report in (a_report(), a_disputed_report()):
        validator.validate(json.loads(report.model_dump_json()))


def test_what_is_not_a_report_does_not() -> None:
    validator = Draft202012Validator(json.loads(render_report_schema()))
    report = json.loads(a_report().model_dump_json())
    with pytest.raises(ValidationError):
        validator.validate({**report, "sections": None})
    validator.validate({**report, "of_a_later_version": 1})

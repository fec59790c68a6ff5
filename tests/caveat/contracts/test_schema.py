"""Reports keep to the JSON Schema that is published."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator, ValidationError

from tests.fakes.reports import a_disputed_report, a_report

SCHEMA = Path(__file__).parents[3] / "docs" / "report.schema.json"
VALIDATOR = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


def test_reports_keep_to_the_schema() -> None:
    """`ValidationError` is raised where one does not, as here without sections."""
    Draft202012Validator.check_schema(VALIDATOR.schema)
    for report in (a_report(), a_disputed_report()):
        written = json.loads(report.model_dump_json())
        VALIDATOR.validate({**written, "of_a_later_version": 1})
        with pytest.raises(ValidationError):
            VALIDATOR.validate({**written, "sections": None})

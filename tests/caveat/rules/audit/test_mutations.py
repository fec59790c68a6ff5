"""Whatever is changed in a report, its seal finds."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from caveat.contracts.audit import Seal, SealState
from caveat.contracts.report import Report
from caveat.rules.audit.checks import audit
from caveat.rules.audit.seal import check_seal, hash_report
from tests.fakes.reports import a_disputed_report, a_report, texts_of, written


def mutations(value: Any) -> Iterator[Any]:
    """Change every sort of place of a document, one at a time."""
    match value:
        case dict():
            for key, each in value.items():
                yield from ({**value, key: changed} for changed in mutations(each))
        case [first, *others]:  # the rest differ in nothing
            yield from (others, [*others, first], [first, *value])
            yield from ([changed, *others] for changed in mutations(first))
        case bool():
            yield not value
        case int() | float():
            yield from (value + 1, round(value * 0.99, 4))
        case str():
            yield from (f"{value} x", value.partition(" ")[2])
        case _:
            yield from ("x", 1)


def test_the_seal_finds_every_change() -> None:
    report = written(a_disputed_report())
    seal = Seal(run_id=report.run_id, reports=(hash_report(report),))
    original = json.loads(report.model_dump_json())
    assert state_of(json.dumps(original, indent=7), seal) is SealState.MATCHES
    found = 0
    for changed in mutations(original):
        if changed == original:  # of one item, or nothing
            continue
        state = state_of(json.dumps(changed), seal)
        assert state in (SealState.DIFFERS, None), changed
        found += state is SealState.DIFFERS
    assert found > 100


def state_of(document: str, seal: Seal) -> SealState | None:
    """Compare a document with its seal; None where it is no report at all."""
    try:
        report = Report.model_validate_json(document)
    except ValidationError:
        return None
    return check_seal(report, seal, None)[0]


@pytest.mark.parametrize("default", [(), None])
def test_fields_and_defaults_of_later_versions_change_nothing_that_was_sealed(
    monkeypatch: pytest.MonkeyPatch, default: object
) -> None:
    older = json.loads(a_disputed_report().model_dump_json())
    assert older.pop("calculations") == []  # which came later
    assert older["unread"] == []
    document = json.dumps(older)
    seal = Seal(run_id="r", reports=(hash_report(Report.model_validate_json(document)),))
    monkeypatch.setattr(Report.model_fields["unread"], "default", default)
    assert state_of(document, seal) is SealState.MATCHES


def test_what_is_found_in_an_untouched_report_is_of_other_rules() -> None:
    report = a_report()
    confidence = report.confidence.model_copy(update={"value": 0.99})
    found = audit(report.model_copy(update={"confidence": confidence}), texts_of(report))
    assert not found.passed
    for seal, is_of_other_rules in ((SealState.MATCHES, True), (SealState.DIFFERS, False)):
        assert found.model_copy(update={"seal": seal}).is_of_other_rules is is_of_other_rules
    no_texts = audit(report, {}).model_copy(update={"seal": SealState.MATCHES})
    assert not no_texts.passed
    assert not no_texts.is_of_other_rules


def test_what_a_seal_that_is_not_here_says() -> None:
    assert check_seal(a_report(), None, "c" * 64) == (SealState.NOT_HERE, ())


def test_changed_evidence_is_found_beside_a_report_that_matches() -> None:
    report = written(a_report())
    seal = Seal(run_id="r", reports=(hash_report(report),), evidence="b" * 64)
    for evidence, places in (("b" * 64, []), (None, []), ("c" * 64, ["evidence"])):
        state, findings = check_seal(report, seal, evidence)
        assert state is SealState.MATCHES
        assert [each.where for each in findings] == places

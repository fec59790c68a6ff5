"""Whatever is changed in a report, its seal finds."""

import json
import re
from collections.abc import Iterator
from copy import copy
from typing import Any, NamedTuple

from pydantic import ValidationError

from caveat.contracts.audit import Seal, SealState
from caveat.contracts.claim import FigureKind, StatedFigure
from caveat.contracts.report import Report
from caveat.rules.audit import audit, check_seal, compare_with_seal, hash_report
from tests.fakes.reports import a_disputed_report, a_report, texts_of

INSTANCES = 1
"""Places of one sort that are changed in a document, the first ones: the rest differ in nothing."""


class Mutation(NamedTuple):
    """A changed document: the sort of place, for example `claims[].quote`, and what was done."""

    place: str
    change: str
    document: Any


def mutations(document: Any) -> Iterator[Mutation]:
    """Change every place of a document, one at a time."""
    places: dict[str, list[tuple[Any, ...]]] = {}
    for path in _paths(document, ()):
        places.setdefault(_named(path), []).append(path)
    for place, paths in places.items():
        values = [_at(document, path) for path in paths]
        for path, value in zip(paths[:INSTANCES], values, strict=False):
            others = [other for other in values if isinstance(other, str) and other != value]
            changes = [*_changes(value), *(("another's", other) for other in others[:1])]
            for change, changed in changes:
                if json.dumps(changed) != json.dumps(value):
                    yield Mutation(place, change, _with(document, path, changed))


def _paths(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    keys: list[Any] = []
    if isinstance(value, dict | list):
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    for key in keys:
        yield from _paths(value[key], (*path, key))


def _named(path: tuple[Any, ...]) -> str:
    return re.sub(r"\.\[", "[", ".".join("[]" if isinstance(key, int) else key for key in path))


def _at(document: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


def _with(document: Any, path: tuple[Any, ...], changed: Any) -> Any:
    """The document with another value at a place; it shares the rest, which nobody changes."""
    if not path:
        return changed
    mutated = copy(document)
    mutated[path[0]] = _with(document[path[0]], path[1:], changed)
    return mutated


def _changes(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, bool):
        yield "flipped", not value
    elif isinstance(value, int | float):
        yield "more", value + 1 if isinstance(value, int) else round(value * 0.99 + 0.01, 4)
        yield "less", value - 1 if isinstance(value, int) else round(value * 0.99, 4)
    elif isinstance(value, str):
        yield from _worded(value)
    elif isinstance(value, list):
        yield from _listed(value)
    elif value is None:
        yield from (("given a word", "x"), ("given a number", 1))
    elif isinstance(value, dict) and value:
        yield "nothing", None


def _worded(value: str) -> Iterator[tuple[str, str]]:
    yield "longer", f"{value} x"
    if " " in value:
        yield "without a word", value.partition(" ")[2]
    if value:
        yield "emptied", ""


def _listed(value: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    if not value:
        return
    yield "emptied", []
    if len(value) > 1:
        yield "without its first", value[1:]
        yield "without its last", value[:-1]
        if json.dumps(value[0]) != json.dumps(value[1]):
            yield "swapped", [value[1], value[0], *value[2:]]
    yield "with one twice", [*value, value[0]]


def test_a_figure_that_a_claim_names_stands_in_its_quote_and_has_its_form() -> None:
    report = a_report()
    first = report.claims[0]
    at = first.quote.index("67.4")
    figure = StatedFigure(kind=FigureKind.MULTIPLE, written="67.4", start=at)
    claims = (first.model_copy(update={"figures": (figure,)}), *report.claims[1:])
    typed = report.model_copy(update={"claims": claims})
    assert audit(typed, texts_of(typed)).passed
    for changed in ({"kind": FigureKind.REVENUE}, {"written": "67.5"}, {"start": at + 1}):
        wrong = (first.model_copy(update={"figures": (figure.model_copy(update=changed),)}),)
        told = audit(report.model_copy(update={"claims": (*wrong, *claims[1:])}), texts_of(report))
        assert [each.where for each in told.findings] == ["claim c1"]


def test_the_seal_finds_every_change() -> None:
    report = a_disputed_report()
    seal = Seal(run_id=report.run_id, reports=(hash_report(report),))
    original = json.loads(report.model_dump_json())
    assert state_of(json.dumps(original, indent=7), seal) is SealState.MATCHES
    found = 0
    for mutation in mutations(original):
        state = state_of(json.dumps(mutation.document), seal)
        assert state in (SealState.DIFFERS, None), mutation[:2]
        found += state is SealState.DIFFERS
    assert found > 100


def state_of(document: str, seal: Seal) -> SealState | None:
    """Compare a document with its seal; None where it is no report at all."""
    try:
        report = Report.model_validate_json(document)
    except ValidationError:
        return None
    return compare_with_seal(report, seal)


def test_a_field_that_came_with_a_later_version_changes_nothing_that_was_sealed() -> None:
    report = a_disputed_report()
    seal = Seal(run_id=report.run_id, reports=(hash_report(report),))
    before = json.loads(report.model_dump_json())
    for claim in before["claims"]:
        assert claim.pop("figures") == []
    assert state_of(json.dumps(before), seal) is SealState.MATCHES


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
    assert compare_with_seal(a_report(), None) is SealState.NOT_HERE
    assert check_seal(SealState.NOT_HERE, None, None) == ()


def test_changed_evidence_is_found_beside_a_report_that_matches() -> None:
    seal = Seal(run_id="r", reports=("a" * 64,), evidence="b" * 64)
    assert check_seal(SealState.MATCHES, seal, "b" * 64) == ()
    assert check_seal(SealState.MATCHES, seal, None) == ()
    (found,) = check_seal(SealState.MATCHES, seal, "c" * 64)
    assert found.where == "evidence"

"""A valid report passes; one character changed anywhere that counts is named."""

import re
from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from caveat.contracts.audit import Audit, Check
from caveat.contracts.report import Confidence, LedgerStep, Operation, Report, Section
from caveat.contracts.source import Claim
from caveat.contracts.synthesis import Calculation, Operand
from caveat.rules.audit.checks import audit
from caveat.rules.report.assembly import derive_report
from tests.fakes.reports import FIGURES, a_report, texts_of

REPORT = a_report()
TEXTS = texts_of(REPORT)
ALL_CLAIMS = {f"claim {claim.id}" for claim in REPORT.claims}
PROSE = {"executive summary": REPORT.summary} | {
    f"section “{each.title}”": each.summary for each in REPORT.sections
}


def _audit(report: Report) -> Audit:
    return audit(Report.model_validate_json(report.model_dump_json()), TEXTS)


def _named(result: Audit, check: Check) -> set[str]:
    return {finding.where for finding in result.findings if finding.check is check}


def _with_claims(changes: Callable[[Claim], dict[str, object]]) -> Report:
    return a_report(claims=tuple(each.model_copy(update=changes(each)) for each in REPORT.claims))


def _with_section(section: Section, **changes: object) -> Report:
    changed = section.model_copy(update=changes)
    one = section.assignment_id
    return a_report(
        sections=tuple(changed if s.assignment_id == one else s for s in REPORT.sections)
    )


def _sections(changed: Callable[[str], str]) -> tuple[Section, ...]:
    return tuple(
        each.model_copy(update={"summary": changed(each.summary)}) for each in REPORT.sections
    )


def test_the_valid_report_passes() -> None:
    result = _audit(REPORT)
    assert result.findings == ()
    assert result.passed
    assert (result.quotes, result.citations, result.coverage) == (21, 35, 1.0)
    assert (result.numbers, result.contradictions) == (54, len(REPORT.contradictions))
    assert _audit(a_report(stated=FIGURES)).numbers == 54 + len(FIGURES)
    assert result.steps == 10


TRIES = settings(max_examples=10)  # each of them changes something in every place at once


def _mistyped(
    data: st.DataObject, text: str, places: Sequence[int], signs: SearchStrategy[str]
) -> str:
    at = data.draw(st.sampled_from(places))
    character = data.draw(signs.filter(lambda sign: sign != text[at]))
    return text[:at] + character + text[at + 1 :]


@TRIES
@given(st.data())
def test_a_changed_character_of_a_quote_is_named(data: st.DataObject) -> None:
    signs = st.characters(codec="utf-8")
    report = _with_claims(
        lambda each: {"quote": _mistyped(data, each.quote, range(len(each.quote)), signs)}
    )
    assert _named(_audit(report), Check.QUOTE) >= ALL_CLAIMS


@TRIES
@given(st.data())
def test_a_changed_offset_is_named(data: st.DataObject) -> None:
    def changed(claim: Claim) -> dict[str, object]:
        field = data.draw(st.sampled_from(["start", "end"]))
        offsets = st.integers(1, 10_000).filter(lambda n: n != getattr(claim, field))
        return {field: data.draw(offsets)}

    assert _named(_audit(_with_claims(changed)), Check.QUOTE) >= ALL_CLAIMS


@TRIES
@given(st.data())
def test_a_changed_digit_is_named(data: st.DataObject) -> None:
    def changed(text: str) -> str:
        places = _digits(text)
        # A number that stands elsewhere in the quote is its reader's to find.
        return _mistyped(data, text, places, st.sampled_from("09")) if places else text

    report = a_report(summary=changed(REPORT.summary), sections=_sections(changed))
    with_digits = {each for each, text in PROSE.items() if _digits(text)}
    assert with_digits >= {"executive summary"}
    assert _named(_audit(report), Check.NUMBER) >= with_digits


@TRIES
@given(st.data())
def test_a_changed_character_of_a_citation_is_named(data: st.DataObject) -> None:
    def changed(text: str) -> str:
        marker = data.draw(st.sampled_from(list(re.finditer(r"\[c\d+\]", text))))
        places = range(marker.start(), marker.end())
        return _mistyped(data, text, places, st.sampled_from("0123456789xC() "))

    named = _named(_audit(a_report(sections=_sections(changed))), Check.CITATION)
    assert named >= PROSE.keys() - {"executive summary"}


UNREAD = next(source.id for source in REPORT.sources if not source.admitted)


@pytest.mark.parametrize(
    ("source", "words"), [("s-0000000000", "not among"), (UNREAD, "was not read")]
)
def test_a_claim_that_loses_its_source_is_named(source: str, words: str) -> None:
    result = _audit(_with_claims(lambda _: {"source_id": source}))
    assert {each.where for each in result.findings if words in each.message} >= ALL_CLAIMS


@pytest.mark.parametrize("field", ["amount", "before", "after"])
# The fourth decimal of a factor may vanish in rounding, the third not.
@pytest.mark.parametrize("delta", [0.1, 0.01])
def test_a_changed_ledger_step_is_named(field: str, delta: float) -> None:
    for number, step in enumerate(REPORT.confidence.ledger):
        if field == "amount" and step.operation is Operation.LIMIT and step.after == step.before:
            continue  # a higher limit would bind as little
        steps = list(REPORT.confidence.ledger)
        value = getattr(step, field)
        value = round(value + (delta if value + delta <= 1 else -delta), 4)
        steps[number] = LedgerStep.model_validate({**dict(step), field: value})
        confidence = Confidence(value=REPORT.confidence.value, ledger=tuple(steps))
        named = _named(_audit(a_report(confidence=confidence)), Check.LEDGER)
        assert f"confidence of the report, ledger step {number + 1}" in named


def test_a_changed_confidence_is_named() -> None:
    section = REPORT.sections[2]
    confidence = section.confidence.model_copy(update={"value": 0.99})
    named = _named(_audit(_with_section(section, confidence=confidence)), Check.LEDGER)
    assert named == {f"confidence of section “{section.title}”"}


def test_a_missing_snapshot_is_said_for_each_of_its_claims() -> None:
    source = REPORT.sources[0]
    texts = {**TEXTS, str(source.snapshot_sha256): None}
    findings = audit(REPORT, texts).findings
    assert {f.where for f in findings} == {
        f"claim {claim.id}" for claim in REPORT.claims if claim.source_id == source.id
    }
    assert all("is missing" in finding.message for finding in findings)


def test_what_another_machine_read_is_counted_and_not_missed() -> None:
    gone = REPORT.sources[0]
    there = {sha: text for sha, text in TEXTS.items() if sha != gone.snapshot_sha256}
    result = audit(REPORT, there, elsewhere=True)
    of_gone = sum(claim.source_id == gone.id for claim in REPORT.claims)
    assert result.passed
    assert (result.quotes, result.uncompared) == (len(REPORT.claims) - of_gone, of_gone)
    assert of_gone > 0


def _return(changes: Mapping[str, object]) -> Callable[[Claim], dict[str, object]]:
    return lambda _: dict(changes)


def test_a_quote_beside_its_place_is_told_from_one_that_nobody_wrote() -> None:
    for changes, said in (
        ({"start": 0, "end": 5}, "is in the snapshot, but not at characters 0 to 5"),
        ({"quote": "Nobody wrote this."}, "“Nobody wrote this.” is not what characters"),
    ):
        findings = _audit(_with_claims(_return(changes))).findings
        told = {each.where for each in findings if said in each.message}
        assert told >= ALL_CLAIMS, said


def test_a_sections_list_is_that_of_its_prose() -> None:
    section = REPORT.sections[0]
    for listed, said in (
        (section.claims[1:], f"It cites claim {section.claims[0]}, "),
        ((*section.claims, "c99"), "It lists claim c99, "),
    ):
        findings = _audit(_with_section(section, claims=listed)).findings
        assert any(each.message.startswith(said) for each in findings), said


def test_only_a_right_calculation_gives_a_number_of_the_prose() -> None:
    (claim, *_) = (each for each in REPORT.claims if "67.4" in each.quote)
    value = "67.4 ± 0.5 km/s/Mpc"
    assert value in claim.quote
    for expression, is_right in (("2 * a", True), ("3 * a", False)):
        made = Calculation(
            expression=expression,
            operands=(Operand(name="a", claim_id=claim.id, value=value),),
            result="134.8 km/s/Mpc",
        )
        summary = f"{REPORT.summary} Twice that is 134.8 km/s/Mpc [{claim.id}]."
        report = a_report(summary=summary, calculations=(made,))
        named = _named(_audit(report), Check.NUMBER)
        assert ("executive summary" not in named) is is_right, expression


FABRICATED = "The SH0ES team fabricated its data."


@pytest.mark.parametrize("place", ["summary", "section"])
@pytest.mark.parametrize("form", ["\n\n{}", "\n- {}", "\n\n> {}", "\n\n{} {}"])
def test_a_paragraph_that_cites_nothing_is_named(form: str, place: str) -> None:
    added = form.format(FABRICATED, "They hid it.")
    section = REPORT.sections[0]
    report = (
        a_report(summary=REPORT.summary + added)
        if place == "summary"
        else _with_section(section, summary=section.summary + added)
    )
    findings = _audit(derive_report(report)).findings
    assert {each.check for each in findings} == {Check.COVERAGE}
    assert findings[0].message == f"“{FABRICATED}”: It cites no claim that may be used."


def test_without_a_model_every_sentence_is_a_quote_with_its_citation() -> None:
    claims = {claim.id: claim for claim in REPORT.claims}
    texts = [f"- “{claims[name].quote}” [{name}]" for name in ("c1", "c6", "c11")]
    rules = REPORT.reasoner.model_copy(update={"uses_language_model": False})

    def audited(summary: str) -> list[Check]:
        drafts = [
            section.model_copy(update={"summary": "\n".join(texts), "figures": ()})
            for section in REPORT.sections
        ]
        cited = tuple(claims[name] for name in ("c1", "c6", "c11"))
        changes = {"summary": summary, "sections": tuple(drafts), "claims": cited}
        report = derive_report(REPORT.model_copy(update={**changes, "reasoner": rules}))
        return [each.check for each in _audit(report).findings]

    assert audited("\n".join(texts)) == []
    for wrong, check in (
        (f"{texts[0]} {FABRICATED}", Check.COVERAGE),
        (f"{texts[0]}\n- “{FABRICATED}” [c1]", Check.QUOTE),
        (texts[0].replace("Assuming", "Never assuming"), Check.QUOTE),
        (texts[0].replace("inferred", "not inferred"), Check.QUOTE),
        (texts[0].replace("[c1]", "[c6]"), Check.QUOTE),
    ):
        assert check in audited(wrong), wrong


def test_figures_stand_in_their_claims() -> None:
    first, *rest = FIGURES
    for changes, words in (
        ({"value": "67.5 ± 0.5 km/s/Mpc"}, "is not in the quote of claim c1"),
        ({"claim_id": "c77"}, "names no claim"),
    ):
        figure = first.model_copy(update=changes)
        result = _audit(a_report(stated=(figure, *rest)))
        assert any(words in finding.message for finding in result.findings), words


def _digits(text: str) -> list[int]:
    """Offsets of digits that are neither in a marker nor in a name."""
    hidden = [m.span() for m in re.finditer(r"\[c\d+\]|[A-Za-z]+\d\w*", text)]
    return [
        m.start()
        for m in re.finditer(r"\d", text)
        if not any(start <= m.start() < end for start, end in hidden)
    ]

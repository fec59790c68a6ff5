"""What a report says of contradictions is checked; each thing that is broken is named."""

import re

import pytest

from caveat.contracts.audit import Check
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.report import Report
from caveat.contracts.source import ClaimState
from caveat.rules.audit.checks import audit, build_report_grounds
from caveat.rules.sentences.checks import find_text_flaws
from tests.fakes.reports import AWAITED, BOTH_HOLD, NOBODY_CAME, a_disputed_report, texts_of

REPORT = a_disputed_report()


def findings(report: Report) -> list[tuple[Check, str, str]]:
    found = audit(Report.model_validate_json(report.model_dump_json()), texts_of(report)).findings
    return [(each.check, each.where, each.message) for each in found]


def disputed(report: Report) -> list[tuple[str, str]]:
    """Findings about contradictions and remarks; nothing else is wrong."""
    named = findings(report)
    assert {check for check, _, _ in named} <= {Check.CONTRADICTION, Check.CITATION}, named
    return [(where, message) for _, where, message in named]


def having(contradiction: Contradiction) -> Report:
    """The report with one of its contradictions exchanged, and nothing else."""
    return REPORT.model_copy(
        update={
            "contradictions": tuple(
                contradiction if each.id == contradiction.id else each
                for each in REPORT.contradictions
            )
        }
    )


def with_section(number: int, summary: str) -> Report:
    section = REPORT.sections[number].model_copy(update={"summary": summary})
    sections = list(REPORT.sections)
    sections[number] = section
    return REPORT.model_copy(update={"sections": tuple(sections)})


def test_a_report_with_every_sort_of_contradiction_passes() -> None:
    result = audit(REPORT, texts_of(REPORT))
    assert result.findings == ()
    assert result.contradictions == 3


MARKERS = [
    (where, match.start())
    for where, text in enumerate([REPORT.summary, *(s.summary for s in REPORT.sections)])
    for match in re.finditer(r"\[contradiction-\d\]", text)
]


@pytest.mark.parametrize(("where", "at"), MARKERS)
def test_every_contested_claim_must_be_marked_wherever_it_is_cited(where: int, at: int) -> None:
    size = len("[contradiction-1]")
    if where == 0:
        flat = REPORT.model_copy(
            update={"summary": REPORT.summary[:at] + REPORT.summary[at + size :]}
        )
    else:
        text = REPORT.sections[where - 1].summary
        flat = with_section(where - 1, text[:at] + text[at + size :])
    ((_, message),) = disputed(flat)
    assert "flatly" in message


def test_a_sentence_without_any_marker_is_named_with_its_place() -> None:
    title = REPORT.sections[1].title
    flat = REPORT.sections[1].summary.replace("[contradiction-1]", "")
    ((where, message),) = disputed(with_section(1, flat))
    assert where == f"section “{title}”"
    assert "states claim c6 flatly" in message
    assert "contradiction-1" in message


def test_a_marker_that_names_no_contradiction_is_named() -> None:
    summary = REPORT.summary.replace("[contradiction-1]", "[contradiction-1][contradiction-9]")
    messages = [message for _, message in disputed(REPORT.model_copy(update={"summary": summary}))]
    assert "[contradiction-9] names no contradiction of the report." in messages


def test_a_marker_that_is_not_directly_behind_its_claim_is_named() -> None:
    summary = REPORT.summary.replace("[c6][contradiction-1]", "[c6] they say [contradiction-1]")
    ((_, message),) = disputed(REPORT.model_copy(update={"summary": summary}))
    assert "flatly" in message


def test_a_sentence_may_not_rest_on_an_uncertain_claim() -> None:
    text = f"{REPORT.sections[4].summary} About 50 such events would narrow it. [c17]"
    found = disputed(with_section(4, text))
    assert any("rests on claim c17, which is uncertain" in message for _, message in found)


def test_a_sentence_may_not_rest_on_an_overruled_claim() -> None:
    ruled = BOTH_HOLD.model_copy(update={"ruling": "a"})
    found = disputed(a_disputed_report(AWAITED, ruled, NOBODY_CAME))
    assert any("rests on claim c13, which is overruled" in message for _, message in found)


def test_a_sentence_may_not_state_an_overruled_side_of_a_claim_that_is_used() -> None:
    first, second = BOTH_HOLD.sides
    sides = (first, second.model_copy(update={"value": "67.4 km/s/Mpc"}))
    ruled = BOTH_HOLD.model_copy(update={"sides": sides, "ruling": "a"})
    grounds = build_report_grounds(a_disputed_report(AWAITED, ruled, NOBODY_CAME))
    (fallen,) = grounds.overruled
    used = grounds.claims[fallen.claim].model_copy(update={"state": ClaimState.SCOPED})
    said = f"Lensed quasars give {fallen.value}."
    assert f"It states “{fallen.value}”, which is overruled." in [
        *find_text_flaws(said, [used], grounds)
    ]


def test_a_side_that_the_report_lacks_is_named() -> None:
    kept = tuple(claim for claim in REPORT.claims if claim.id != "c22")
    found = findings(REPORT.model_copy(update={"claims": kept}))
    messages = [message for check, _, message in found if check is Check.CONTRADICTION]
    assert "Its claim c22 is missing in the report, and the quote with it." in messages


def test_a_ruling_that_nobody_could_give_is_named_and_breaks_nothing() -> None:
    (settled,) = [each for each in REPORT.contradictions if each.ruling is not None]
    found = findings(having(settled.model_copy(update={"ruling": "z"})))
    assert (Check.CONTRADICTION, settled.id) in {(check, where) for check, where, _ in found}

"""What a report says of contradictions is checked; each thing that is broken is named."""

import re

import pytest

from caveat.contracts.audit import Check
from caveat.contracts.claim import Claim, ClaimState
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.report import Report
from caveat.rules.audit import audit
from caveat.rules.audit.checks import build_report_grounds
from caveat.rules.contradictions.contest import is_worse
from caveat.rules.sentences import find_text_flaws
from tests.fakes.reports import AWAITED, BOTH_HOLD, DEBATE, NOBODY_CAME, a_disputed_report, texts_of

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


def with_claim(claim_id: str, **changes: object) -> Report:
    claims = (c.model_copy(update=changes) if c.id == claim_id else c for c in REPORT.claims)
    return REPORT.model_copy(update={"claims": tuple(claims)})


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


def test_a_marker_at_a_claim_that_nothing_contests_is_named() -> None:
    summary = REPORT.summary.replace("[c8]", "[c8][contradiction-2]")
    ((_, message),) = disputed(REPORT.model_copy(update={"summary": summary}))
    assert "is marked with contradiction-2 where that contests nothing" in message


def test_a_marker_that_is_not_directly_behind_its_claim_is_named() -> None:
    summary = REPORT.summary.replace("[c6][contradiction-1]", "[c6] they say [contradiction-1]")
    messages = [message for _, message in disputed(REPORT.model_copy(update={"summary": summary}))]
    assert len(messages) == 2
    assert "flatly" in messages[0]
    assert "contests nothing" in messages[1]


def test_a_sentence_may_not_rest_on_an_uncertain_claim() -> None:
    text = f"{REPORT.sections[4].summary} About 50 such events would narrow it. [c17]"
    changed = with_section(4, text)
    section = changed.sections[4].model_copy(
        update={"claims": (*changed.sections[4].claims, "c17")}
    )
    sections = (*changed.sections[:4], section, *changed.sections[5:])
    found = disputed(changed.model_copy(update={"sections": sections}))
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


@pytest.mark.parametrize("claim", REPORT.claims, ids=lambda claim: claim.id)
def test_states_of_claims_follow_from_the_contradictions(claim: Claim) -> None:
    for state in set(ClaimState) - {claim.state}:
        found = disputed(with_claim(claim.id, state=state))
        expected = f"It is {state}; by the contradictions it is {claim.state}."
        # Older versions let more claims share the fate of a value.
        is_older = bool(claim.contested_by) and is_worse(state, claim.state)
        assert ((f"claim {claim.id}", expected) in found) is not is_older


def test_a_side_that_the_report_lacks_is_named() -> None:
    kept = tuple(claim for claim in REPORT.claims if claim.id != "c22")
    found = findings(REPORT.model_copy(update={"claims": kept}))
    messages = [message for check, _, message in found if check is Check.CONTRADICTION]
    assert "Its claim c22 is missing in the report, and the quote with it." in messages


@pytest.mark.parametrize(("field", "value"), [("claim_id", "c99"), ("evidence", ("c3", "c99"))])
def test_a_remark_on_nothing_is_named(field: str, value: object) -> None:
    first, *others = DEBATE.challenges
    remarks = (first.model_copy(update={field: value}), *others)
    silent = {"messages": (), "rounds": 0, "closing": None}
    debate = DEBATE.model_copy(update={"challenges": remarks, **silent})
    assert disputed(REPORT.model_copy(update={"debate": debate})) == [
        ("debate, advocate", "c99 names no claim of the report.")
    ]


def test_a_ruling_that_nobody_could_give_is_named_and_breaks_nothing() -> None:
    (settled,) = [each for each in REPORT.contradictions if each.ruling is not None]
    found = findings(having(settled.model_copy(update={"ruling": "z"})))
    assert (Check.CONTRADICTION, settled.id) in {(check, where) for check, where, _ in found}

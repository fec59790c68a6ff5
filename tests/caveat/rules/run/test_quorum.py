from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.outcome import Ending, Findings
from caveat.contracts.plan import Assignment, QuorumPolicy
from caveat.contracts.source import Claim
from caveat.contracts.synthesis import Challenge, Debate, Participant, Stance
from caveat.contracts.tasks import NoticeKind
from caveat.rules.run.quorum import (
    DEBATE,
    DEGRADED,
    Contribution,
    QuorumMember,
    Verdict,
    assess_assignment,
    build_debate,
    build_notice,
    check_quorum,
    find_shortfall,
    has_quorum,
    rate_completeness,
    select_retries,
)

GENERAL = QuorumPolicy(minimum_share=0.5, penalty=0.1)
INVESTMENT = QuorumPolicy(minimum_share=0.6, penalty=0.1)
CLAIM = Claim(
    id="c1", text="x", quote="x", source_id="s-1", assignment_id="a2", start=0, end=1, relevance=1
)
WHOLE, WEAKENED, MISSING = Contribution.WHOLE, Contribution.WEAKENED, Contribution.MISSING

MEMBERS = st.lists(st.tuples(st.sampled_from(Contribution), st.booleans()), min_size=1, max_size=8)
SHARES = st.integers(1, 100).map(lambda percent: percent / 100)


def seats(*members: tuple[Contribution, bool]) -> list[QuorumMember]:
    return [
        QuorumMember(
            assignment_id=f"a{number}",
            title=f"Angle {number}",
            contribution=each,
            critical=critical,
        )
        for number, (each, critical) in enumerate(members, start=1)
    ]


def common(*standings: Contribution) -> list[QuorumMember]:
    return seats(*((each, False) for each in standings))


@pytest.mark.parametrize(
    ("completeness", "expected"),
    [(1.0, WHOLE), (0.99, WEAKENED), (0.71, WEAKENED), (0.70, MISSING), (0.0, MISSING)],
)
def test_a_partial_result_counts_above_seventy_percent(
    completeness: float, expected: Contribution
) -> None:
    assert rate_completeness(completeness) is expected


def test_a_seat_says_who_sits_there_and_how_it_counts() -> None:
    angle = Assignment(id="a2", title="Width", question="?", queries=("q",), critical=True)
    expected = QuorumMember(assignment_id="a2", title="Width", contribution=WEAKENED, critical=True)
    assert (
        assess_assignment(Findings(assignment=angle, attempted=10, failed=2, claims=(CLAIM,)))
        == expected
    )


@pytest.mark.parametrize(
    ("attempted", "failed", "found_nothing"),
    [(0, 0, True), (8, 0, True), (10, 2, True), (10, 9, False), (1, 1, False)],
)
def test_who_brings_no_claim_fills_no_seat(
    attempted: int, failed: int, *, found_nothing: bool
) -> None:
    angle = Assignment(id="a2", title="Width", question="?", queries=("q",), critical=True)
    empty = assess_assignment(Findings(assignment=angle, attempted=attempted, failed=failed))
    assert (empty.contribution, empty.found_nothing) == (MISSING, found_nothing)
    held = check_quorum(GENERAL, [empty])
    assert not held.is_met
    assert bool(select_retries(held)) is not found_nothing


@given(MEMBERS, SHARES)
def test_a_share_is_rounded_up_exactly(
    members: list[tuple[Contribution, bool]], share: float
) -> None:
    """A share such as 0.6 is no binary number, and 3 of 5 must not become 4."""
    held = check_quorum(QuorumPolicy(minimum_share=share, penalty=0), seats(*members))
    assert held.needed == ceil(Fraction(str(share)) * len(members))
    assert held.is_met is (sum(each is not MISSING for each, _ in members) >= held.needed)


@pytest.mark.parametrize(
    ("members", "is_met", "retried"),
    [
        # docs/teams.md: the run fails by name without a critical one.
        ([(WHOLE, True), (MISSING, True), *[(WHOLE, False)] * 2, (MISSING, False)], True, ["a2"]),
        (
            [(WHOLE, True), (MISSING, False), (MISSING, True), (WHOLE, False), (MISSING, False)],
            False,
            ["a3", "a2", "a5"],
        ),
    ],
)
def test_what_is_missing_is_retried_with_the_critical_first(
    members: list[tuple[Contribution, bool]], is_met: bool, retried: list[str]
) -> None:
    held = check_quorum(INVESTMENT, seats(*members))
    assert (held.is_met, held.suffices) == (is_met, False)
    assert [each.assignment_id for each in select_retries(held)] == retried


def test_with_its_quorum_a_run_goes_on_without_the_rest() -> None:
    assert find_shortfall(check_quorum(GENERAL, common(WHOLE, MISSING))) is None


def lacking_seat(title: str, *, critical: bool = False) -> QuorumMember:
    return QuorumMember(
        assignment_id=title.lower(),
        title=title,
        contribution=Contribution.MISSING,
        critical=critical,
    )


NEWS, FINANCE, BUSINESS = (
    lacking_seat("News"),
    lacking_seat("Finance", critical=True),
    lacking_seat("Business", critical=True),
)

SHORT = Verdict(
    needed=3, counted=2, missing=(NEWS, lacking_seat("Strategy"), lacking_seat("Valuation"))
)
HEADLESS = Verdict(needed=3, counted=4, missing=(FINANCE,))
RUINED = Verdict(needed=3, counted=1, missing=(NEWS, FINANCE, BUSINESS, lacking_seat("Strategy")))


@pytest.mark.parametrize(
    ("held", "ending", "subject", "said"),
    [
        (SHORT, Ending.INSUFFICIENT_AGENTS, None, "Only 2 of 5 assignments brought anything and 3"),
        (HEADLESS, Ending.CRITICAL_AGENT_FAILED, "Finance", "“Finance” failed"),
        (RUINED, Ending.CRITICAL_AGENT_FAILED, "Finance, Business", "“Finance”, “Business” failed"),
    ],
)
def test_a_run_that_lacks_somebody_ends_by_a_name(
    held: Verdict, ending: Ending, subject: str | None, said: str
) -> None:
    lacking = find_shortfall(held)
    assert lacking is not None
    assert (lacking.ending, lacking.subject) == (ending, subject)
    assert lacking.message.startswith(said)
    limited = find_shortfall(held, ("cost_usd",))
    assert limited is not None
    assert "the budget of cost_usd left tasks out" in limited.message


@pytest.mark.parametrize(
    ("held", "kind", "said"),
    [
        (SHORT, NoticeKind.QUORUM_LOST, "Only 2 of 5 assignments"),
        (HEADLESS, NoticeKind.CRITICAL_AGENT_FAILED, "“Finance” failed"),
        (RUINED, NoticeKind.CRITICAL_AGENT_FAILED, "“Finance”, “Business” failed"),
    ],
)
def test_people_are_told_what_is_tried_again(held: Verdict, kind: NoticeKind, said: str) -> None:
    told, message = build_notice(held)
    assert told is kind
    assert message.startswith(said)
    assert "again" in message


@pytest.mark.parametrize(
    ("critical", "ending"),
    [(True, Ending.CRITICAL_AGENT_FAILED), (False, Ending.INSUFFICIENT_AGENTS)],
)
def test_what_a_budget_kept_from_looking_did_not_find_nothing(
    critical: bool, ending: Ending
) -> None:
    silent = tuple(nothing(title, critical=critical) for title in "abc")
    lacking = find_shortfall(Verdict(needed=3, counted=2, missing=silent), ("cost_usd",))
    assert lacking is not None
    assert (lacking.ending, lacking.is_silence) == (ending, False)


def nothing(title: str, *, critical: bool = False) -> QuorumMember:
    return lacking_seat(title, critical=critical).model_copy(update={"found_nothing": True})


@pytest.mark.parametrize(
    ("missing", "counted", "ending", "said"),
    [
        (
            (nothing("Business", critical=True), nothing("Finance", critical=True)),
            3,
            Ending.INSUFFICIENT_EVIDENCE,
            "“Business”, “Finance” searched and found nothing and the run cannot do without: ask",
        ),
        (
            (nothing("Business", critical=True), FINANCE),
            3,
            Ending.CRITICAL_AGENT_FAILED,
            (
                "“Finance” failed, “Business” searched and found nothing and the run cannot do "
                "without: see the failures"
            ),
        ),
        (
            (nothing("News"), nothing("Strategy"), nothing("Valuation")),
            2,
            Ending.INSUFFICIENT_EVIDENCE,
            (
                "Only 2 of 5 assignments brought anything and 3 are needed (3 searched and found "
                "nothing): ask"
            ),
        ),
        (
            (nothing("News"), lacking_seat("Strategy"), nothing("Valuation")),
            2,
            Ending.INSUFFICIENT_AGENTS,
            (
                "Only 2 of 5 assignments brought anything and 3 are needed (1 could not be carried "
                "out, 2 searched and found nothing): see the failures"
            ),
        ),
        (
            tuple(nothing(title) for title in "abcde"),
            0,
            Ending.INSUFFICIENT_EVIDENCE,
            "No passage on the topic was found",
        ),
    ],
)
def test_who_found_nothing_is_told_from_who_could_not_search(
    missing: tuple[QuorumMember, ...], counted: int, ending: Ending, said: str
) -> None:
    held = Verdict(needed=3, counted=counted, missing=missing)
    lacking = find_shortfall(held)
    assert lacking is not None
    assert lacking.ending is ending
    assert lacking.is_silence is (ending is Ending.INSUFFICIENT_EVIDENCE and not lacking.subject)
    assert lacking.message.startswith(said)
    assert all(not each.found_nothing for each in select_retries(held))


ADVOCATE, SCEPTIC, METHODOLOGIST = Participant


def remark(
    on: str, *evidence: str, by: Participant = SCEPTIC, text: str = "It is old."
) -> Challenge:
    return Challenge(
        claim_id=on, raised_by=by, stance=Stance.CHALLENGES, text=text, evidence=evidence
    )


@pytest.mark.parametrize(
    ("there", "enough"),
    [
        ((), False),
        ((SCEPTIC,), False),
        ((ADVOCATE, SCEPTIC), True),
        ((ADVOCATE, METHODOLOGIST), True),
        (tuple(Participant), True),
    ],
)
def test_two_of_three_are_a_debate(there: tuple[Participant, ...], enough: bool) -> None:
    contributions = {each: () if each in there else None for each in Participant}
    debate = build_debate(contributions)
    assert has_quorum(contributions) is enough
    assert debate.present == there
    assert set(debate.missing) == set(Participant) - set(there)
    assert (DEBATE.penalty, DEGRADED) == (0.20, 0.50)


def test_remarks_stand_in_the_order_of_the_claims_and_of_the_participants() -> None:
    debate = build_debate(
        {
            METHODOLOGIST: (remark("c2", by=METHODOLOGIST),),
            ADVOCATE: (remark("c10", by=ADVOCATE), remark("c2", by=ADVOCATE)),
        }
    )
    assert [(each.claim_id, each.raised_by) for each in debate.challenges] == [
        ("c2", ADVOCATE), ("c2", METHODOLOGIST), ("c10", ADVOCATE),
    ]  # fmt: skip
    assert isinstance(debate, Debate)

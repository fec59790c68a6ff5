"""What people are told when assignments are missing, and how the run then ends."""

import pytest

from caveat.contracts.notice import NoticeKind
from caveat.contracts.outcome import Ending
from caveat.rules.quorum import Seat, Standing, Verdict, to_retry
from caveat.rules.shortfall import notice, shortfall


def seat(title: str, *, critical: bool = False) -> Seat:
    return Seat(
        assignment_id=title.lower(), title=title, standing=Standing.MISSING, critical=critical
    )


NEWS, FINANCE, BUSINESS = (
    seat("News"),
    seat("Finance", critical=True),
    seat("Business", critical=True),
)

WHOLE = Verdict(needed=3, counted=5)
THIN = Verdict(needed=3, counted=3, missing=(NEWS, seat("Strategy")))
SHORT = Verdict(needed=3, counted=2, missing=(NEWS, seat("Strategy"), seat("Valuation")))
HEADLESS = Verdict(needed=3, counted=4, missing=(FINANCE,))
RUINED = Verdict(needed=3, counted=1, missing=(NEWS, FINANCE, BUSINESS, seat("Strategy")))


@pytest.mark.parametrize("held", [WHOLE, THIN])
def test_a_run_that_has_enough_goes_on(held: Verdict) -> None:
    assert shortfall(held) is None


def test_below_the_quorum_a_run_ends_by_that_name() -> None:
    lacking = shortfall(SHORT)
    assert lacking is not None
    assert (lacking.ending, lacking.subject) == (Ending.INSUFFICIENT_AGENTS, None)
    assert lacking.message.startswith(
        "Only 2 of 5 assignments brought anything and 3 are needed (3 could not be carried out)"
    )


@pytest.mark.parametrize(
    ("held", "subject"), [(HEADLESS, "Finance"), (RUINED, "Finance, Business")]
)
def test_without_a_critical_assignment_a_run_ends_by_its_name(held: Verdict, subject: str) -> None:
    lacking = shortfall(held)
    assert lacking is not None
    assert (lacking.ending, lacking.subject) == (Ending.CRITICAL_AGENT_FAILED, subject)
    assert "“Finance”" in lacking.message


@pytest.mark.parametrize(
    ("held", "kind", "said"),
    [
        (SHORT, NoticeKind.QUORUM_LOST, "Only 2 of 5 assignments"),
        (HEADLESS, NoticeKind.CRITICAL_AGENT_FAILED, "“Finance” failed"),
        (RUINED, NoticeKind.CRITICAL_AGENT_FAILED, "“Finance”, “Business” failed"),
    ],
)
def test_people_are_told_what_is_tried_again(held: Verdict, kind: NoticeKind, said: str) -> None:
    told, message = notice(held)
    assert told is kind
    assert message.startswith(said)
    assert "again" in message


@pytest.mark.parametrize("held", [WHOLE, THIN, SHORT, HEADLESS, RUINED])
def test_a_run_ends_only_for_what_it_would_have_retried(held: Verdict) -> None:
    assert (shortfall(held) is not None) == bool(to_retry(held))


def test_a_budget_that_left_tasks_out_is_named() -> None:
    lacking = shortfall(SHORT, ("cost_usd",))
    assert lacking is not None
    assert "the budget of cost_usd left tasks out" in lacking.message


def nothing(title: str, *, critical: bool = False) -> Seat:
    return seat(title, critical=critical).model_copy(update={"found_nothing": True})


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
            (nothing("News"), seat("Strategy"), nothing("Valuation")),
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
    missing: tuple[Seat, ...], counted: int, ending: Ending, said: str
) -> None:
    held = Verdict(needed=3, counted=counted, missing=missing)
    lacking = shortfall(held)
    assert lacking is not None
    assert lacking.ending is ending
    assert lacking.message.startswith(said)
    assert all(not each.found_nothing for each in to_retry(held))

"""What is done about each failure: one remedy at the most, and nothing for what cannot work."""

import pytest

from caveat.contracts.envelope import CATEGORIES, Failure, FailureCategory, FailureType
from caveat.contracts.report import Remedy
from caveat.rules.run.recovery import SYSTEMIC, Recovery, is_systemic, opens, select_recovery


def failure(kind: FailureType, **changes: object) -> Failure:
    fields = {
        "category": min(CATEGORIES[kind]),
        "failure_type": kind,
        "message": "It failed.",
        **changes,
    }
    return Failure.model_validate(fields)


ANOTHER = {"alternatives": ("there", "elsewhere")}
LATER = {"retry_recommended": True}
TAKEN = Recovery(remedy=Remedy.ALTERNATIVE, alternative="there")
WRONG = FailureCategory.VALIDATION  # an answer that does not fit its form

TABLE = [
    # What failed, what else is known of it, how much was done, and what follows.
    (FailureType.TIMEOUT, {}, 0.4, Recovery(remedy=Remedy.REMAINING_WORK)),
    (FailureType.TIMEOUT, ANOTHER, 0.4, Recovery(remedy=Remedy.REMAINING_WORK)),
    (FailureType.TIMEOUT, LATER, 0.0, Recovery(remedy=Remedy.LATER)),
    (FailureType.TIMEOUT, {**LATER, **ANOTHER}, 0.0, TAKEN),
    (FailureType.TIMEOUT, {}, 0.0, None),
    (FailureType.RATE_LIMITED, {}, 0.0, Recovery(remedy=Remedy.NARROWED)),
    (
        FailureType.RATE_LIMITED,
        {"retry_after_s": 60.0, **ANOTHER},
        0.0,
        Recovery(remedy=Remedy.NARROWED, wait_s=60.0),
    ),
    (FailureType.UNAVAILABLE, LATER, 0.0, Recovery(remedy=Remedy.LATER)),
    (FailureType.UNAVAILABLE, {**LATER, **ANOTHER}, 0.0, TAKEN),
    (FailureType.UNAVAILABLE, {}, 0.0, None),
    (
        FailureType.AUTH_ERROR,
        {"provider": "acme"},
        0.0,
        Recovery(remedy=Remedy.REFRESHED_CREDENTIALS),
    ),
    # A file that may not be read has no provider whose credentials could be new.
    (FailureType.AUTH_ERROR, {}, 0.0, None),
    (FailureType.AUTH_ERROR, ANOTHER, 0.0, TAKEN),
    (FailureType.AUTH_ERROR, {"provider": "acme", **ANOTHER}, 0.0, TAKEN),
    (FailureType.NOT_FOUND, {}, 0.0, None),
    (FailureType.NOT_FOUND, ANOTHER, 0.0, TAKEN),
    (FailureType.PERMANENT, {}, 0.0, None),
    (FailureType.PERMANENT, {**LATER, "category": WRONG}, 0.0, None),  # a follow-up asks anew
    (FailureType.PERMANENT, ANOTHER, 0.0, TAKEN),
]


@pytest.mark.parametrize(("kind", "facts", "completeness", "expected"), TABLE)
def test_the_remedy_of_each_failure(
    kind: FailureType, facts: dict[str, object], completeness: float, expected: Recovery | None
) -> None:
    assert select_recovery(failure(kind, **facts), completeness) == expected


def test_the_table_knows_every_failure_type() -> None:
    assert {row[0] for row in TABLE} == set(FailureType)


@pytest.mark.parametrize("category", sorted(CATEGORIES[FailureType.PERMANENT]))
def test_the_unforeseen_is_never_retried_blindly(category: FailureCategory) -> None:
    assert select_recovery(failure(FailureType.PERMANENT, category=category), 0.5) is None


DOWN = failure(FailureType.UNAVAILABLE)
GONE = failure(FailureType.NOT_FOUND)
BROKEN = failure(FailureType.PERMANENT, category=FailureCategory.VALIDATION)
BUG = failure(FailureType.PERMANENT, category=FailureCategory.UNKNOWN)


@pytest.mark.parametrize("kind", FailureType)
def test_failures_of_the_service_open_it_and_of_the_input_do_not(kind: FailureType) -> None:
    is_permanent = kind is FailureType.PERMANENT
    category = FailureCategory.BUSINESS if is_permanent else min(CATEGORIES[kind])
    assert opens([failure(kind, category=category)] * 3) is (kind in SYSTEMIC)


def test_what_a_provider_refuses_it_refuses_again() -> None:
    assert is_systemic(
        failure(FailureType.PERMANENT, category=FailureCategory.BUSINESS, provider="acme")
    )


REFUSED = failure(FailureType.AUTH_ERROR, category=FailureCategory.PERMISSION, provider="acme")


@pytest.mark.parametrize(
    ("last", "is_known", "is_open"),
    [
        ([], False, False),
        ([DOWN, DOWN], False, False),  # a coincidence
        ([GONE, *[DOWN] * 3], False, True),  # only the last ones count
        ([*[DOWN] * 3, GONE], False, False),
        # Those of two providers are not alike.
        ([DOWN, DOWN, failure(FailureType.UNAVAILABLE, provider="acme")], False, False),
        ([GONE] * 30, False, False),  # missing pages and broken documents say nothing of the next
        ([BROKEN] * 30, False, False),
        ([BUG] * 3, False, True),  # a bug strikes the next one too
        ([REFUSED], True, True),  # one refused key is enough at a known provider
        ([REFUSED], False, False),
        ([DOWN], True, False),
    ],
)
def test_like_failures_open_it(last: list[Failure], *, is_known: bool, is_open: bool) -> None:
    assert opens(last, is_known=is_known) is is_open

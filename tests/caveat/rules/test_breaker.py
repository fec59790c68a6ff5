"""The breaker opens for what says something of the service, and for nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.failure import CATEGORIES, Failure, FailureCategory, FailureType
from caveat.rules.breaker import SCOUTS, SYSTEMIC, is_systemic, opens


def failure(
    kind: FailureType, category: FailureCategory | None = None, provider: str | None = None
) -> Failure:
    return Failure(
        category=category or min(CATEGORIES[kind]),
        failure_type=kind,
        message="It failed.",
        provider=provider,
    )


DOWN = failure(FailureType.UNAVAILABLE)
GONE = failure(FailureType.NOT_FOUND)
BROKEN = failure(FailureType.PERMANENT, FailureCategory.VALIDATION)
BUG = failure(FailureType.PERMANENT, FailureCategory.UNKNOWN)


@pytest.mark.parametrize("kind", FailureType)
def test_failures_of_the_service_open_it_and_failures_of_the_input_do_not(
    kind: FailureType,
) -> None:
    category = FailureCategory.BUSINESS if kind is FailureType.PERMANENT else None
    assert opens([failure(kind, category)] * SCOUTS) is (kind in SYSTEMIC)


def test_one_and_two_are_not_enough() -> None:
    assert not opens([])
    assert not opens([DOWN] * (SCOUTS - 1))
    assert opens([DOWN] * SCOUTS)


def test_missing_pages_and_broken_documents_say_nothing_of_the_next_one() -> None:
    assert not opens([GONE] * 30)
    assert not opens([BROKEN] * 30)


def test_a_bug_strikes_the_next_one_too() -> None:
    assert opens([BUG] * SCOUTS)


def test_what_a_provider_refuses_it_refuses_again() -> None:
    assert is_systemic(failure(FailureType.PERMANENT, FailureCategory.BUSINESS, "acme"))


@pytest.mark.parametrize(
    "other",
    [failure(FailureType.TIMEOUT), failure(FailureType.UNAVAILABLE, provider="acme"), GONE],
)
def test_failures_that_differ_do_not_open_it(other: Failure) -> None:
    assert not opens([DOWN, DOWN, other])
    assert not opens([other, DOWN, DOWN])


def test_only_the_first_ones_count() -> None:
    assert opens([*[DOWN] * SCOUTS, GONE])
    assert not opens([GONE, *[DOWN] * SCOUTS])


@given(st.lists(st.sampled_from([DOWN, GONE, BROKEN, BUG]), max_size=6))
def test_it_opens_only_when_the_first_are_alike(first: list[Failure]) -> None:
    if opens(first):
        assert first[:SCOUTS] == [first[0]] * SCOUTS
        assert is_systemic(first[0])

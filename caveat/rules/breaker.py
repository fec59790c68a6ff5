"""The circuit breaker: when the first of a fan-out all fail alike, the rest is not started."""

from collections.abc import Sequence

from caveat.contracts.failure import Failure, FailureCategory, FailureType

SCOUTS = 3
"""Tasks that go first. One failure is an accident and two a coincidence; waiting for more would
cost a fan-out of eight most of what the breaker saves."""

NOT_STARTED = "Not started, because others failed alike: "
"""Begins the message of a task that was not tried; the reason of those others follows."""

SYSTEMIC = frozenset(
    {
        FailureType.RATE_LIMITED,
        FailureType.TIMEOUT,
        FailureType.UNAVAILABLE,
    }
)
"""Failures that say something of the service, as all do that name a provider. A missing page says
nothing of the next one, and neither does a file that may not be read."""


def is_systemic(failure: Failure) -> bool:
    """Tell whether the next task of the same kind is likely to fail alike."""
    return (
        failure.failure_type in SYSTEMIC
        or failure.category is FailureCategory.UNKNOWN
        or failure.provider is not None
    )


def opens(first: Sequence[Failure]) -> bool:
    """Tell whether the first failures of a fan-out without any success stop the rest of it."""
    if len(first) < SCOUTS:
        return False
    alike = {(each.category, each.failure_type, each.provider) for each in first[:SCOUTS]}
    return len(alike) == 1 and is_systemic(first[0])

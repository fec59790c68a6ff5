"""Recovery: what the coordinator does about a failure, and when it stops trying.

Temporal has retried the same input already where that could help; what is left needs another input,
another time, or nothing at all. Where the first of a fan-out all fail alike, the circuit breaker
opens and the rest is not started.
"""

from collections.abc import Sequence

from caveat.contracts.base import Contract
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.contracts.report import Remedy


class Recovery(Contract):
    """A remedy, and the changed input where the failure suggests one.

    Attributes:
        remedy: what to do.
        alternative: the input to use instead, for `ALTERNATIVE`.
        wait_s: seconds to wait first, as the provider asked.
    """

    remedy: Remedy
    alternative: str | None = None
    wait_s: float = 0.0


def recovery(failure: Failure, completeness: float) -> Recovery | None:
    """Choose what to do about a failure; None when nothing can help and it becomes a gap.

    Args:
        failure: what went wrong, after Temporal's own retries.
        completeness: share of the task that was done all the same, 0 to 1.
    """
    match failure.failure_type:
        case FailureType.TIMEOUT if completeness > 0:
            return Recovery(remedy=Remedy.REMAINING_WORK)
        case FailureType.RATE_LIMITED:
            return Recovery(remedy=Remedy.NARROWED, wait_s=failure.retry_after_s or 0.0)
        # An address that is open needs no key, and few hosts give us any.
        case FailureType.AUTH_ERROR if failure.provider is not None and not failure.alternatives:
            return Recovery(remedy=Remedy.REFRESHED_CREDENTIALS)
    return _another_input(failure) or _another_time(failure)


def _another_input(failure: Failure) -> Recovery | None:
    if not failure.alternatives:
        return None
    return Recovery(remedy=Remedy.ALTERNATIVE, alternative=failure.alternatives[0])


def _another_time(failure: Failure) -> Recovery | None:
    return Recovery(remedy=Remedy.LATER) if failure.retry_recommended else None


SCOUTS = 3
"""Tasks that go first. One failure is an accident and two a coincidence; waiting for more would
cost a fan-out of eight most of what the breaker saves."""

NOT_STARTED = "Not started, because others failed alike: "
"""Begins the message of a task that was not tried; the reason of those others follows."""

SYSTEMIC = frozenset({FailureType.RATE_LIMITED, FailureType.TIMEOUT, FailureType.UNAVAILABLE})
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

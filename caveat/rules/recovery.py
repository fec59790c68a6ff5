"""Recovery: what the coordinator does about a failure, once, with a changed input.

Temporal has retried the same input already where that could help; what is left needs another input,
another time, or nothing at all.
"""

from caveat.contracts.base import Contract
from caveat.contracts.failure import Failure, FailureType
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

"""The exceptions that ports may raise; each carries the failure that it stands for."""

from caveat.contracts.envelope import Usage
from caveat.contracts.failure import Failure, FailureCategory, FailureType


class PortFailure(Exception):
    """What an adapter raises when it cannot do what its port promises.

    Args:
        failure: the failure, in the domain's words.
        usage: what was spent on it all the same, as far as that is known.
    """

    def __init__(self, failure: Failure, usage: Usage | None = None) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.usage = usage or Usage()


def not_found(message: str, *, resource: str) -> PortFailure:
    """The thing is not there; another source may have it."""
    return PortFailure(
        Failure(
            category=FailureCategory.BUSINESS,
            failure_type=FailureType.NOT_FOUND,
            message=message,
            resource=resource,
        )
    )


def invalid(message: str, *, resource: str) -> PortFailure:
    """The input can never work as it is."""
    return PortFailure(
        Failure(
            category=FailureCategory.VALIDATION,
            failure_type=FailureType.PERMANENT,
            message=message,
            resource=resource,
        )
    )


def forbidden(message: str, *, resource: str) -> PortFailure:
    """Access is refused."""
    return PortFailure(
        Failure(
            category=FailureCategory.PERMISSION,
            failure_type=FailureType.AUTH_ERROR,
            message=message,
            resource=resource,
        )
    )


def unavailable(message: str, *, resource: str) -> PortFailure:
    """It may work later."""
    return PortFailure(
        Failure(
            category=FailureCategory.TRANSIENT,
            failure_type=FailureType.UNAVAILABLE,
            message=message,
            resource=resource,
            retry_recommended=True,
        )
    )


def timed_out(message: str, *, resource: str) -> PortFailure:
    """It took longer than it may."""
    return PortFailure(
        Failure(
            category=FailureCategory.TRANSIENT,
            failure_type=FailureType.TIMEOUT,
            message=message,
            resource=resource,
            retry_recommended=True,
        )
    )

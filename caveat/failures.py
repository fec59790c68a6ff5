"""The exceptions that ports may raise; a failure carries what it stands for."""

import errno

from caveat.contracts.envelope import Usage
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.problem import Problem


class PortFailure(Problem):
    """An adapter cannot keep the promise of its port."""

    def __init__(self, failure: Failure, usage: Usage | None = None) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.usage = usage or Usage()


def not_found(message: str, *, resource: str, provider: str | None = None) -> PortFailure:
    """It is not there; another source may have it."""
    return _build_failure(
        FailureCategory.BUSINESS, FailureType.NOT_FOUND, message, resource, provider
    )


def invalid(message: str, *, resource: str, provider: str | None = None) -> PortFailure:
    """The input can never work as it is."""
    return _build_failure(
        FailureCategory.VALIDATION, FailureType.PERMANENT, message, resource, provider
    )


def forbidden(message: str, *, resource: str, provider: str | None = None) -> PortFailure:
    return _build_failure(
        FailureCategory.PERMISSION, FailureType.AUTH_ERROR, message, resource, provider
    )


def unavailable(message: str, *, resource: str, provider: str | None = None) -> PortFailure:
    """It may work later."""
    return _build_failure(
        FailureCategory.TRANSIENT, FailureType.UNAVAILABLE, message, resource, provider
    )


def timed_out(message: str, *, resource: str, provider: str | None = None) -> PortFailure:
    """It took longer than it may."""
    return _build_failure(
        FailureCategory.TRANSIENT, FailureType.TIMEOUT, message, resource, provider
    )


_SHORTAGES = frozenset(
    {
        *(errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS, errno.EAGAIN),
        *(errno.ENOSPC, errno.EDQUOT),
    }
)


def is_shortage(error: BaseException) -> bool:
    """Whether the machine is short of files, memory, threads or disk, which passes."""
    if isinstance(error, OSError):
        return error.errno in _SHORTAGES
    return isinstance(error, MemoryError) or str(error) == "can't start new thread"


def _build_failure(
    category: FailureCategory,
    failure_type: FailureType,
    message: str,
    resource: str,
    provider: str | None,
) -> PortFailure:
    return PortFailure(
        Failure(
            category=category,
            failure_type=failure_type,
            message=message,
            resource=resource,
            provider=provider,
            retry_recommended=category is FailureCategory.TRANSIENT,
        )
    )

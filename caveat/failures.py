"""The exceptions that ports may raise; a failure carries what it stands for."""

import errno
from functools import partial

from caveat.contracts.envelope import CATEGORIES, Failure, FailureCategory, FailureType, Usage
from caveat.problem import Problem
from caveat.rules.lines import shorten


class PortFailure(Problem):
    """An adapter cannot keep the promise of its port."""

    def __init__(self, failure: Failure, usage: Usage | None = None) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.usage = usage or Usage()


_SENTENCE = 500  # characters that a failure's message may have; names and paths are of any length


def _build_failure(
    failure_type: FailureType,
    message: str,
    *,
    resource: str | None = None,
    provider: str | None = None,
    category: FailureCategory | None = None,
) -> PortFailure:
    category = category or CATEGORIES[failure_type][0]
    return PortFailure(
        Failure(
            category=category,
            failure_type=failure_type,
            message=shorten(message, _SENTENCE),
            resource=resource,
            provider=provider,
            retry_recommended=category is FailureCategory.TRANSIENT,
        )
    )


not_found = partial(_build_failure, FailureType.NOT_FOUND)
"""It is not there; another source may have it."""

invalid = partial(_build_failure, FailureType.PERMANENT)
"""The input can never work as it is."""

forbidden = partial(_build_failure, FailureType.AUTH_ERROR)

unavailable = partial(_build_failure, FailureType.UNAVAILABLE)
"""It may work later."""

timed_out = partial(_build_failure, FailureType.TIMEOUT)
"""It took longer than it may."""

unforeseen = partial(_build_failure, FailureType.PERMANENT, category=FailureCategory.UNKNOWN)
"""Nobody knows what it is; the message names the class of the error alone, whose own text may hold
text of strangers or a secret."""


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

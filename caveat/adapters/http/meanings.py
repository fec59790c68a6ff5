"""What can come of a request, and the rules of this side that stop one or refuse its answer."""

from caveat.contracts.envelope import FailureCategory, FailureType
from caveat.problem import InternalError

Kind = tuple[FailureType, FailureCategory]  # what happened, and who can do something about it

Meaning = tuple[FailureType, FailureCategory, str]
"""Meaning, and the rest of a sentence that begins with the service's name."""

TIMEOUT: Kind = (FailureType.TIMEOUT, FailureCategory.TRANSIENT)
BUSY: Kind = (FailureType.RATE_LIMITED, FailureCategory.TRANSIENT)
DOWN: Kind = (FailureType.UNAVAILABLE, FailureCategory.TRANSIENT)
CLOSED: Kind = (FailureType.AUTH_ERROR, FailureCategory.PERMISSION)
ABSENT: Kind = (FailureType.NOT_FOUND, FailureCategory.BUSINESS)
WITHHELD: Kind = (FailureType.PERMANENT, FailureCategory.BUSINESS)
UNFIT: Kind = (FailureType.PERMANENT, FailureCategory.VALIDATION)


class RefusalError(InternalError):
    """Caveat's own rules forbid a request or refuse its answer."""

    def __init__(self, sentence: str, kind: Kind = UNFIT) -> None:
        super().__init__(sentence)
        self.kind = kind


class RefusedAddressError(RefusalError):
    """The URL or what its name resolves to is not a public web address."""


class TooLargeError(RefusalError):
    """The body exceeds its limit, before or after decompression."""

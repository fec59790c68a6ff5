"""What can come of a request, and the rules of this side that stop one or refuse its answer."""

from caveat.contracts.failure import FailureCategory, FailureType

Kind = tuple[FailureType, FailureCategory]  # what happened, and who can do something about it

Meaning = tuple[FailureType, FailureCategory, str]
"""The same, and how the sentence goes on that begins with who was asked."""

TIMEOUT: Kind = (FailureType.TIMEOUT, FailureCategory.TRANSIENT)
BUSY: Kind = (FailureType.RATE_LIMITED, FailureCategory.TRANSIENT)
DOWN: Kind = (FailureType.UNAVAILABLE, FailureCategory.TRANSIENT)
CLOSED: Kind = (FailureType.AUTH_ERROR, FailureCategory.PERMISSION)
ABSENT: Kind = (FailureType.NOT_FOUND, FailureCategory.BUSINESS)
WITHHELD: Kind = (FailureType.PERMANENT, FailureCategory.BUSINESS)
UNFIT: Kind = (FailureType.PERMANENT, FailureCategory.VALIDATION)


class Refusal(Exception):
    """A rule of this side stops a request, or refuses what came of it."""

    def __init__(self, said: str, kind: Kind = UNFIT) -> None:
        super().__init__(said)
        self.kind = kind


class RefusedAddress(Refusal):
    """The URL or what its name resolves to is not a public web address."""


class TooLarge(Refusal):
    """The body passes its bound, before or after decompression."""


class Unresolvable(Refusal):
    """The domain name system does not know the name of the host."""

    def __init__(self, said: str) -> None:
        super().__init__(said, ABSENT)

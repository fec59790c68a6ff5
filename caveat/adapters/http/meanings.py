"""What can come of a request: the type of a failure with the category that it has."""

from caveat.contracts.failure import FailureCategory, FailureType

Kind = tuple[FailureType, FailureCategory]
"""What happened, and who can do something about it."""

Meaning = tuple[FailureType, FailureCategory, str]
"""The same, and how the sentence goes on that begins with who was asked."""

TIMEOUT: Kind = (FailureType.TIMEOUT, FailureCategory.TRANSIENT)
BUSY: Kind = (FailureType.RATE_LIMITED, FailureCategory.TRANSIENT)
DOWN: Kind = (FailureType.UNAVAILABLE, FailureCategory.TRANSIENT)
CLOSED: Kind = (FailureType.AUTH_ERROR, FailureCategory.PERMISSION)
ABSENT: Kind = (FailureType.NOT_FOUND, FailureCategory.BUSINESS)
WITHHELD: Kind = (FailureType.PERMANENT, FailureCategory.BUSINESS)
UNFIT: Kind = (FailureType.PERMANENT, FailureCategory.VALIDATION)

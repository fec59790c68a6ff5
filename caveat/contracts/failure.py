"""What went wrong, in the same words for every subagent."""

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from caveat.contracts.base import Contract


class FailureCategory(StrEnum):
    """Who can do something about a failure."""

    TRANSIENT = "transient"  # time: the same input may work later
    VALIDATION = "validation"  # the input: it will never work as it is
    PERMISSION = "permission"  # credentials
    BUSINESS = "business"  # the world: the thing is not there or not to be had
    UNKNOWN = "unknown"  # nobody foresaw it; never retried blindly


class FailureType(StrEnum):
    """What happened, for retry policies and recovery rules."""

    TIMEOUT = "timeout"
    RATE_LIMITED = "rate_limited"
    UNAVAILABLE = "unavailable"
    AUTH_ERROR = "auth_error"
    NOT_FOUND = "not_found"
    PERMANENT = "permanent"


CATEGORIES: dict[FailureType, tuple[FailureCategory, ...]] = {
    FailureType.TIMEOUT: (FailureCategory.TRANSIENT,),
    FailureType.RATE_LIMITED: (FailureCategory.TRANSIENT,),
    FailureType.UNAVAILABLE: (FailureCategory.TRANSIENT,),
    FailureType.AUTH_ERROR: (FailureCategory.PERMISSION,),
    FailureType.NOT_FOUND: (FailureCategory.BUSINESS,),
    FailureType.PERMANENT: (
        *(FailureCategory.VALIDATION, FailureCategory.BUSINESS, FailureCategory.UNKNOWN),
    ),
}
"""The categories that a failure type may have, the usual one first."""


class Failure(Contract):
    """One failure, as it travels from an adapter to the report.

    Attributes:
        category: who can do something about it.
        message: one sentence for people; never provider text raw, never a secret.
        attempted: what was tried, oldest first.
        retry_recommended: whether the same input may work later.
        retry_after_s: seconds that the provider asked to wait, if it did.
        alternatives: other inputs that may work (another source, another query).
        resource: what was being worked on: a path, a URL, a query.
        provider: whose service failed, where the failure is the provider's and not the input's;
            an auth_error of a provider stops every call to it.
    """

    category: FailureCategory
    failure_type: FailureType
    message: str = Field(min_length=1, max_length=500)
    attempted: tuple[str, ...] = ()
    retry_recommended: bool = False
    retry_after_s: float | None = Field(default=None, ge=0)
    alternatives: tuple[str, ...] = ()
    resource: str | None = None
    provider: str | None = None

    @model_validator(mode="after")
    def _category_fits_type(self) -> Self:
        if self.category not in CATEGORIES[self.failure_type]:
            raise ValueError(f"a {self.failure_type} failure cannot be {self.category}")
        return self

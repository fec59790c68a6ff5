"""What a person tells a run while it works."""

import datetime as dt
from typing import Any

from pydantic import Field, field_validator

from caveat.contracts.base import Contract

ADVICE_LIMIT = 500
"""Characters: a hint such as “also look at tides”. A question of its own is a run of its own."""


class Advice(Contract):
    """One hint.

    Attributes:
        text: what to look at as well, 1 to 500 characters after trimming.
        by: who says so, as they name themselves.
    """

    text: str = Field(min_length=1, max_length=ADVICE_LIMIT)
    by: str | None = Field(default=None, min_length=1, max_length=200)

    @field_validator("text", mode="before")
    @classmethod
    def _trimmed(cls, text: Any) -> Any:
        return " ".join(text.split()) if isinstance(text, str) else text


class GivenAdvice(Advice):
    """A hint that a run took.

    Attributes:
        given: when, UTC.
    """

    given: dt.datetime

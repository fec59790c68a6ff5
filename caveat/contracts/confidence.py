"""Confidence as a ledger, whose steps add up to it."""

from enum import StrEnum

from pydantic import Field

from caveat.contracts.base import Contract


class Operation(StrEnum):
    """What a ledger step does to the value before it."""

    SET = "set"
    SUBTRACT = "subtract"
    MULTIPLY = "multiply"
    LIMIT = "limit"  # no more than this


class LedgerStep(Contract):
    """One step: `after` is `operation` applied to `before` and `amount`, kept within 0 and 1."""

    reason: str
    operation: Operation
    amount: float = Field(ge=0, le=1)
    before: float = Field(ge=0, le=1)
    after: float = Field(ge=0, le=1)


class Confidence(Contract):
    """How sure a report or a section is.

    Attributes:
        value: 0 to 1.
        ledger: every step that led there.
        reasons: why, in words, a clause each; none where the ledger alone says it.
    """

    value: float = Field(ge=0, le=1)
    ledger: tuple[LedgerStep, ...]
    reasons: tuple[str, ...] = ()

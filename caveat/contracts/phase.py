"""Where a run is, since when, and what it takes."""

from enum import StrEnum

from pydantic import AwareDatetime

from caveat.contracts.base import Amount, Contract, Count

AWAITING = "awaiting_"
"""How phases begin in which a run goes on only once somebody has answered."""


class Phase(StrEnum):
    """Where a run is; also the search attribute `CaveatPhase`."""

    TAKING_STOCK = "taking_stock"
    PLANNING = "planning"
    AWAITING_APPROVAL = "awaiting_approval"
    INVESTIGATING = "investigating"
    COMPARING = "comparing"
    DEBATING = "debating"
    SETTLING = "settling"
    SYNTHESISING = "synthesising"
    AUDITING = "auditing"
    PUBLISHING = "publishing"
    AWAITING_RULINGS = "awaiting_rulings"
    # of the search attribute alone: the waiting phase continues after it
    AWAITING_PROVIDER = "awaiting_provider"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Entered(Contract):
    """A phase and its start, UTC; the next one ends it."""

    phase: Phase
    at: AwareDatetime


class Step(StrEnum):
    """What a run spends on, in the order in which it comes to it."""

    PLAN = "plan"
    SEARCH = "search"
    ANALYSE = "analyse"
    DETECT = "detect"
    DEBATE = "debate"
    SYNTHESISE = "synthesise"
    VERIFY = "verify"


class Spending(Contract):
    """What a run has taken."""

    model_calls: Count = 0  # calls to a language model
    tokens: Count = 0  # input and output tokens
    cost_usd: Amount | None = 0.0  # None when a price is not known


class Rate(Contract):
    """What a call takes at most that is made for one step."""

    step: Step  # what it is called for
    room: Count  # tokens of its answer, at most
    least: Count  # tokens that its answer can do with
    overhead: Count = 0  # tokens of every call on top of its material
    input_usd: Amount | None = 0.0  # USD a token sent; None if not known
    output_usd: Amount | None = 0.0  # USD a token received; None as above
    call_usd: Amount = 0.0  # USD per call, on top of tokens


class RateCard(Contract):
    """What the calls of a reasoner take; a step that is not in it calls no model."""

    rates: tuple[Rate, ...] = ()

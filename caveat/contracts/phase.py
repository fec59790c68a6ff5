"""Where a run is, and when it came there."""

from enum import StrEnum

from pydantic import AwareDatetime

from caveat.contracts.base import Contract

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

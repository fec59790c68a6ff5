"""What an arbitration hands back."""

from typing import Self

from caveat.contracts.base import Contract
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.report import ReportedFailure


class Settlement(Contract):
    """The result of the workflow `Arbitration`.

    Attributes:
        contradiction: settled: by a person, or provisionally because nobody came.
        failures: reminders that could not be delivered, a ruling that could not be kept; none of
            them changes how the contradiction was settled.
    """

    contradiction: Contradiction
    failures: tuple[ReportedFailure, ...] = ()


class Settled(Contract):
    """The same as a run receives it.

    Attributes:
        contradiction: None where it is lost.
        failures: as above.
        problem: why it is lost, one sentence; None where it is here.
    """

    contradiction: Contradiction | None = None
    failures: tuple[ReportedFailure, ...] = ()
    problem: str | None = None

    @classmethod
    def when_lost(cls, problem: str) -> Self:
        """Return what stands for a settlement that cannot be fetched."""
        return cls(problem=problem)

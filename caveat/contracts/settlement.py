"""What an arbitration hands back."""

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

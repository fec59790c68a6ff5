"""A part of a large run, with a history of its own."""

from typing import Self

from caveat.contracts.backend import Route
from caveat.contracts.base import Contract
from caveat.contracts.envelope import SubagentResult
from caveat.contracts.investigation import Study
from caveat.contracts.tasks import StudyTask


class Batch(Contract):
    """Sources that are read and analysed at once.

    Attributes:
        route: which workers do it.
        tasks: one a source.
    """

    route: Route
    tasks: tuple[StudyTask, ...]


class Batched(Contract):
    """How each of them ended.

    Attributes:
        studies: in the same order.
        problem: why all of them are lost, one sentence; None where they are here.
    """

    studies: tuple[SubagentResult[Study], ...]
    problem: str | None = None

    @classmethod
    def when_lost(cls, problem: str) -> Self:
        """Return what stands for a part of a run whose result cannot be fetched."""
        return cls(studies=(), problem=problem)

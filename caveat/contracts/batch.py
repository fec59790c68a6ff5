"""A part of a large run, with a history of its own."""

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
    """How each of them ended, in the same order."""

    studies: tuple[SubagentResult[Study], ...]

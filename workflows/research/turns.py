"""Turns: the angles of a run take sources in the order of the plan, whichever search is faster.

With a model this is left to chance: its answers differ anyhow, and to wait for the slowest search
costs what a quorum deadline is there to save.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import IntEnum

from temporalio import workflow


class Round(IntEnum):
    """What every angle does once, each round behind the one before."""

    CHOOSE = 0
    """Take what its searches found."""
    READ = 1
    """Have that read, all at once."""
    COMPLETE = 2
    """Take what stands in for silent sources, and search in other words."""


@dataclass
class Turns:
    """The turns of so many angles.

    Attributes:
        angles: how many there are.
    """

    angles: int
    _ended: set[tuple[Round, int]] = field(default_factory=set)

    @asynccontextmanager
    async def turn(self, number: int, of: Round) -> AsyncIterator[None]:
        """Wait until everybody is through with the rounds before, and those before in this one.

        Args:
            number: of the angle, from 0 in the order of the plan.
            of: the round.
        """
        before = {(each, angle) for each in Round if each < of for angle in range(self.angles)}
        before |= {(of, angle) for angle in range(number)}
        await workflow.wait_condition(lambda: before <= self._ended)
        try:
            yield
        finally:
            self.end(number, of)

    def end(self, number: int, of: Round) -> None:
        """Let the next one take its turn."""
        self._ended.add((of, number))

    def leave(self, number: int) -> None:
        """Have nobody wait for an angle any more: it has ended, or is somebody else's work."""
        self._ended |= {(each, number) for each in Round}

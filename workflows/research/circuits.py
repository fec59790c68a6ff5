"""Circuit breakers: the first tasks of each kind go ahead, the rest follows when one succeeds."""

from collections import defaultdict
from dataclasses import dataclass, field

from temporalio import workflow

from caveat.contracts.failure import Failure
from caveat.rules.run.recovery import SCOUTS, opens


@dataclass
class _Circuit:
    out: int = 0
    succeeded: bool = False
    failures: list[Failure] = field(default_factory=list)

    @property
    def is_open(self) -> bool:
        return not self.succeeded and opens(self.failures)

    @property
    def is_proven(self) -> bool:
        """Whether the rest may follow: something worked, or what failed did not fail alike."""
        return self.succeeded or (len(self.failures) >= SCOUTS and not self.is_open)

    def has_place(self, places: int) -> bool:
        return self.out + len(self.failures) < places


@dataclass
class Circuits:
    """One breaker for each kind of task in a run."""

    _kinds: dict[str, _Circuit] = field(default_factory=lambda: defaultdict(_Circuit))

    async def enter(self, kind: str, places: int = SCOUTS) -> Failure | None:
        """Wait until a task of a kind may start.

        Args:
            kind: of the task.
            places: tasks that may go ahead.

        Returns:
            None to start it, or the failure for which it must not be started.
        """
        circuit = self._kinds[kind]
        # Again after every wait: whoever woke first may have taken the last place.
        while not circuit.is_open:
            if circuit.is_proven or circuit.has_place(places):
                circuit.out += 1
                return None
            await workflow.wait_condition(
                lambda: circuit.is_open or circuit.is_proven or circuit.has_place(places)
            )
        return circuit.failures[0]

    def join(self, kind: str) -> None:
        """Note that a task is under way without having waited for others."""
        self._kinds[kind].out += 1

    def leave(self, kind: str, failure: Failure | None) -> None:
        """Note how a task ended."""
        circuit = self._kinds[kind]
        circuit.out -= 1
        if failure is None:
            circuit.succeeded = True
        else:
            circuit.failures.append(failure)

    def withdraw(self, kind: str) -> None:
        """Note that a task ended without a word on whether its kind works."""
        self._kinds[kind].out -= 1

    def is_open(self, kind: str) -> bool:
        """Whether tasks of a kind are not started any more."""
        return self._kinds[kind].is_open

    def reset(self) -> None:
        """Forget the failures: what failed is tried once more."""
        for circuit in self._kinds.values():
            circuit.failures.clear()

"""Confidence: a ledger that is built step by step and can be recomputed from its JSON."""

from collections.abc import Iterator

from caveat.contracts.audit import Check, Finding
from caveat.contracts.confidence import Confidence, LedgerStep, Operation

DECIMALS = 4
"""Values are rounded so that a step recomputes exactly from the JSON; finer would be pretence."""


def _within(value: float) -> float:
    return round(min(1.0, max(0.0, value)), DECIMALS)


def applied(operation: Operation, before: float, amount: float) -> float:
    """Apply one operation, kept within 0 and 1 and rounded to `DECIMALS`."""
    match operation:
        case Operation.SET:
            return _within(amount)
        case Operation.SUBTRACT:
            return _within(before - amount)
        case Operation.MULTIPLY:
            return _within(before * amount)


class Ledger:
    """Builds a confidence; every method returns the ledger itself, so that steps can be chained."""

    def __init__(self) -> None:
        self._steps: list[LedgerStep] = []

    @property
    def value(self) -> float:
        """The value after the last step, 0 before the first."""
        return self._steps[-1].after if self._steps else 0.0

    def start(self, reason: str, value: float) -> "Ledger":
        """Begin with a value, 0 to 1; only the first step may.

        Raises:
            ValueError: the ledger was started before.
        """
        if self._steps:
            raise ValueError("a ledger starts once")
        return self._enter(reason, Operation.SET, value)

    def subtract(self, reason: str, amount: float) -> "Ledger":
        """Take an amount away, 0 to 1."""
        return self._enter(reason, Operation.SUBTRACT, amount)

    def multiply(self, reason: str, amount: float) -> "Ledger":
        """Multiply by an amount, 0 to 1."""
        return self._enter(reason, Operation.MULTIPLY, amount)

    def close(self) -> Confidence:
        """Return the confidence with its steps.

        Raises:
            ValueError: the ledger was never started.
        """
        if not self._steps:
            raise ValueError("a ledger without a start has no value")
        return Confidence(value=self.value, ledger=tuple(self._steps))

    def _enter(self, reason: str, operation: Operation, amount: float) -> "Ledger":
        if operation is not Operation.SET and not self._steps:
            raise ValueError("a ledger begins with its start")
        amount = _within(amount)
        after = applied(operation, self.value, amount)
        self._steps.append(
            LedgerStep(
                reason=reason, operation=operation, amount=amount, before=self.value, after=after
            )
        )
        return self


def ledger_findings(confidence: Confidence, where: str) -> Iterator[Finding]:
    """Recompute a ledger.

    Args:
        confidence: the value and its steps.
        where: whose confidence it is, for the findings.

    Yields:
        A finding for each step that does not follow, and for a value that is not the last step's.
    """
    if not confidence.ledger:
        yield _finding(where, "The ledger has no steps.")
        return
    if confidence.ledger[0].operation is not Operation.SET:
        yield _finding(f"{where}, ledger step 1", "The ledger does not begin by setting a value.")
    previous = 0.0
    for number, step in enumerate(confidence.ledger, start=1):
        for problem in _problems(step, previous, first=number == 1):
            yield _finding(f"{where}, ledger step {number}", problem)
        previous = step.after
    if confidence.value != previous:
        yield _finding(where, f"The value is {confidence.value}, its ledger ends at {previous}.")


def _problems(step: LedgerStep, previous: float, *, first: bool) -> Iterator[str]:
    if step.operation is Operation.SET and not first:
        yield "A value is set in the middle of the ledger."
    if step.before != previous:
        yield f"It begins at {step.before}, but the step before ended at {previous}."
    expected = applied(step.operation, step.before, step.amount)
    if step.after != expected:
        yield f"It says {step.after}, recomputed it is {expected}."


def _finding(where: str, message: str) -> Finding:
    return Finding(check=Check.LEDGER, where=where, message=message)

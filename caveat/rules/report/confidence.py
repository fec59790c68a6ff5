"""Confidence: a ledger that is built step by step, and whose steps add up in its JSON."""

from caveat.contracts.report import Confidence, LedgerStep, Operation

DECIMALS = 4
"""Values are rounded so that a step comes out exactly from the JSON; finer would be pretence."""


def _clamp(value: float) -> float:
    return round(min(1.0, max(0.0, value)), DECIMALS)


def apply_operation(operation: Operation, before: float, amount: float) -> float:
    """Apply one operation, kept within 0 and 1 and rounded to `DECIMALS`."""
    match operation:
        case Operation.SET:
            return _clamp(amount)
        case Operation.SUBTRACT:
            return _clamp(before - amount)
        case Operation.MULTIPLY:
            return _clamp(before * amount)
        case Operation.LIMIT:
            return _clamp(min(before, amount))


class Ledger:
    """Builds a confidence; every method returns the ledger itself, so that steps can be chained."""

    def __init__(self) -> None:
        self._steps: list[LedgerStep] = []

    @property
    def value(self) -> float:
        """The value after the last step, 0 before the first."""
        return self._steps[-1].after if self._steps else 0.0

    def start(self, reason: str, value: float) -> "Ledger":
        """Begin with a value, 0 to 1; only the first step may."""
        if self._steps:
            raise ValueError("a ledger starts once")
        return self._enter(reason, Operation.SET, value)

    def subtract(self, reason: str, amount: float) -> "Ledger":
        return self._enter(reason, Operation.SUBTRACT, amount)

    def multiply(self, reason: str, amount: float) -> "Ledger":
        return self._enter(reason, Operation.MULTIPLY, amount)

    def limit(self, reason: str, amount: float) -> "Ledger":
        return self._enter(reason, Operation.LIMIT, amount)

    def close(self) -> Confidence:
        if not self._steps:
            raise ValueError("a ledger without a start has no value")
        return Confidence(value=self.value, ledger=tuple(self._steps))

    def _enter(self, reason: str, operation: Operation, amount: float) -> "Ledger":
        if operation is not Operation.SET and not self._steps:
            raise ValueError("a ledger begins with its start")
        amount = _clamp(amount)
        after = apply_operation(operation, self.value, amount)
        self._steps.append(
            LedgerStep(
                reason=reason, operation=operation, amount=amount, before=self.value, after=after
            )
        )
        return self

"""Ledgers recompute, and a doctored one is caught."""

import pytest

from caveat.contracts.report import Confidence, LedgerStep, Operation
from caveat.rules.audit.checks import check_ledger
from caveat.rules.report.confidence import Ledger


def test_steps_are_kept_within_bounds_and_rounded() -> None:
    ledger = Ledger().start("a third", 1 / 3).subtract("more than there is", 0.9)
    assert [step.after for step in ledger.close().ledger] == [0.3333, 0.0]


def test_a_ledger_starts_once_and_first() -> None:
    with pytest.raises(ValueError, match="begins with its start"):
        Ledger().subtract("too early", 0.1)
    with pytest.raises(ValueError, match="starts once"):
        Ledger().start("first", 0.5).start("second", 0.9)
    with pytest.raises(ValueError, match="without a start"):
        Ledger().close()


def test_a_value_that_is_set_again_or_never_is_found() -> None:
    step = LedgerStep(reason="r", operation=Operation.SET, amount=0.9, before=0.0, after=0.9)
    again = step.model_copy(update={"before": 0.9})
    twice = Confidence(value=0.9, ledger=(step, again))
    assert "middle" in next(iter(check_ledger(twice, "it"))).message
    assert list(check_ledger(Confidence(value=0.9, ledger=()), "it"))
    less = LedgerStep(reason="r", operation=Operation.SUBTRACT, amount=0, before=0, after=0)
    assert list(check_ledger(Confidence(value=0, ledger=(less,)), "it"))

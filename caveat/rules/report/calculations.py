"""Calculations: numbers that no source states, computed again from the words of those that do."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isclose

from caveat.contracts.claim import Claim
from caveat.contracts.synthesis import Arithmetic, Calculation
from caveat.quantities.numerals import FRACTION, find_numerals
from caveat.quantities.reading import Quantity, find_currencies, find_quantities
from caveat.quantities.support import find_scale
from caveat.quantities.units import Kind
from caveat.rules.lines import collapse_spaces
from caveat.rules.sentences import split_cells

_YEAR = 365.2425  # days
_ROUNDED = 0.006  # share by which a result may differ where it is written with few digits


def is_right(calculation: Calculation, claims: Mapping[str, Claim]) -> bool:
    """Whether a calculation starts from words of its claims and comes to what it says."""
    # Of values that contest each other nothing is made but how far they differ.
    names = {each.claim_id for each in calculation.operands}
    given = [claims[name] for name in names if name in claims]
    are_rivals = any(not names.isdisjoint(each.contested_by) for each in given)
    is_fair = calculation.arithmetic is Arithmetic.DIFFERENCE or not are_rivals
    return is_fair and _comes_out(calculation, claims)


def _comes_out(calculation: Calculation, claims: Mapping[str, Claim]) -> bool:
    read = []
    for operand in calculation.operands:
        claim = claims.get(operand.claim_id)
        if claim is None or collapse_spaces(operand.value) not in collapse_spaces(claim.quote):
            return False
        read.append(_read_amount(operand.value, _find_column(operand.value, claim)))
    if any(each is None for each in read):
        return False
    values = [each for each in read if each is not None]
    match calculation.arithmetic:
        case Arithmetic.SUM:
            return _is_of_one_unit(values, calculation.result, sum(each.number for each in values))
        case Arithmetic.DIFFERENCE:
            first, *others = (each.number for each in values)
            less = abs(first - sum(others))
            if {each.unit for each in values} == {"%"} and (
                said := _read_amount(calculation.result)
            ):
                return said.unit in {"pp", "%"} and _is_near(said, less)
            return _is_of_one_unit(values, calculation.result, less)
        case Arithmetic.RATIO:
            return _is_ratio(values, calculation.result)
        case Arithmetic.SPAN:
            return _is_span(values, calculation.result)


def _find_column(words: str, claim: Claim) -> str:
    """The heading of the cell that holds some words; empty for other text."""
    found = [
        column for column, cell in split_cells(claim) if column and collapse_spaces(words) in cell
    ]
    return found[0] if found else ""


def _read_amount(words: str, columns: str = "") -> Quantity | None:
    """The quantity that some words state, also where its number is written out.

    Args:
        columns: that a cell stands in, which may name its currency and its scale.
    """
    read = find_quantities(words)
    named = find_currencies(columns)
    if len(named) == 1 and not any(each.unit for each in read):
        read = find_quantities(f"{next(iter(named))} {words}") or read
    numerals = [each for each in find_numerals(words) if each.is_read]
    if read:
        amount = read[0]
    elif len(numerals) == 1 and numerals[0].unit in {"", FRACTION}:
        number = float(numerals[0].value)
        amount = Quantity(0, len(words), Kind.NUMBER, number, "", number, number)
    else:
        return None
    factor = 1.0 if any(each.scale for each in numerals) else 10.0 ** find_scale(columns)
    number, low, high = (each * factor for each in (amount.number, amount.low, amount.high))
    return replace(amount, number=number, low=low, high=high)


def _is_of_one_unit(values: Sequence[Quantity], result: str, number: float) -> bool:
    said = _read_amount(result)
    if said is None or len({each.unit for each in (*values, said)}) != 1:
        return False
    return _is_near(said, number)


def _is_near(said: Quantity, number: float) -> bool:
    return said.low <= number <= said.high or isclose(said.number, number, rel_tol=_ROUNDED)


def _is_ratio(values: Sequence[Quantity], result: str) -> bool:
    said = _read_amount(result)
    if len(values) != 2 or said is None or values[0].unit != values[1].unit:
        return False
    share = values[0].number / values[1].number if values[1].number else 0.0
    return _is_near(said, share * 100 if said.kind is Kind.PERCENT else share)


def _is_span(values: Sequence[Quantity], result: str) -> bool:
    said = _read_amount(result)
    if len(values) != 2 or said is None or {each.kind for each in values} != {Kind.DATE}:
        return False
    days = abs(values[1].number - values[0].number) * _YEAR
    if said.kind is not Kind.DURATION:
        return False
    written = said.number * _YEAR if said.unit == "yr" else said.number / 86_400
    # Months and years are counted whole; days and weeks to the day.
    return abs(written - days) <= (16 if said.unit == "yr" else 1)

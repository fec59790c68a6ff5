"""Calculations: numbers that no source states, computed again from the words of those that do.

A calculation is an expression over values of claims. Each value is brought to base units, which are
carried along, so that money per energy comes out as money per energy; a percentage is a hundredth,
and a counted noun has no unit.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import isclose

from caveat.contracts.claim import Claim
from caveat.contracts.synthesis import Calculation, Operand
from caveat.quantities.numerals import FRACTION, TIMES, find_numerals
from caveat.quantities.reading import Quantity, find_currencies, find_quantities
from caveat.quantities.support import find_scale
from caveat.quantities.units import Kind, find_base_units
from caveat.rules.lines import collapse_spaces
from caveat.rules.sentences import split_cells

_DAY = 86_400.0  # seconds
_YEAR = 365.2425 * _DAY
_MONTHS = 12.0  # of a year
_ROUNDED = 0.01  # share by which a result may differ whose last digits are noughts
_DATE = "date"  # the unit of a point in time, in seconds

Units = Mapping[str, int]  # base units and their powers


class _WrongError(Exception):
    """An expression that cannot be evaluated."""


@dataclass(frozen=True)
class _Value:
    number: float
    units: Units


def is_right(calculation: Calculation, claims: Mapping[str, Claim]) -> bool:
    """Whether a calculation starts from words of its claims and comes to what it says."""
    # Of values that contest each other nothing is made but how far they differ.
    names = {each.claim_id for each in calculation.operands}
    given = [claims[name] for name in names if name in claims]
    try:
        expression = _parse(calculation.expression)
        if any(not names.isdisjoint(each.contested_by) for each in given):
            _require_difference(expression)
        known = {each.name: _read_operand(each, claims) for each in calculation.operands}
        return _is_written(calculation.result, _evaluate(expression, known))
    except (_WrongError, ZeroDivisionError, OverflowError):
        return False


def _parse(written: str) -> ast.expr:
    plain = written.translate(str.maketrans("×·÷:−–", "**//--"))
    try:
        return ast.parse(plain.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _WrongError from None


def _require_difference(expression: ast.expr) -> None:
    operators = [each for each in ast.walk(expression) if isinstance(each, ast.operator)]
    if not all(isinstance(each, ast.Sub) for each in operators):
        raise _WrongError


_OPERATIONS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def _evaluate(expression: ast.expr, known: Mapping[str, _Value]) -> _Value:
    match expression:
        case ast.Name(id=name) if name in known:
            return known[name]
        case ast.Constant(value=int() | float() as number):
            return _Value(float(number), {})
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            one, other = _evaluate(left, known), _evaluate(right, known)
            number = _OPERATIONS[type(op)](one.number, other.number)
            return _Value(number, _combine(one.units, other.units, op))
    raise _WrongError


def _combine(one: Units, other: Units, op: ast.operator) -> Units:
    """The units of a result: of a sum those of its parts, of a product theirs together."""
    if isinstance(op, ast.Add | ast.Sub):
        if {*one, *other} == {_DATE, "s"} and _DATE in one:
            return one
        if one != other or (_DATE in one and isinstance(op, ast.Add)):
            raise _WrongError
        return {"s": 1} if _DATE in one else one
    sign = 1 if isinstance(op, ast.Mult) else -1
    powers = {unit: one.get(unit, 0) + sign * other.get(unit, 0) for unit in {*one, *other}}
    if powers.get(_DATE):
        raise _WrongError
    return {unit: power for unit, power in powers.items() if power}


def _read_operand(operand: Operand, claims: Mapping[str, Claim]) -> _Value:
    claim = claims.get(operand.claim_id)
    if claim is None or collapse_spaces(operand.value) not in collapse_spaces(claim.quote):
        raise _WrongError
    return _bring_to_base(_read_amount(operand.value, _find_column(operand.value, claim)))


def _find_column(words: str, claim: Claim) -> str:
    """The heading of the cell that holds some words; empty for other text."""
    found = [
        column for column, cell in split_cells(claim) if column and collapse_spaces(words) in cell
    ]
    return found[0] if found else ""


def _read_amount(words: str, columns: str = "") -> Quantity:
    """The quantity that some words state, also where its number is written out.

    Args:
        columns: that a cell stands in, which may name its currency and its scale.
    """
    read = find_quantities(words) or find_quantities(f"in {words}")  # a year alone is a date
    named = find_currencies(columns)
    if len(named) == 1 and not any(each.unit for each in read):
        read = find_quantities(f"{next(iter(named))} {words}") or read
    numerals = [each for each in find_numerals(words) if each.is_read]
    if read:
        amount = read[0]
    elif len(numerals) == 1 and numerals[0].unit in {"", FRACTION, TIMES}:
        number = float(numerals[0].value)
        amount = Quantity(0, len(words), Kind.NUMBER, number, "", number, number)
    else:
        raise _WrongError
    factor = 1.0 if any(each.scale for each in numerals) else 10.0 ** find_scale(columns)
    number, low, high = (each * factor for each in (amount.number, amount.low, amount.high))
    return replace(amount, number=number, low=low, high=high)


def _bring_to_base(amount: Quantity) -> _Value:
    factor, units = _find_units(amount)
    return _Value(amount.number * factor, units)


def _find_units(amount: Quantity) -> tuple[float, Units]:
    """The factor that brings an amount to base units, and these."""
    if amount.kind is Kind.DATE:
        return _YEAR, {_DATE: 1}
    if amount.unit in {"%", "pp"}:
        return 0.01, {}
    unit = amount.unit.replace("/mo", "/yr")
    known, *nouns = unit.split("/")
    base = find_base_units(unit) or (find_base_units(known) if nouns else None)
    if base is None:
        return 1.0, {}
    spelt, factor, _ = base
    factor *= 1.0 if unit == amount.unit else _MONTHS
    powers = {unit: int(power) for unit, _, power in (p.partition("^") for p in spelt.split("·"))}
    years = powers.pop("yr", 0)
    if years:
        powers["s"] = powers.get("s", 0) + years
    return factor * _YEAR**years, {unit: power for unit, power in powers.items() if power}


def _is_written(result: str, value: _Value) -> bool:
    """Whether some words state a value, as far as they are precise."""
    said = _read_amount(result)
    factor, units = _find_units(said)
    if units != value.units:
        return False
    number, low, high = (each * factor for each in (said.number, said.low, said.high))
    if units in ({"s": 1}, {_DATE: 1}):  # months and years are counted whole, days to the day
        slack = (16 if said.unit == "yr" else 1) * _DAY
        return low - slack <= abs(value.number) <= high + slack
    computed = abs(value.number)
    return low <= computed <= high or isclose(number, computed, rel_tol=_compute_rounding(result))


def _compute_rounding(result: str) -> float:
    """The share by which a number may differ that is written to its last digit."""
    shares = [
        0.5 * 10.0 ** int(each.value.as_tuple().exponent) / abs(float(each.value))
        for each in find_numerals(result)
        if each.is_read and each.value
    ]
    return max(_ROUNDED, *shares[:1], 0.0)

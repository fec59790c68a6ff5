"""Calculations: numbers that no source states, computed again from the words of those that do.

A calculation is an expression over values of claims. Each value is brought to base units, which are
carried along, so that money per energy comes out as money per energy; a percentage is a hundredth,
and a counted noun has no unit.
"""

import ast
import operator
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from decimal import Decimal
from functools import reduce
from itertools import islice, permutations, product
from math import isclose
from typing import NamedTuple

from caveat.contracts.source import Claim
from caveat.contracts.synthesis import Calculation, Operand, Synthesis, SynthesisInput
from caveat.problem import InternalError
from caveat.quantities.numerals import (
    CLOCK,
    DATE,
    FRACTION,
    LANGUAGES,
    PERCENT,
    POINTS,
    UNKNOWN,
    Numeral,
)
from caveat.quantities.support import Excerpt, Reading, list_units, read_numerals, write_numeral
from caveat.quantities.units import Kind, Unit, find_base_units
from caveat.rules.lines import collapse_spaces
from caveat.rules.report.publication import build_synthesis_grounds
from caveat.rules.report.statements import list_statements
from caveat.rules.sentences.checks import find_unsupported_numbers
from caveat.rules.sentences.grounds import Grounds

_DAY = 86_400.0  # seconds
_YEAR = 365.2425 * _DAY
_MONTHS = 12.0  # of a year
_ROUNDED = 0.01  # share by which a result may differ whose last digits are noughts
_SHARES = {PERCENT, POINTS}
_RATIO, _WHOLE = "ratio", "whole"  # what made a number without a unit

Units = frozenset[tuple[str, int]]  # base units and their powers

_NONE: Units = frozenset()
_SECONDS, _AS_DATE = frozenset({("s", 1)}), frozenset({(DATE, 1)})


class _WrongError(InternalError):
    """A calculation that does not hold; its message says why."""


class _UnitError(_WrongError):
    """Its units do not fit, or cannot be read."""


class _Value(NamedTuple):
    """A number in base units: of an operand, of a result, or of what lies between them."""

    number: float
    units: Units
    form: str = ""  # one of those above, DATE or CLOCK; of a date the units are that word
    worth: float = 1.0  # of one of the unit that is written
    plain: float = 0.0  # the number as it is written
    share: float | None = None  # by which it may be rounded; None if not at all
    has_unit: bool = False


_Values = Mapping[str, _Value]  # the operands of a calculation in one reading, by name


def find_fault(calculation: Calculation, grounds: Grounds) -> str | None:
    """Say why a calculation does not hold; None if it does in one reading of its words."""
    operands, fault, fits_plainly, are_units_unread = calculation.operands, "", False, True
    try:
        expressions = _list_expressions(calculation)
        _require_undisputed(expressions[0], operands, grounds)
        results = _read_results(calculation.result, grounds)
        read = {each.name: _read_operand(each, grounds) for each in operands}
        for result, values, expression in product(results, _list_readings(read), expressions):
            fits_plainly |= _fits_plainly(expression, values, result)
            try:
                made = _evaluate(expression, values)
                _require_stated(result, made, values)
            except _WrongError as error:
                fault = fault or str(error)  # of the first reading: what a writer meant
                are_units_unread &= isinstance(error, _UnitError)
            except (ZeroDivisionError, OverflowError):
                fault = fault or "It divides by nothing, or is too large."
            else:
                return None
        # Units, and scales of tables, are written in more ways than code reads. Whether a bare
        # number may be told as it is, readers judge.
        if calculation.is_guessed and are_units_unread and fits_plainly:
            return None
    except _WrongError as error:
        fault = str(error)
    return fault or "It has no values."


def _list_expressions(calculation: Calculation) -> list[ast.expr]:
    """List what an expression may mean, without what only turns one unit into another."""
    written = calculation.expression
    expressions = [_parse(written)]
    if "100" in written:  # "a / b × 100" per cent
        expressions.append(_parse(_HUNDRED.sub("1", written)))
    match expressions[0]:
        case ast.BinOp(left, ast.Mult() | ast.Div(), ast.Constant()):
            expressions.append(left)  # "a * 3.6" brings it to another unit
    nodes = [node for expression in expressions for node in ast.walk(expression)]
    constants = {each.value for each in nodes if isinstance(each, ast.Constant)}
    added = {
        part.value
        for each in nodes
        if isinstance(each, ast.BinOp) and isinstance(each.op, ast.Add | ast.Sub)
        for part in (each.left, each.right)
        if isinstance(part, ast.Constant)
    }
    if 0 in constants or not added <= {1, 100} or not any(isinstance(n, ast.Name) for n in nodes):
        raise _WrongError("It adds a plain number, or is made of one.")
    if not calculation.is_guessed and not constants <= _COUNTS | {len(calculation.operands)}:
        raise _WrongError("What its plain numbers count, its readers judge.")
    return expressions


_HUNDRED = re.compile(r"(?<![\d.])100(?![\d.])")
_COUNTS = {1, 2, 3.6, 7, 10, 12, 24, 52, 60, 100, 365, 1_000, 3_600, 1_000_000}


def _parse(written: str) -> ast.expr:
    plain = written.translate(str.maketrans("×·÷:−–", "**//--"))
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", plain)
    plain = re.sub(r"(\d[\d.]*)\s?%", r"(\1 / 100)", plain)  # "100% - a"
    try:
        return ast.parse(plain.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _WrongError("The expression cannot be read.") from None


def _require_undisputed(
    expression: ast.expr, operands: Sequence[Operand], grounds: Grounds
) -> None:
    """Require that of values that contest each other nothing is made but how far they differ."""
    names = {each.claim_id for each in operands}
    claims = [grounds.claims[name] for name in names if name in grounds.claims]
    operators = [each for each in ast.walk(expression) if isinstance(each, ast.operator)]
    if any(not names.isdisjoint(each.contested_by) for each in claims) and not all(
        isinstance(each, ast.Sub) for each in operators
    ):
        raise _WrongError("Its values contradict each other, so they may only be subtracted.")


_OPERATIONS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def _evaluate(expression: ast.expr, known: _Values) -> _Value:
    match expression:
        case ast.Name(id=name) if name in known:
            return known[name]
        case ast.Constant(value=int() | float() as number):
            return _Value(float(number), _NONE, _WHOLE)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            one, other = _evaluate(left, known), _evaluate(right, known)
            number = _OPERATIONS[type(op)](one.number, other.number)
            if one.form == other.form == CLOCK and number < 0:  # "from 22:00 to 6:00"
                number += _DAY
            return _Value(number, *_combine(one, other, op))
        case ast.BinOp(left=left, op=ast.Pow(), right=right):  # growth a year: "(a / b) ** (1 / 5)"
            base, exponent = _evaluate(left, known), _evaluate(right, known)
            if not (base.units or exponent.units) and abs(exponent.number) <= 1 and base.number > 0:
                return _Value(base.number**exponent.number, _NONE)
    raise _WrongError(
        "It may hold its values' letters, numbers, brackets, + - * / and roots of shares alone."
    )


def _combine(one: _Value, other: _Value, op: ast.operator) -> tuple[Units, str]:
    """The units of a result: of a sum those of its parts, of a product theirs together."""
    if isinstance(op, ast.Add | ast.Sub):
        if one.units != other.units or (one.form == DATE and isinstance(op, ast.Add)):
            raise _UnitError("It adds or subtracts values of different units.")
        if isinstance(op, ast.Sub) and {one.form, other.form} <= {PERCENT, _RATIO}:
            return one.units, POINTS
        return _SECONDS if one.form == DATE else one.units, one.form
    sign = 1 if isinstance(op, ast.Mult) else -1
    powers = Counter(dict(one.units))
    powers.update({unit: sign * power for unit, power in other.units})
    units = frozenset((unit, power) for unit, power in powers.items() if power)
    return units, one.form if other.form == _WHOLE else _RATIO if sign < 0 and not units else ""


def _require_stated(said: _Value, made: _Value, values: _Values, rounded: float = _ROUNDED) -> None:
    """Require that a result states what was made, as far as it is precise.

    Args:
        values: that it was made of; a unit of theirs need not be said again.
        rounded: the share by which it may differ however precise it is.
    """
    worths = [said.number] if said.units == made.units and said.form != DATE else []
    if not said.has_unit:  # "190 less than the 450 kWh" are kilowatt-hours
        like = [each for each in values.values() if each.units == made.units and each.has_unit]
        worths += [said.number * each.worth for each in like if each.form not in {DATE, CLOCK}]
    if not worths:
        raise _UnitError("Its unit is not that of its result.")
    computed, is_dated = abs(made.number), made.form == DATE
    # Months and years are counted whole, days to the day: an age is past.
    slack = min(said.worth / 2, 16 * _DAY) if is_dated else 0.0
    share = 1e-9
    if not is_dated and said.share is not None:
        share = max(rounded, said.share)
    limits = ((abs(each), 0.99 * share if computed > abs(each) else share) for each in worths)
    if not any(abs(each - computed) <= max(slack, each * most) for each, most in limits):
        are_known = all(each.has_unit for each in values.values())
        kind = _WrongError if are_known else _UnitError  # which the heads of a table may say
        number = computed / said.worth
        raise kind(f"It comes to {number:,.6g} in the unit of its result.")
    form = POINTS if made.form == POINTS else PERCENT
    has_points = any(each.form == POINTS for each in values.values())
    if said.form in _SHARES and said.form != form and not has_points:
        raise _WrongError(f"It comes to {'percentage points' if form == POINTS else 'per cent'}.")


def _fits_plainly(expression: ast.expr, values: _Values, said: _Value) -> bool:
    """Whether bare numbers come to a result, whatever they are numbers of."""
    forms = {each.form for each in values.values()}
    if forms == {PERCENT} or DATE in forms or not said.plain:  # of these code tells the units
        return False
    bare = {name: _Value(each.plain, _NONE) for name, each in values.items()}
    share = max(_ROUNDED, said.share or 0.0)
    with suppress(ZeroDivisionError, OverflowError, _WrongError):
        computed = abs(_evaluate(expression, bare).number)
        return any(isclose(abs(said.plain), computed * turn, rel_tol=share) for turn in _UNIT_TURNS)
    return False


_UNIT_TURNS = [
    power
    for turn in (60, 100, 1_000, 1_000_000)  # minutes of hours, cents, shares, scales of tables
    for power in (1, turn, 1 / turn)
]


# ---------------------------------------------------------------------------- values of words


def _read_results(words: str, grounds: Grounds) -> list[_Value]:
    """Read a result, in each language that it may be in."""
    # "A third" and "the remaining fifth" are shares where they are of something.
    text = f"a {_PER_MANY.sub('', words)} of"
    languages = (grounds.language,) if grounds.language else ("en", *sorted(LANGUAGES))
    read = (_read_values(Excerpt(text, language=each), 0, len(text)) for each in languages)
    if values := [value for each in read for value in islice(each, 1)]:
        return list(dict.fromkeys(values))
    raise _WrongError(f"“{words}” is not one number.")


_PER_MANY = re.compile(r"\s(?:p[aeo]r|pro|je)\s10+\s\w+\Z")  # "28 litres per 100 km"


def _read_operand(operand: Operand, grounds: Grounds) -> list[_Value]:
    """Read a value of a quote, of a cell also by what stands above its table."""
    claim = grounds.claims.get(operand.claim_id)
    words = collapse_spaces(operand.value)
    if claim is None or words not in collapse_spaces(claim.quote):
        raise _WrongError(f"“{operand.value}” does not stand in the quote of {operand.claim_id}.")
    # The 20 of a cell, and not that of 2025 in another.
    spaced = r"\s+".join(map(re.escape, words.split()))
    whole = re.compile(rf"(?<!\d)(?<!\d[.,]){spaced}(?!(?<=\d)[.,]?\d)")
    values: list[_Value] = []
    for excerpt in grounds.list_excerpts(claim):
        at = None if excerpt.is_name else whole.search(excerpt.text)
        if at:
            read = excerpt._replace(mark=excerpt.mark.strip(UNKNOWN))
            values += _read_values(read, *at.span())
    if not values:
        raise _WrongError(f"“{words}” is not one number.")
    return list(dict.fromkeys(sorted(values, key=lambda each: not each.has_unit)))


def _read_values(words: Excerpt, start: int, end: int) -> Iterator[_Value]:
    """Read what the numerals of a part of a text state together, in each way they may be read."""
    ways: dict[int, list[_Value]] = {}
    for reading in read_numerals(words):
        is_error = words.text[: reading.numeral.start].rstrip().endswith(("±", "+/-", "+/−"))
        if reading.numeral.start < end and start < reading.numeral.end and not is_error:
            ways.setdefault(reading.numeral.start, []).extend(_weigh(reading, words.head))
    for values in islice(product(*(way for _, way in sorted(ways.items()))), _READINGS):
        with suppress(_UnitError):
            yield from [reduce(_join, values)] if values else []


def _join(one: _Value, other: _Value) -> _Value:
    """Join two values that are one: five days and 17 hours, a day and its time of day."""
    if {one.form, other.form} == {DATE, CLOCK}:
        return one._replace(number=one.number + other.number, units=_AS_DATE, form=DATE)
    if one.units == other.units and one.has_unit and one.worth > other.worth:
        return one._replace(number=one.number + other.number, worth=other.worth, share=None)
    raise _UnitError("It is not one number.")


def _weigh(reading: Reading, head: str) -> Iterator[_Value]:
    """Bring a numeral to base units, in each unit that it may have."""
    numeral = reading.numeral
    if not numeral.is_read:
        return
    if numeral.unit == DATE:
        written = numeral.written.replace("--", f"{_ANY_YEAR}-")
        with suppress(ValueError):  # a quarter
            day = date.fromisoformat(written if len(written) > len("2001-01") else f"{written}-01")
            yield _Value(day.toordinal() * _DAY, _AS_DATE, DATE, has_unit=True)
        return
    if numeral.unit == CLOCK:
        with suppress(ValueError):  # the "5½" of "5½, 17:30"
            places = [int(each) for each in numeral.written.split(":")]
            seconds = float(sum(each * 3_600 // 60**at for at, each in enumerate(places)))
            yield _Value(seconds, _SECONDS, CLOCK, plain=seconds, has_unit=True)
        return
    plain = float(numeral.value) / (100 if numeral.unit in _SHARES else 1)
    rounding = _measure_rounding(numeral)
    if numeral.unit in _SHARES:
        yield _Value(plain, _NONE, numeral.unit, 0.01, plain, rounding, has_unit=True)
        return
    named = {reading.unit} if reading.unit else reading.bracketed or list_units(head)
    for unit in sorted(named, key=str):
        worth, units = _find_units(unit)
        form = PERCENT if unit.kind is Kind.PERCENT else ""
        yield _Value(plain * worth, units, form, worth, plain, rounding, has_unit=True)
    if not (reading.unit or reading.bracketed):
        yield _Value(plain, _NONE, plain=plain, share=rounding)
    if not reading.unit and _YEAR_WRITTEN.fullmatch(numeral.written):
        yield _Value(plain * _YEAR, _SECONDS, DATE, _YEAR, plain)


_YEAR_WRITTEN = re.compile(r"1\d{3}|20\d\d")
_ANY_YEAR = 2001  # no leap year
_READINGS = 64  # of all operands together


def _find_units(unit: Unit) -> tuple[float, Units]:
    """The factor that brings a unit to base units, and these."""
    if unit.kind is Kind.PERCENT:
        return 0.01, _NONE
    symbol = "K" if unit.symbol in {"°", "°C"} else unit.symbol.replace("/mo", "/yr")
    spelt, factor, _ = find_base_units(symbol) or (f"{symbol}^1", 1.0, 0.0)
    factor *= unit.factor * (_MONTHS if "/mo" in unit.symbol else 1.0)
    pieces = (piece.partition("^") for piece in spelt.split("·") if piece)
    powers = {name: int(power) for name, _, power in pieces}
    if years := powers.pop("yr", 0):
        powers["s"] = powers.get("s", 0) + years
    # Minutes a day come to a number without a unit.
    return factor * _YEAR**years, frozenset(each for each in powers.items() if each[1])


_SHARE = 0.05  # by which "a third" and "a quarter" may differ
_FEW_DIGITS = 0.17  # share by which a short number may be rounded: three of 3.4, not one of 1.4


def _measure_rounding(numeral: Numeral) -> float:
    """The share by which a number may be rounded: by its last digit, or as a fraction in words."""

    def measure(digits: Decimal) -> float:
        return 0.5000001 * 10.0 ** int(digits.as_tuple().exponent) / abs(float(digits))

    value = numeral.value
    if not value or (numeral.unit == FRACTION and numeral.is_spelt):
        return _SHARE
    return max(min(_FEW_DIGITS, measure(value)), min(_SHARE / 2, measure(value.normalize())))


def _list_readings(read: Mapping[str, Sequence[_Value]]) -> Iterator[_Values]:
    """List what operands may be: each as it is read, or with the unit of another.

    What a writer means comes first.
    """
    ways = {name: [*values] for name, values in read.items()}
    whole = [each[0] for each in read.values() if each[0].has_unit and each[0].form != DATE]
    for values in ways.values():
        one = values[0]
        for other in sorted(whole, key=lambda each: -len(each.units))[:1]:
            if not one.has_unit or one.units < other.units:  # "from 305 kWh up to 420"
                values.append(other._replace(number=one.plain * other.worth, plain=one.plain))
    for chosen in islice(product(*ways.values()), _READINGS):
        yield dict(zip(ways, chosen, strict=True))


# ---------------------------------------------------------------------------- calculations found


def add_calculations(draft: Synthesis, evidence: SynthesisInput) -> Synthesis:
    """Add how numbers of a draft follow from its quotes where neither they nor it say so.

    Whether a sentence may tell such a number as it does, its readers judge.
    """
    claims = evidence.claims
    grounds = build_synthesis_grounds(evidence, draft.calculations)
    made = dict.fromkeys(draft.calculations)
    for each in list_statements(draft, claims):
        cited = [claims[name] for name in dict.fromkeys(each.sentence.cited) if name in claims]
        made |= dict.fromkeys(find_calculations(each.sentence.text, cited, grounds))
    return draft.model_copy(update={"calculations": tuple(made)})


def find_calculations(text: str, cited: Sequence[Claim], grounds: Grounds) -> Iterator[Calculation]:
    """Find how each number of a text may follow that stands in nothing it cites."""
    if numbers := [*find_unsupported_numbers(text, cited, grounds)]:
        values = [each for claim in cited for each in _list_operands(claim, grounds)]
        for number in numbers:
            yield from islice(_propose_calculations(number, values, grounds), 1)


_TRIED = 12  # values of which two are put together
_PROPOSED = 4  # readings of operands: more would come out by chance
_FORMS = {1: ("1 - a", "a"), 2: ("a - b", "a + b", "(a - b) / b", "a / b")}


def _list_operands(claim: Claim, grounds: Grounds) -> Iterator[tuple[Operand, list[_Value]]]:
    """The numbers of a claim's quote, each with the unit that it has there."""
    words = Excerpt(
        claim.quote, language=grounds.detect_language(claim), mark=grounds.find_decimal_mark(claim)
    )
    written = {each.numeral.start: write_numeral(words.text, each) for each in read_numerals(words)}
    for _, value in sorted(written.items()):
        operand = Operand(name="a", claim_id=claim.id, value=value[:200])
        with suppress(_WrongError):
            yield operand, _read_operand(operand, grounds)


def _propose_calculations(
    number: str, values: Sequence[tuple[Operand, list[_Value]]], grounds: Grounds
) -> Iterator[Calculation]:
    """List how a number is a remainder, a difference, sum, change or ratio."""
    try:
        results = _read_results(number, grounds)
    except _WrongError:
        return
    pairs = [*permutations(values, 1), *permutations(values[:_TRIED], 2)]
    for result, chosen in product(results, pairs):
        read = {name: each for name, (_, each) in zip("ab", chosen, strict=False)}
        operands = tuple(
            operand.model_copy(update={"name": name})
            for name, (operand, _) in zip("ab", chosen, strict=False)
        )
        has_year = any(_YEAR_WRITTEN.fullmatch(each.value) for each in operands)
        forms = [form for form in _FORMS[len(chosen)] if form == "a - b" or not has_year]
        for known, form in product(islice(_list_readings(read), _PROPOSED), forms):
            made = Calculation(expression=form, operands=operands, result=number, is_guessed=True)
            with suppress(_WrongError, ZeroDivisionError):
                value = _evaluate(_parse(form), known)
                _require_stated(result, value, known, rounded=0.0)
                is_turned = (
                    form == "a - b" and value.number < 0
                ) or result.number < 0 < value.number
                if not is_turned and not find_fault(made, grounds):
                    yield made

"""Calculations: numbers that no source states, computed again from the words of those that do.

A calculation is an expression over values of claims. Each value is brought to base units, which are
carried along, so that money per energy comes out as money per energy; a percentage is a hundredth,
and a counted noun has no unit.
"""

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import lru_cache
from itertools import islice, permutations, product
from math import isclose
from string import ascii_lowercase

from caveat.contracts.claim import Claim
from caveat.contracts.synthesis import Calculation, Operand, Synthesis, SynthesisInput
from caveat.problem import InternalError
from caveat.quantities.numerals import (
    CLOCK,
    DATE,
    FRACTION,
    PERCENT,
    POINTS,
    TIMES,
    Numeral,
    find_numerals,
)
from caveat.quantities.reading import Quantity, find_quantities, list_figures
from caveat.quantities.support import find_scale, is_unit_note, list_units, spell_out, spell_signs
from caveat.quantities.units import SPELLINGS, Kind, find_base_units, translate_units
from caveat.rules.evidence import detect_claim_language
from caveat.rules.lines import collapse_spaces
from caveat.rules.report.publication import build_synthesis_grounds
from caveat.rules.report.statements import list_statements
from caveat.rules.sentences import Grounds, find_unsupported_numbers, list_notes, split_cells

_DAY = 86_400.0  # seconds
_YEAR = 365.2425 * _DAY
_MONTHS = 12.0  # of a year
_ROUNDED = 0.01  # share by which a result may differ whose last digits are noughts
_DATE = "date"  # the unit of a point in time, in seconds

Units = Mapping[str, int]  # base units and their powers


_TRIED = 12  # values that a total may have


class _WrongError(InternalError):
    """A calculation that does not hold; its message says why."""


class _UnitError(_WrongError):
    """Its units do not fit, or cannot be read."""


@dataclass(frozen=True)
class _Amount(Quantity):
    """A quantity of an operand or a result."""

    worth: float = 1.0  # of one of the unit that is written, in `unit`


@dataclass(frozen=True)
class _Value:
    number: float
    units: Units
    is_dated: bool = False  # whether it lies between dates, which months and years count whole
    is_clock: bool = False  # whether it is a time of day, in seconds after midnight


def find_fault(
    calculation: Calculation,
    grounds: Grounds,
    language: str | None = None,
    *,
    is_exact: bool = False,
) -> str | None:
    """Say why a calculation does not hold; None if it does in one reading of its words.

    Args:
        language: of the result.
        is_exact: whether it must come out even; else to the digits that are written.
    """
    # Of values that contest each other nothing is made but how far they differ.
    result = calculation.result
    if "**" in calculation.expression:  # the years of "2.5 % a year" are in its root
        result = _PER.sub("", result)
    names = {each.claim_id for each in calculation.operands}
    claims = [grounds.claims[name] for name in names if name in grounds.claims]
    fault = ""  # of the first reading: what a writer meant
    is_bare = not all(map(_HAS_UNIT.search, (each.value for each in calculation.operands)))
    are_units_unread = True
    try:
        expressions = _list_expressions(calculation, _read_amount(result, language=language))
        _require_known_constants(expressions, calculation)
        if any(not names.isdisjoint(each.contested_by) for each in claims):
            _require_difference(expressions[0])
        readings = _list_readings(calculation.operands, grounds)
        for amounts, expression in product(readings, expressions):
            try:
                value = _evaluate(expression, amounts)
                _require_written(result, value, amounts, language=language, is_exact=is_exact)
                _require_points(expression, result, amounts, language)
            except _WrongError as error:
                fault = fault or str(error)
                are_units_unread &= isinstance(error, _UnitError)
            except (ZeroDivisionError, OverflowError):
                fault = fault or "It divides by nothing, or is too large."
            else:
                return None
        if (
            calculation.is_guessed
            and (is_bare or are_units_unread)
            and any(_fits_plainly(calculation, each, grounds) for each in expressions)
        ):
            return None
    except _WrongError as error:
        fault = str(error)
    return fault or "It has no values."


_HAS_UNIT = re.compile(r"[^\d\W]|[%$£€¥°]")  # else a head says what a number counts


def _list_expressions(calculation: Calculation, result: Quantity) -> list[ast.expr]:
    """List what an expression may mean, without what only turns one unit into another."""
    expressions = [_parse(calculation.expression)]
    if result.unit in _SHARES:
        expressions.append(_parse(_HUNDRED.sub("1", calculation.expression)))
    if "," in calculation.expression:  # "a * 1,000", where "a * 1,852" may be nautical miles
        expressions.append(_parse(calculation.expression.replace(",", "")))
    match expressions[0]:
        case ast.BinOp(ast.Name() as operand, ast.Mult() | ast.Div(), ast.Constant()):
            expressions.append(operand)  # "a * 3.6" brings it to another unit
        case ast.BinOp(left, ast.Mult() | ast.Div(), ast.Constant(constant)) if constant in _TURNS:
            expressions.append(left)  # grams into the kilograms of a price
    return expressions


def _require_known_constants(expressions: Sequence[ast.expr], calculation: Calculation) -> None:
    """Require that no number is made of itself, nor surely of what counts nobody knows what."""
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


def _fits_plainly(calculation: Calculation, expression: ast.expr, grounds: Grounds) -> bool:
    """Whether the bare numbers of a calculation come to its result, whatever they are numbers of.

    Units, and scales of tables, are written in more ways than code reads: a third of the true
    sentences fell that strangers wrote of tables. Whether such a number may be told, readers judge.
    """
    known: dict[str, Numeral] = {}
    for operand in calculation.operands:
        claim = grounds.claims[operand.claim_id]
        language, mark = _detect_language(claim, grounds), grounds.find_decimal_mark(claim)
        numerals = find_numerals(operand.value, language, mark)
        if len(numerals) != 1 or not numerals[0].is_read or numerals[0].unit == DATE:
            return False
        is_negative = _is_negative(operand.value, claim.quote, language)
        known[operand.name] = numerals[0]._replace(
            value=numerals[0].value * (-1 if is_negative else 1)
        )
    result = _PER_MANY.sub("", calculation.result)  # "28 litres per 100 km"
    results = [
        each
        for each in find_numerals(result, grounds.language or "en")
        if each.is_read and each.value and each.unit not in {DATE, CLOCK}
    ]
    units = {each.unit for each in known.values()}
    if len(results) != 1 or units == {PERCENT}:  # of percentages alone code tells the units
        return False
    value, share = abs(_weigh(results[0])), _measure_rounding(results[0].value, noughts=True)
    with suppress(ZeroDivisionError, OverflowError, _WrongError):
        for scale in {0, *(each.scale for each in known.values())}:  # "from 1.3 million to 1.7"
            amounts = {name: _strip(each, scale) for name, each in known.items()}
            computed = abs(_evaluate(expression, amounts).number)
            if any(isclose(value, computed * turn, rel_tol=share) for turn in _UNIT_TURNS):
                return True
    return False


def _weigh(numeral: Numeral) -> float:
    return float(numeral.value) / (100 if numeral.unit in {PERCENT, POINTS} else 1)


def _strip(numeral: Numeral, scale: int) -> "_Amount":
    """Make a bare number of a numeral, without a scale of its own."""
    number = _weigh(numeral) / 10 ** (scale if numeral.scale == scale else 0)
    return _Amount(0, 0, Kind.NUMBER, number, "", number, number)


_PER_MANY = re.compile(r"\s\w+\s10+\s\w+\Z")
_UNIT_TURNS = [
    power
    for turn in (60, 100, 1_000, 1_000_000)  # minutes of hours, cents, shares, scales of tables
    for power in (1, turn, 1 / turn)
]


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
    values = [each for claim in cited for each in _list_values(claim, grounds)][:_TRIED]
    for number in find_unsupported_numbers(text, cited, grounds):
        yield from islice(_propose_calculations(number, values, grounds), 1)


def _propose_calculations(
    number: str, values: Sequence[tuple[Operand, _Amount]], grounds: Grounds
) -> Iterator[Calculation]:
    """List how a number is a remainder, a difference, sum, change or ratio, or a total of more."""
    try:
        wanted = _read_amount(number, language=grounds.language)
    except _WrongError:
        return
    every = [values] if len(values) > len("ab") else []
    for chosen in (*permutations(values, 1), *permutations(values, 2), *every):
        operands = tuple(
            operand.model_copy(update={"name": name})
            for name, (operand, _) in zip(ascii_lowercase, chosen, strict=False)
        )
        readings: list[_Amounts] = []
        with suppress(_WrongError):
            readings += islice(_list_readings(operands, grounds), _PROPOSED)
        for known, form in product(readings, _list_forms(wanted, [each for _, each in chosen])):
            rounded = 1e-9 if form == "a" and not wanted.unit else 0.0
            made = Calculation(expression=form, operands=operands, result=number, is_guessed=True)
            with suppress(_WrongError, ZeroDivisionError):
                value = _evaluate(_parse(form), known)
                _require_written(number, value, known, rounded, grounds.language)
                is_turned = form == "a - b" and value.number < 0
                if not is_turned and not find_fault(made, grounds, grounds.language):
                    yield made


_ROUND = 1_000  # from here on a count may be told with noughts
_TURNS = {10, 60, 100, 1_000, 3_600, 1_000_000}  # of a unit into another one
_COUNTS = {*_TURNS, 1, 2, 3.6, 7, 12, 24, 52, 365}  # these, others of times, and one that halves
_SHARES = {"%", "pp"}


def _list_forms(wanted: Quantity, amounts: Sequence[Quantity]) -> list[str]:
    """The expressions by which amounts may come to what is wanted: no share of unlike things."""
    shares = {each.unit in _SHARES for each in amounts}
    is_share = wanted.unit in _SHARES
    forms: list[str] = []
    if len(amounts) == 1 and shares == {is_share}:
        forms = ["1 - a"] if is_share else ["a"] if wanted.unit else []  # in another unit
        # "7 % less" of −7 %, 5,600 of 5,592 in words for "about" that nobody knows here
        is_rounded = amounts[0].number >= _ROUND and not wanted.number % 10
        forms += ["a"] if amounts[0].number < 0 or (is_rounded and not wanted.unit) else []
    elif len(amounts) > len("ab"):
        forms = [" + ".join(ascii_lowercase[: len(amounts)])] if shares == {is_share} else []
    elif len(amounts) > 1:
        forms = ["a - b", "a + b"][wanted.unit == "%" :] if shares == {is_share} else []
        forms += ["a - b"] if shares == {True} and not wanted.unit else []  # "gained 4.7 points"
        if shares == {False} and (is_share or "/" in wanted.unit):
            forms += ["(a - b) / b", "a / b"]
    return forms


def _list_values(claim: Claim, grounds: Grounds) -> Iterator[tuple[Operand, _Amount]]:
    """The numbers of a claim's quote, each with the unit that it has there."""
    for start, end, _ in list_figures(claim.quote, _detect_language(claim, grounds)):
        operand = Operand(name="a", claim_id=claim.id, value=claim.quote[start:end][:200])
        with suppress(_WrongError):
            yield operand, _read_operand(operand, grounds)[0]


def _detect_language(claim: Claim, grounds: Grounds) -> str:
    """Detect the language of a quote, of a row by the decimals of its document."""
    language, mark = detect_claim_language(claim), grounds.find_decimal_mark(claim)
    if mark == "." and "\t" in claim.quote:  # its few words may look like any language's
        return "en"
    return "de" if language == "en" and mark == "," else language


def _parse(written: str) -> ast.expr:
    plain = written.translate(str.maketrans("×·÷:−–", "**//--"))
    plain = re.sub(r"(?<=\d),(?=\d)", ".", plain)  # "a * 1,852"
    plain = re.sub(r"(\d[\d.]*)\s?%", r"(\1 / 100)", plain)  # "100% - a"
    try:
        return ast.parse(plain.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _WrongError("The expression cannot be read.") from None


_HUNDRED = re.compile(r"(?<![\d.])100(?![\d.])")  # "a / b × 100" per cent


def _require_difference(expression: ast.expr) -> None:
    operators = [each for each in ast.walk(expression) if isinstance(each, ast.operator)]
    if not all(isinstance(each, ast.Sub) for each in operators):
        raise _WrongError("Its values contest each other, so that they may only be subtracted.")


def _require_points(
    expression: ast.expr, result: str, amounts: "_Amounts", language: str | None
) -> None:
    """Require that how far two percentages differ, and nothing else, is told in points."""
    units = [each.unit for each in amounts.values()]
    match expression:
        case ast.BinOp(left=ast.Constant() | ast.BinOp(left=ast.Constant())):  # "1 - a - b"
            are_points = False
        case ast.BinOp(ast.BinOp(op=ast.Div()), ast.Sub(), ast.BinOp(op=ast.Div())):
            are_points = True  # "c / d - a / b"
        case ast.BinOp(op=ast.Sub()):
            are_points = len(units) > 1 and {*units} == {"%"}
        case _:
            are_points = False
    unit = _read_amount(result, language=language).unit
    if unit in _SHARES and "pp" not in units and are_points is not (unit == "pp"):
        what = "percentage points" if are_points else "per cent"
        raise _WrongError(f"It comes to {what}.")


_OPERATIONS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def _evaluate(expression: ast.expr, known: "_Amounts") -> _Value:
    match expression:
        case ast.Name(id=name) if name in known:
            return _bring_to_base(known[name])
        case ast.Constant(value=int() | float() as number):
            return _Value(float(number), {})
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            one, other = _evaluate(left, known), _evaluate(right, known)
            number = _OPERATIONS[type(op)](one.number, other.number)
            units = _combine(one.units, other.units, op)
            if one.is_clock and other.is_clock and number < 0:  # "from 22:00 to 6:00"
                number += _DAY
            return _Value(number, units, one.is_dated or other.is_dated)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):  # growth a year: "(a / b) ** (1 / 5)"
            base, exponent = _evaluate(left, known), _evaluate(right, known)
            if not (base.units or exponent.units) and abs(exponent.number) <= 1 and base.number > 0:
                return _Value(base.number**exponent.number, {})
    raise _WrongError(
        "It may hold its values' letters, numbers, brackets, + - * / and roots of shares alone."
    )


def _combine(one: Units, other: Units, op: ast.operator) -> Units:
    """The units of a result: of a sum those of its parts, of a product theirs together."""
    if isinstance(op, ast.Add | ast.Sub):
        if one != other or (_DATE in one and isinstance(op, ast.Add)):
            raise _UnitError("It adds or subtracts values of different units.")
        return {"s": 1} if _DATE in one else one
    sign = 1 if isinstance(op, ast.Mult) else -1
    powers = {unit: one.get(unit, 0) + sign * other.get(unit, 0) for unit in {*one, *other}}
    return {unit: power for unit, power in powers.items() if power}


_Amounts = Mapping[str, _Amount]  # the operands of a calculation in one reading, by name

_READINGS = 64  # of all operands together
_PROPOSED = 3  # of those where code looks for a calculation itself: more would come out by chance


def _list_readings(operands: Sequence[Operand], grounds: Grounds) -> Iterator[_Amounts]:
    """List what operands may be: each as it is read, with the unit of another, a year as a count.

    What a writer means comes first.
    """
    read = {each.name: [*_read_operand(each, grounds)] for each in operands}
    if not read:
        return
    first = {name: amounts[0] for name, amounts in read.items()}
    for name, more in _share_units(operands, first, grounds.claims):
        read[name].append(more)
    for each in operands:
        if _YEAR_ALONE.fullmatch(each.value):  # "1240, of whom 310 are under 18"
            count = float(each.value)
            read[each.name].append(_Amount(0, 4, Kind.NUMBER, count, "", count, count))
    for amounts in islice(product(*read.values()), _READINGS):
        yield dict(zip(read, amounts, strict=True))


def _share_units(
    operands: Sequence[Operand], amounts: _Amounts, claims: Mapping[str, Claim]
) -> Iterator[tuple[str, _Amount]]:
    """Read bare numbers with the unit of another: "from 305 kWh up to 420"."""
    widest = max(operands, key=lambda each: len(amounts[each.name].unit))
    unit = amounts[widest.name].unit
    languages = {each.name: detect_claim_language(claims[each.claim_id]) for each in operands}
    words = {each.name: find_numerals(each.value, languages[each.name]) for each in operands}
    behind = widest.value[words[widest.name][0].end :] if words[widest.name] else ""
    if unit == CLOCK:  # "von 13 bis 18 Uhr", "from 1 to 6 pm"
        behind = widest.value.lstrip("0123456789:.")
    for each in operands:
        own, name = amounts[each.name].unit, each.name
        if words[name] and own != unit and (not own or unit.startswith(f"{own}/")):
            with suppress(_WrongError):
                shared = each.value[: words[name][0].end] + behind
                amount = _read_amount(shared, language=languages[name])
                is_money = amounts[widest.name].kind is Kind.MONEY  # whose words may stand outside
                yield name, replace(amount, unit=amount.unit or (unit if is_money else ""))


def _read_operand(operand: Operand, grounds: Grounds) -> Sequence[_Amount]:
    """Read a value of a quote, of a cell also by what stands above its table."""
    claim = grounds.claims.get(operand.claim_id)
    words = collapse_spaces(operand.value)
    if claim is None or words not in collapse_spaces(claim.quote):
        raise _WrongError(f"“{operand.value}” does not stand in the quote of {operand.claim_id}.")
    language = _detect_language(claim, grounds)
    words = spell_out(operand.value, claim.quote, language)
    spoken = language if words == operand.value else "en"  # it is written plainly now
    heads = _list_heads(operand.value, claim, of_heads := grounds.detect_language(claim))
    # "Sperrtage" counts days, and may count closures.
    heads += [translate_units(head, language, are_compounds=True) for head in heads]
    amounts = [_read_amount(words, head, spoken, of_heads) for head in heads]
    # "£520,000" of "£520,000 a year" may be so much each year.
    at = claim.quote.find(operand.value)
    rate = _RATE_BEHIND.match(claim.quote, at + len(operand.value)) if at >= 0 else None
    with suppress(_WrongError):  # "5.6 per 100"
        amounts += [_read_amount(words + rate[0], language=spoken)] if rate else []
    if _is_negative(operand.value, claim.quote, language):
        amounts = [
            replace(each, number=-abs(each.number), low=-each.high, high=-each.low)
            for each in amounts
        ]
    return tuple(dict.fromkeys(amounts))


def _is_negative(words: str, quote: str, language: str) -> bool:
    """Whether words are a number whose minus or brackets were left behind: the 18.4 of "(18.4)"."""
    at, there = quote.find(words), find_numerals(quote, language)
    own = [each.value for each in find_numerals(words, language)]
    return any(
        each.is_read and each.value < 0 and own == [-each.value] and each.start <= at < each.end
        for each in there
    )


_RATE_WORDS = "an?|per|each|every|to the|pro|je|im|in der|par|al|por"
_RATE_BEHIND = re.compile(rf"(?:\s(?:{_RATE_WORDS})\s|\s?/)[^\d.,;:()]{{1,40}}", re.IGNORECASE)


def _list_heads(words: str, claim: Claim, language: str) -> list[str]:
    """What may say the unit of the cell that holds some words; nothing for other text.

    That is its column with the unit of its row, and with each note above the table.
    """
    (_, row), *cells = split_cells(claim)
    # The 20 of a cell, and not that of 2025 in another.
    whole = re.compile(rf"(?<![\d.,]){re.escape(collapse_spaces(words))}(?![.,]?\d)")
    columns = [column for column, cell in cells if column and whole.search(cell)]
    _, *behind = _UNIT_BEHIND.split(row)  # "Length, km", and not "loan, to be repaid by 2031"
    unit = [each for each in behind if is_unit_note(f"in {each}")][-1:]
    if not columns:
        return [""]
    head = ", ".join([columns[0], *unit])
    parts = [part for note in list_notes(claim, language) for part in re.split("[,;] ", note)]
    starts = re.findall(r"\b[^\W\d_]{4,6}", columns[0])  # "Temper" of "Temperatur": of any language
    own = [part for part in parts if any(each.lower() in part.lower() for each in starts)]
    notes = [part for part in own or parts if is_unit_note(part, language)]
    noted = [f"{head}, {note}" for note in notes]
    return [head, *noted] if list_units(head) else noted if own and noted else [*noted, head]


_UNIT_BEHIND = re.compile(r", | \(|: | (?:in|en|em) ")  # "Length (km)", "All figures in °C"
_YEAR_ALONE = re.compile(r"\d{4}")
_ANY_YEAR = 2001  # no leap year


@lru_cache(maxsize=1 << 12)
def _read_amount(
    words: str, columns: str = "", language: str | None = None, of_columns: str = "en"
) -> _Amount:
    """The quantity that some words state, also where its number is written out.

    Args:
        columns: that a cell stands in, which may name its currency, its unit and its scale.
        of_columns: their language.
    """
    written = words
    points = [each for each in find_numerals(words, language or "en") if each.unit in {DATE, CLOCK}]
    clocks = [each.written for each in points if each.unit == CLOCK]
    if len(clocks) == 1:
        sexagesimals = enumerate(map(int, clocks[0].split(":")))
        seconds = float(sum(each * 3_600 // 60**place for place, each in sexagesimals))
        if len(points) == 1:
            return _Amount(0, len(words), Kind.DURATION, seconds, CLOCK, seconds, seconds)
        day = _read_amount(next(each.written for each in points if each.unit == DATE))
        return replace(day, number=day.number + seconds, low=day.low + seconds, high=day.high)
    if len(points) == 1 and points[0].written.startswith("--"):  # of one year, whichever it is
        words = f"{_ANY_YEAR}{points[0].written[1:]}"
    words = _write_plainly(words, language)
    columns, scale = spell_signs(columns), find_scale(columns, of_columns)
    read = find_quantities(words)
    money = [each for each in list_units(columns) if each.kind is Kind.MONEY]
    named = {each.symbol for each in money if each.factor == 1}  # pence stand behind their number
    if len(named) == 1 and not any(each.unit for each in read):
        read = find_quantities(f"{named.pop()} {words}") or read
    if columns and not any(each.unit for each in read):
        *_, unit = _UNIT_BEHIND.split(columns)
        unit = "%" if list_units(columns) == {SPELLINGS["%"]} else unit
        behind = find_quantities(f"{words} {unit.removesuffix(')') if '(' not in unit else unit}")
        read = tuple(each for each in behind if each.unit and not each.start) or read
    if _YEAR_ALONE.fullmatch(written):  # a year alone is a date, and 1.240 is none
        read = read or find_quantities(f"in {words}")
    # "A third" and "the remaining fifth" are shares where they are of something.
    parts = [each for each in find_numerals(f"a {words} of") if each.unit == FRACTION]
    numerals = [
        n for n in parts or find_numerals(words) or find_numerals(f"{words} of") if n.is_read
    ]
    if read:
        amount = read[0]
    elif len(numerals) == 1 and numerals[0].unit in {"", FRACTION, TIMES}:
        number = float(numerals[0].value)
        amount = Quantity(0, len(words), Kind.NUMBER, number, "", number, number)
    else:
        raise _WrongError(f"“{words}” is not one number.")
    if not amount.unit and _POINTS.search(words):
        amount = replace(amount, unit="points")
    digits = float(numerals[0].value) if len(numerals) == 1 else 0.0
    worth = amount.number / digits if digits else 1.0
    factor = 1.0 if any(each.scale for each in numerals) else 10.0**scale
    values = (amount.number, amount.low, amount.high)
    number, low, high = (
        _count_seconds(each) if amount.kind is Kind.DATE else each * factor for each in values
    )
    return _Amount(**{**vars(amount), "number": number, "low": low, "high": high, "worth": worth})


_PER = re.compile(rf"\s(?:{_RATE_WORDS})\s(\w+)\s*\Z", re.IGNORECASE)
_POINTS = re.compile(r"\s(?:points?|Punkten?|puntos?|punt[oi])\s*\Z")  # of percentages as well
_LAST = 9_999.0  # the last year of the calendar


def _count_seconds(year: float) -> float:
    """Count the seconds to a decimal year, of which one in four has a day more."""
    if not 1 <= year < _LAST:  # "before 2020" begins nowhere
        return year * _YEAR
    begins = date(int(year), 1, 1).toordinal()
    days = date(int(year) + 1, 1, 1).toordinal() - begins
    return (begins + (year - int(year)) * days) * _DAY


_PENCE = re.compile(r"(?<![\d.,])(\d{1,3})p\b")


def _write_plainly(words: str, language: str | None) -> str:
    """Write the numerals of another language as English does: "12.4" of "12,4"."""
    words = _PENCE.sub(lambda pence: f"£{Decimal(pence[1]) / 100}", words)
    if language in {None, "en"}:
        return words
    for each in reversed(find_numerals(words, language or "")):
        if each.is_read and each.unit != DATE:
            unit = each.unit if each.unit in _SHARES else ""
            behind = _PARTITIVE.sub(" ", words[each.end :])
            words = f"{words[: each.start]}{each.value:f}{unit}{behind}"
    return translate_units(words, language)


_PARTITIVE = re.compile(r"\A\s(?:d[ei]\s|d['’])")  # "millones de euros"


def _bring_to_base(amount: Quantity) -> _Value:
    factor, units = _find_units(amount)
    return _Value(amount.number * factor, units, _DATE in units, amount.unit == CLOCK)


_DEGREES = {"°", "°C"}  # as differences are told: "0.4 degrees"


def _find_units(amount: Quantity) -> tuple[float, Units]:
    """The factor that brings an amount to base units, and these."""
    if amount.kind is Kind.DATE:
        return 1.0, {_DATE: 1}
    if amount.unit in {CLOCK, "°F"}:  # whose zero is another than that of °C
        return 1.0, {"s" if amount.unit == CLOCK else "°F": 1}
    if amount.unit in {"%", "pp"}:
        return 0.01, {}
    unit = "K" if amount.unit in _DEGREES else amount.unit.replace("/mo", "/yr")
    known, *nouns = unit.split("/")
    base = find_base_units(unit) or (find_base_units(known) if nouns else None)
    if base is None:  # a noun, or so many of them in a time
        factor, per = _find_units(replace(amount, unit=nouns[0])) if nouns else (1.0, {})
        return 1 / factor, {unit: -power for unit, power in per.items()}
    spelt, factor, _ = base
    factor *= _MONTHS if "/mo" in amount.unit else 1.0
    # Minutes a day come to a number without a unit.
    pieces = (piece.partition("^") for piece in spelt.split("·") if piece)
    powers = {unit: int(power) for unit, _, power in pieces}
    years = powers.pop("yr", 0)
    if years:
        powers["s"] = powers.get("s", 0) + years
    return factor * _YEAR**years, {unit: power for unit, power in powers.items() if power}


def _require_written(
    result: str,
    value: _Value,
    amounts: _Amounts,
    rounded: float = _ROUNDED,
    language: str | None = None,
    *,
    is_exact: bool = False,
) -> None:
    """Require that some words state a value, as far as they are precise.

    Args:
        amounts: that it was made of; a unit of theirs need not be said again.
        rounded: the share by which it may differ however precise they are.
    """
    plain = _write_plainly(result, language)
    said = _read_amount(result, language=language)
    if said.kind is Kind.DATE and _YEAR_ALONE.fullmatch(result) and not value.units:
        number = float(result)
        said = replace(said, kind=Kind.NUMBER, unit="", number=number, low=number, high=number)
    factor = _find_factor(said, value.units, amounts)
    if factor is None:
        raise _UnitError(f"It comes to another unit than that of “{result}”.")
    number, low, high = (each * factor for each in (said.number, said.low, said.high))
    low, high = (number, number) if is_exact else (low, high)
    computed = abs(value.number)
    # months and years are counted whole, days to the day
    slack = 0.0
    if (
        value.is_dated and not is_exact
    ):  # eighteen months from a day are not so many days, and an age is past
        days = {"yr": 16, "": 365}.get(said.unit, said.worth / _DAY / 2)
        slack = _DAY * days
    is_exact |= value.is_dated or said.unit == CLOCK
    is_exact |= len(find_numerals(plain)) > 1  # "5 h 45 min"
    share = 1e-12
    if not is_exact:
        share = max(rounded, _compute_rounding(plain, noughts=rounded > 0))
    if computed > number:  # of the larger, and a half is rounded up
        share = 0.99 * share / (1 + share)
    if not low - slack <= computed <= high + slack and not isclose(number, computed, rel_tol=share):
        are_known = all(each.unit for each in amounts.values())
        kind = _WrongError if are_known else _UnitError  # which the heads of a table may say
        raise kind(f"It comes to {_write_amount(computed, factor, said.unit)}.")


def _find_factor(said: Quantity, units: Units, amounts: _Amounts) -> float | None:
    """What brings a result to base units, also where its unit is left to the reader; else None.

    "190 less than the 450 kWh" are kilowatt-hours.
    """
    factor, own = _find_units(said)
    if said.unit == "points" and {each.unit for each in amounts.values()} == {"%"}:
        return 0.01
    if own == units:
        return factor
    for amount in amounts.values():
        left_out, base = _find_units(amount)
        if not said.unit and base == units and _DATE not in base:
            return factor * left_out * amount.worth
    return None


def _write_amount(computed: float, factor: float, unit: str) -> str:
    number = computed / factor
    return f"{number:,.0f} {unit}".strip() if number >= _LONG else f"{number:.6g} {unit}".strip()


_LONG = 10_000  # from here on a number is grouped


_SHARE = 0.05  # by which "a third" and "a quarter" may differ


def _compute_rounding(result: str, *, noughts: bool) -> float:
    """The share by which a number may differ: by its last digit, or as a fraction in words.

    Args:
        noughts: whether its last digit is the last that is no nought, as 3 of 23,000.
    """
    shares = [
        _SHARE
        if each.unit == FRACTION and each.is_spelt
        else _measure_rounding(each.value, noughts=noughts)
        for each in find_numerals(result) or find_numerals(f"{result} of")
        if each.is_read and each.value
    ]
    return max([1e-9, *shares[:1]])


_FEW_DIGITS = 0.17  # share by which a short number may be rounded: three of 3.4, not one of 1.4


def _measure_rounding(value: Decimal, *, noughts: bool) -> float:
    def measure(digits: Decimal) -> float:
        return 0.5000001 * 10.0 ** int(digits.as_tuple().exponent) / abs(float(value))

    if not noughts:
        return min(1.0, measure(value))
    return max(min(_FEW_DIGITS, measure(value)), min(_SHARE / 2, measure(value.normalize())))

"""Figures: a table's quantity stands in its claim, and the number that orders it is its own."""

import math
import re
from collections.abc import Iterator

from caveat.contracts.audit import Check, Finding
from caveat.contracts.report import Report
from caveat.contracts.synthesis import Figure
from caveat.rules.citations import place
from caveat.rules.numbers import numerals

CONVERSIONS: dict[str, tuple[float, ...]] = {
    "s": (60, 3_600, 86_400, 604_800),
    "yr": (1 / 12,),
    "B": (1024, 1024**2, 1024**3, 1024**4),
    "m": (0.3048, 1609.344, 0.0254),
    "pc": (0.306601,),
    "kg": (0.45359237,),
    "km²": (2.589988, 0.0040468564),
    "m/s": (0.44704, 1 / 3.6),
    "°": (1 / 60, 1 / 3_600),
}
"""What a figure may have been multiplied by, powers of ten aside, to be counted in a unit: the
definitions of minute to week, month, binary prefixes, foot, mile, inch, light year in parsecs,
pound, square mile, acre, mile and kilometre an hour, minute and second of arc."""

TOLERANCE = 1e-6
"""Relative. Conversion factors are written with seven digits; a changed digit moves a figure of up
to six digits by more."""

_RANGE = re.compile(r"(?:[-–—−]|\bto\b|\band\b)")
_DATE = "date"
"""The unit of figures that count in decimal years."""


def figure_findings(report: Report) -> Iterator[Finding]:
    """Check that each figure stands verbatim in its claim's quote and is ordered by its value."""
    claims = {claim.id: claim for claim in report.claims}
    for section in report.sections:
        for figure in section.figures:
            claim = claims.get(figure.claim_id)
            if claim is not None and not (figure.value and figure.value in claim.quote):
                message = f"The figure “{figure.value}” is not in the quote of claim {claim.id}."
                yield Finding(check=Check.NUMBER, where=place(section), message=message)
            if not _ordered_by_its_value(figure):
                message = f"The figure “{figure.value}” is ordered by {figure.number}."
                yield Finding(check=Check.NUMBER, where=place(section), message=message)


def _ordered_by_its_value(figure: Figure) -> bool:
    if figure.unit == _DATE:
        years = [int(year) for year in re.findall(r"(?<!\d)\d{4}(?!\d)", figure.value)]
        # A date's number lies inside the years that it names; its fraction is the day.
        return not years or min(years) <= figure.number <= max(years) + 1
    centres = list(_centres(figure.value))
    # "thirty seconds": spelled-out numbers are out of scope.
    return not centres or any(_converts(centre, figure.number, figure.unit) for centre in centres)


def _centres(value: str) -> Iterator[float]:
    """The numbers that a value may be ordered by: its first numeral, or the middle of a range."""
    found = [each for each in numerals(value) if each.written.count(".") < 2]
    if not found:
        return
    first = found[0]
    yield float(first.normal.rstrip("%"))
    for second in found[1:2]:
        if "±" in value or not _RANGE.search(value[first.end : second.end]):
            return
        low, high = float(first.normal.rstrip("%")), float(second.normal.rstrip("%"))
        yield (low + high) / 2
        yield high
        written = float(second.written)
        if written:
            # "1.2 to 1.5 million" writes the scale of both ends once.
            yield (low * (high / written) + high) / 2


def _converts(centre: float, number: float, unit: str) -> bool:
    if centre == 0 or number == 0:
        return centre == number
    ratio = number / centre
    return ratio > 0 and any(
        _is_power_of_ten(ratio / factor) for factor in (1.0, *CONVERSIONS.get(unit, ()))
    )


def _is_power_of_ten(ratio: float) -> bool:
    # Prefixes (k, M, bn) scale a figure by powers of ten.
    nearest = 10.0 ** round(math.log10(ratio))
    return math.isclose(ratio, nearest, rel_tol=TOLERANCE)

"""Figures are ordered by the quantity that they print, read as reasoners read it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.synthesis import Figure
from caveat.quantities.reading import find_quantities
from caveat.quantities.units import SPELLINGS
from caveat.rules.audit.checks import check_figures
from tests.fakes.claims import a_claim

CLAIM = a_claim()


def _findings(figure: Figure, quote: str) -> list[str]:
    claim = CLAIM.model_copy(update={"quote": quote})
    return [each.message for each in check_figures("section", [figure], {claim.id: claim})]


def _figure(value: str, number: float, unit: str) -> Figure:
    return Figure(label="l", value=value, number=number, unit=unit, claim_id=CLAIM.id)


@pytest.mark.parametrize("numeral", ["12.5", "1,250", "3 × 10^4", "1.5 million", "14 ± 2"])
def test_what_a_reasoner_reads_passes_the_audit(numeral: str) -> None:
    """`_passes` fails where the audit finds anything, or reads another unit."""
    for spelling, unit in SPELLINGS.items():
        _passes(numeral, spelling, unit.symbol)


def _passes(numeral: str, spelling: str, symbol: str) -> None:
    quote = f"The beam of the lighthouse spans {numeral} {spelling} today."
    (read,) = find_quantities(quote)
    assert read.unit == symbol
    figure = _figure(quote[read.start : read.end], read.number, read.unit)
    assert _findings(figure, quote) == []
    for wrong in (
        figure.model_copy(update={"number": figure.number * 1.01}),
        figure.model_copy(update={"number": figure.number * 10}),
        figure.model_copy(update={"unit": "furlong"}),
        figure.model_copy(update={"value": numeral}),
    ):
        assert len(_findings(wrong, quote)) == 1


@pytest.mark.parametrize(
    ("quote", "value", "number", "unit"),
    [
        ("It is 67.4 ± 0.5 km/s/Mpc.", "67.4 ± 0.5 km/s/Mpc", 67.4, "km/s/Mpc"),
        ("It is 70.0+12.0−8.0 km s−1 Mpc−1.", "70.0+12.0−8.0 km s−1 Mpc−1", 70.0, "km/s/Mpc"),
        ("It takes between 5 and 10 minutes.", "5 and 10 minutes", 450.0, "s"),
        ("It is between 67 km and 73 km.", "67 km and 73 km", 70_000.0, "m"),
        ("It has 3 million hosts per hour.", "3 million hosts per hour", 3e6 / 3600, "hosts/s"),
        ("It cost $1.2 to $1.5 million.", "$1.5 million", 1.5e6, "USD"),
        ("It is from -5 °C to 10 °C.", "-5 °C to 10 °C", 2.5, "°C"),
        ("It lasts 18 months.", "18 months", 1.5, "yr"),
        ("It lasts thirty seconds.", "thirty seconds", 30.0, "s"),
        ("It began on 14 May 2019.", "14 May 2019", 2019.3657, "date"),
    ],
)
def test_a_figure_is_read_where_it_stands(quote: str, value: str, number: float, unit: str) -> None:
    assert _findings(_figure(value, number, unit), quote) == []


@given(st.floats(min_value=0.0, allow_nan=False, allow_infinity=False))
def test_a_wrong_number_is_named(number: float) -> None:
    (message, *_) = _findings(_figure("5 ± 3 m", number, "m"), "It is 5 ± 3 m.") or [""]
    assert (str(number) in message) == (abs(number - 5) > 1e-5)

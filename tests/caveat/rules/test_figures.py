"""Figures are ordered by the quantity that they print."""

import pytest

from caveat.contracts.synthesis import Figure
from caveat.rules.figures import figure_findings
from tests.fakes.reports import a_report


def _findings(value: str, number: float, unit: str) -> list[str]:
    report = a_report()
    section, claim = report.sections[0], report.claims[0]
    figure = Figure(label="l", value=value, number=number, unit=unit, claim_id=claim.id)
    # The quote is only looked at here; the whole audit has its own tests.
    doctored = claim.model_copy(update={"quote": f"It is {value}."})
    section = section.model_copy(update={"figures": (figure,)})
    return [f.message for f in figure_findings(a_report(sections=(section,), claims=(doctored,)))]


@pytest.mark.parametrize(
    ("value", "number", "unit"),
    [
        ("67.4 ± 0.5 km/s/Mpc", 67.4, "km/s/Mpc"),
        ("(73.04 ± 1.04) km s−1 Mpc−1", 73.04, "km/s/Mpc"),
        ("70.0+12.0−8.0 km s−1 Mpc−1", 70.0, "km/s/Mpc"),
        ("12.5 hours", 45_000.0, "s"),
        ("5 and 10 minutes", 450.0, "s"),
        ("1.284 million sq km", 1_284_000.0, "km²"),
        ("over €30bn", 30e9, "EUR"),
        ("1.2 to 1.5 million", 1_350_000.0, ""),
        ("67 km and 73 km", 70_000.0, "m"),
        ("-5 °C to 10 °C", 2.5, "°C"),
        ("12% to 15%", 13.5, "%"),
        ("4-6σ", 5.0, "σ"),
        ("18 months", 1.5, "yr"),
        ("14 May 2019", 2019.3657, "date"),
        ("thirty seconds", 30.0, "s"),
    ],
)
def test_a_figure_may_be_converted(value: str, number: float, unit: str) -> None:
    assert _findings(value, number, unit) == []


@pytest.mark.parametrize(
    ("value", "number", "unit"),
    [
        ("67.4 ± 0.5 km/s/Mpc", 67.5, "km/s/Mpc"),
        ("67.4 ± 0.5 km/s/Mpc", -67.4, "km/s/Mpc"),
        ("5 ± 3 m", 3.0, "m"),
        ("12.5 hours", 46_000.0, "s"),
        ("100 km/s", 600.0, "km/s"),
        ("0 m", 1.0, "m"),
        ("14 May 2019", 2018.3657, "date"),
    ],
)
def test_a_wrong_number_is_named(value: str, number: float, unit: str) -> None:
    (message,) = _findings(value, number, unit)
    assert str(number) in message

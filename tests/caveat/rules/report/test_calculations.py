"""Code computes again what a model computed, from the words of the quotes."""

import pytest

from caveat.contracts.synthesis import Arithmetic, Calculation, Operand
from caveat.rules.report import is_right
from tests.fakes.claims import a_claim

CLAIMS = {
    name: a_claim(name, quote)
    for name, quote in {
        "c1": "The bill is £5.1 million.",
        "c2": "It cost five million eight hundred and forty thousand pounds, fees included.",
        "c3": "The wind farm has 610 MW.",
        "c4": "Another has 240 MW.",
        "c5": "It closed on 30 June 2023.",
        "c6": "It opened on 9 September 2024.",
        "c7": "The grant is £3 million.",
        "c8": "We propose 15% as a target.",
        "c9b": "We measure around 10%.",
    }.items()
}
for name, columns in {
    "r1": "amount_gbp, n",
    "r2": "amount_gbp",
    "r3": "eur, gbp",
    "r4": "n, gbp",
}.items():
    CLAIMS[name] = a_claim(name, "Castell\t742000\t1", location=columns)


def calculation(arithmetic: str, result: str, **values: str) -> Calculation:
    operands = tuple(Operand(claim_id=name, value=value) for name, value in values.items())
    return Calculation(arithmetic=Arithmetic(arithmetic), operands=operands, result=result)


FIVE_EIGHT = "five million eight hundred and forty thousand pounds"


@pytest.mark.parametrize(
    ("given", "right"),
    [
        (calculation("sum", "850 MW", c3="610 MW", c4="240 MW"), True),
        (calculation("sum", "£1,484,000", r1="742000", r2="742000"), True),
        (calculation("sum", "€1,484,000", r1="742000", r2="742000"), False),
        (calculation("sum", "£1,484,000", r1="742000", r3="742000"), False),
        (calculation("sum", "742,001", r4="742000", r1="1"), True),  # another column has pounds
        (calculation("sum", "£742,001", r4="742000", r1="1"), False),
        (calculation("sum", "860 MW", c3="610 MW", c4="240 MW"), False),
        (calculation("sum", "850 kW", c3="610 MW", c4="240 MW"), False),
        (calculation("difference", "£740,000", c2=FIVE_EIGHT, c1="£5.1 million"), True),
        (calculation("difference", "£640,000", c2=FIVE_EIGHT, c1="£5.1 million"), False),
        (calculation("difference", "5 percentage points", c8="15%", c9b="10%"), True),
        (calculation("difference", "6 percentage points", c8="15%", c9b="10%"), False),
        (calculation("ratio", "59 per cent", c7="£3 million", c1="£5.1 million"), True),
        (calculation("ratio", "69 per cent", c7="£3 million", c1="£5.1 million"), False),
        (calculation("span", "14 months", c5="30 June 2023", c6="9 September 2024"), True),
        (calculation("span", "437 days", c5="30 June 2023", c6="9 September 2024"), True),
        (calculation("span", "18 months", c5="30 June 2023", c6="9 September 2024"), False),
        (calculation("sum", "850 MW", c3="610 MW", c4="250 MW"), False),
        (calculation("sum", "850 MW", c3="610 MW", c9="240 MW"), False),
        (calculation("sum", "£5.1 million", c1="£5.1 million", c3="610 MW"), False),
    ],
)
def test_a_calculation_is_computed_again(given: Calculation, right: bool) -> None:
    assert is_right(given, CLAIMS) == right


@pytest.mark.parametrize(
    ("result", "right"),
    [("£1,484 thousand", True), ("£1.484 million", True), ("£1,484", False)],
)
def test_a_cell_is_computed_in_the_scale_of_its_column(result: str, *, right: bool) -> None:
    row = a_claim("c1", "Wall\t1,164\t320", location="2023 (£ thousand), 2024 (£ thousand)")
    operands = (Operand(claim_id="c1", value="1,164"), Operand(claim_id="c1", value="320"))
    given = Calculation(arithmetic=Arithmetic.SUM, operands=operands, result=result)
    assert is_right(given, {"c1": row}) is right


@pytest.mark.parametrize(
    ("arithmetic", "result"), [("sum", "£10.9 million"), ("difference", "£0.7 million")]
)
def test_of_values_that_contest_each_other_only_the_difference_is_made(
    arithmetic: str, result: str
) -> None:
    one = a_claim("c1", "It cost £5.1 million.").model_copy(update={"contested_by": ("c2",)})
    other = a_claim("c2", "It cost £5.8 million.").model_copy(update={"contested_by": ("c1",)})
    given = calculation(arithmetic, result, c2="£5.8 million", c1="£5.1 million")
    assert is_right(given, {"c1": one, "c2": other}) is (arithmetic == "difference")

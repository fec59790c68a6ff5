import pytest

from caveat.rendering.money import money


@pytest.mark.parametrize(
    ("dollars", "written"),
    [
        (0.0, "$0.00"),
        (0.000_1, "less than $0.01"),
        (0.01, "$0.01"),
        (2.756, "$2.76"),
        (1_234.5, "$1,234.50"),
    ],
)
def test_no_amount_is_written_as_nothing_that_is_not(dollars: float, written: str) -> None:
    assert money(dollars) == written

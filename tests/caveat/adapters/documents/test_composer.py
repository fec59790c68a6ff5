"""Text of documents on its way into a snapshot."""

from caveat.adapters.documents.composer import Composer, clean_text
from caveat.quantities.numerals import find_numbers


def test_the_spaces_within_a_number_stay() -> None:
    text = (
        "  In 2019\u00a0  450 people\u202fsaw 12\u00a0000 geese\n and 1\u202f234\u202f567\tswans. "
    )
    clean = clean_text(text)
    assert clean == "In 2019 450 people saw 12\u00a0000 geese and 1\u202f234\u202f567 swans."
    assert find_numbers(clean) == ["2019", "450", "12000", "1234567"]


def test_a_row_of_units_names_columns_as_well() -> None:
    composer = Composer()
    composer.add_table([["Month", "Energy", "Wind"], ["", "MWh", "m/s"], ["Jan", "11,842", "9.1"]])
    assert "Jan, Wind, m/s" in [mark.label for mark in composer.finish().landmarks]

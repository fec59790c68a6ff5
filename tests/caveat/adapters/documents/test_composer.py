"""Text of documents on its way into a snapshot."""

import pytest

from caveat.adapters.documents.composer import Composer, Covered, clean_text, has_names
from caveat.contracts.source import Snapshot
from caveat.quantities.numerals import find_numbers
from caveat.rules.evidence import describe_place


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


def test_names_beneath_one_that_spans_them_name_columns_as_well() -> None:
    composer = Composer()
    first = ["Contour", "2024", Covered("2024"), "2025", Covered("2025")]
    rows = [["54 dB", "31.6", "22.4", "33.0", "23.9"], ["57 dB", "17.2", "9.8", "17.9", "10.1"]]
    composer.add_table([first, ["", "km²", "People", "km²", "People"], *rows])
    assert "54 dB, 2025, km²" in [mark.label for mark in composer.finish().landmarks]


THOUSANDS = "All figures in thousands of pounds"
HEADS = ["Item", "Budget", "Spent"]
SPENT = " › Item, Budget, Spent"


@pytest.mark.parametrize(
    ("above", "heads", "place"),
    [
        ([f"By the treasurer. {THOUSANDS}."], HEADS, f"{THOUSANDS}{SPENT}"),
        ([f"By the treasurer. {THOUSANDS}.", "Said in May."], HEADS, f"{THOUSANDS}{SPENT}"),
        (["Costs of 2023", "In per cent"], HEADS, f"Costs of 2023 › In per cent{SPENT}"),
        (["Beträge in Tausend Euro"], HEADS, f"Beträge in Tausend Euro{SPENT}"),
        (["Table 2", "It is final."], HEADS, "Item, Budget, Spent"),
        (
            ["By the treasurer. Heat in °C, air in cm per second."],
            HEADS,
            f"Heat in °C, air in cm per second{SPENT}",
        ),
        (["It is final."], ["Item (£ million)", *HEADS[1:]], "Item (£ million) › Budget, Spent"),
        (["It is final."], ["", *HEADS[1:]], "Budget, Spent"),
    ],
)
def test_a_row_is_placed_under_what_says_of_its_table_what_it_is(
    above: list[str], heads: list[str], place: str
) -> None:
    composer = Composer()
    for block in above:
        composer.add_paragraph(block)
    composer.add_table([heads, ["Barge", "245", ""]])
    composer.begin_page("p. 2")
    composer.add_table([heads, ["Staff", "70", "118"]])
    composer.add_table([["Loan", *HEADS[1:]], ["Rent", "20", "30"]])
    snapshot = composer.finish()
    assert find_place(snapshot, "Staff\t70\t118") == f"p. 2 › {place}"
    assert find_place(snapshot, "Rent\t20\t30") == "p. 2 › Loan, Budget, Spent"


def find_place(snapshot: Snapshot, row: str) -> str | None:
    start = snapshot.text.index(row)
    return describe_place(snapshot, start, start + len(row))


@pytest.mark.parametrize(
    "names", [["Staff", "\u2003\u2003of Which teachers"], ["Staff", "– teachers"]]
)
def test_a_row_that_is_set_in_is_a_part_of_the_one_above_it(names: list[str]) -> None:
    composer = Composer()
    rows = [[name, "7", "8"] for name in (*names, "Rent")]
    rule = ["-----", "---:", "---:"]
    composer.add_table([["Item", "2022", "2023"], rows[0], rule, *rows[1:], ["", "14", "16"]])
    snapshot = composer.finish()
    part = names[1].strip()
    assert find_place(snapshot, f"{part}\t7\t8") == f"{names[0]} › Item, 2022, 2023"
    assert find_place(snapshot, "Rent\t7\t8") == "Item, 2022, 2023"
    assert snapshot.find_location(snapshot.text.index("8", snapshot.text.index(part))) == (
        f"{names[0]}, {part}, 2023"
    )
    assert "Rent, 2023" not in str(snapshot.find_location(snapshot.text.index("16")))


def test_a_row_without_cells_is_none() -> None:
    composer = Composer()
    composer.add_table([["Year", "Fee"], ["2023", "4"], [], [""], ["2024", "5"]])
    assert composer.finish().text == "Year\tFee\n\n2023\t4\n\n2024\t5"


def test_a_row_below_an_empty_first_cell_is_a_part_of_the_one_above_it() -> None:
    composer = Composer()
    rows = [["North", "Tea", "5"], ["", "Milk", "6"], ["South", "Tea", "7"]]
    composer.add_table([["Region", "Ware", "Tonnes"], *rows])
    assert find_place(composer.finish(), "\tMilk\t6") == "North › Region, Ware, Tonnes"


def test_a_row_that_says_of_which_is_a_part_of_the_one_above_it() -> None:
    composer = Composer()
    rows = [["Staff", "70"], ["of which teachers", "40"], ["Rent", "9"], ["davon Keller", "3"]]
    composer.add_table([["Item", "2022"], *rows])
    snapshot = composer.finish()
    assert snapshot.find_location(snapshot.text.index("40")) == "Staff, of which teachers, 2022"
    assert snapshot.find_location(snapshot.text.index("3")) == "Rent, davon Keller, 2022"


def test_a_line_with_its_sort_speaks_of_the_table_that_it_stands_under() -> None:
    composer = Composer()
    composer.add_table([["Item", "2022"], ["Tea", "5"]])
    composer.add_paragraph("Source: the treasurer")
    composer.add_table([["Item", "2023"], ["Milk", "6"]])
    snapshot = composer.finish()
    assert snapshot.find_location(snapshot.text.index("6")) == "Milk, 2023"


YEARS = ("2022", "2023")


@pytest.mark.parametrize(
    ("heads", "place"),
    [
        ([["", *YEARS]], "2022"),  # of a row without a name
        ([["Party", "Votes", "Seats"], ["", *YEARS]], "Votes, 2022"),
        ([["Party", "In 2022", "In 2023"], ["", "votes", "seats"]], "In 2022, votes"),
        ([["Party", "Result", ""], ["", "Votes", "Seats"], ["", *YEARS]], "Result, Votes, 2022"),
    ],
)
def test_a_figure_knows_each_name_above_it(heads: list[list[str]], place: str) -> None:
    composer = Composer()
    composer.add_table([*heads, ["", "141", "52"], ["Red", "100", "5"]])
    snapshot = composer.finish()
    assert snapshot.find_location(snapshot.text.index("141")) == place
    assert snapshot.find_location(snapshot.text.index("100")) == f"Red, {place}"


def test_the_first_name_spans_its_neighbour_where_it_has_names_below_it() -> None:
    composer = Composer()
    heads = [["Men", "", "Women", ""], ["Votes", "Seats", "Votes", "Seats"]]
    composer.add_table([*heads, ["100", "5", "120", "6"]])
    snapshot = composer.finish()
    place = "Men, Votes 100, Men, Seats"
    assert snapshot.find_location(snapshot.text.index("5")) == place


@pytest.mark.parametrize("fillers", [("", ""), (Covered("2018"), Covered("2022"))])
def test_names_of_two_rows_are_put_together(fillers: tuple[str, str]) -> None:
    composer = Composer()
    first, last = fillers
    heads = [["Party", "2018", first, "2022", last], ["", "Votes", "Seats", "Votes", "Seats"]]
    composer.add_table([["Town hall", *[""] * 4], *heads, ["Red", "100", "5", "120", "6"]], 1)
    place = "Town hall › Party; 2018, Votes; 2018, Seats; 2022, Votes; 2022, Seats"
    assert find_place(composer.finish(), "Red\t100\t5\t120\t6") == place


@pytest.mark.parametrize(
    ("first", "second", "are_names"),
    [
        (["", "2023", "2024"], ["Entry fees", "4.1", "3.6"], True),
        (["Beer", "1st quarter", "2024"], ["Bock", "142", "228"], True),
        (["Vasa", "30 metres", "1628"], ["Kronan", "26 metres", "1676"], False),
        (["2023", "2024", "2025"], ["4.1", "3.6", "1.2"], False),
        (["", "14", "27"], ["Tenor", "7", "9"], False),
    ],
)
def test_years_and_words_behind_a_figure_name_columns(
    first: list[str], second: list[str], *, are_names: bool
) -> None:
    assert has_names([first, second, second]) is are_names

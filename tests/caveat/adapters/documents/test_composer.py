"""Text of documents on its way into a snapshot."""

import pytest

from caveat.adapters.documents.composer import Composer, clean_text
from caveat.contracts.source import Snapshot
from caveat.quantities.numerals import find_numbers
from caveat.rules.evidence.claims import describe_place


def test_the_spaces_within_a_number_stay() -> None:
    text = (
        "  In 2019\u00a0  450 people\u202fsaw 12\u00a0000 geese\n and 1\u202f234\u202f567\tswans. "
    )
    clean = clean_text(text)
    assert clean == "In 2019 450 people saw 12\u00a0000 geese and 1\u202f234\u202f567 swans."
    assert find_numbers(clean) == ["2019", "450", "12000", "1234567"]


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

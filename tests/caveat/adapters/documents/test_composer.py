"""Text of documents on its way into a snapshot."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from caveat.adapters.documents.composer import Composer, Covered, clean_text, has_names
from caveat.adapters.documents.html import add_fragment
from caveat.adapters.documents.markdown import _PARSER, add_markdown
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


def test_names_beneath_one_that_spans_them_name_columns_as_well() -> None:
    composer = Composer()
    first = ["Contour", "2024", Covered("2024"), "2025", Covered("2025")]
    rows = [["54 dB", "31.6", "22.4", "33.0", "23.9"], ["57 dB", "17.2", "9.8", "17.9", "10.1"]]
    composer.add_table([first, ["", "km²", "People", "km²", "People"], *rows])
    assert "54 dB, 2025, km²" in [mark.label for mark in composer.finish().landmarks]


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


LINES = (
    "# A head", "## Another `head`", "- an item", "  - one below", "  more of it", "1. first",
    "> said", "**Lead.** A *word* & [a link](x.html).", "`code` first", "plain &amp; simple",
    "", "---",
    "| a | b |\n|---|---|\n| 1 | **2** |", "```\nx < y\n```", "    indented", "line  \nbroken",
    "- **Lead** in an item", "![alt](p.png)", "Head\n====", "~~gone~~", "<b>raw</b>",
    "a <name> and <Other> said", "<!-- not this --> but this", "<name>\na < b </name>", "<!-- open",
    "<i>raw", "a <textarea> of", "<run>",
)  # fmt: skip


@given(st.lists(st.sampled_from(LINES), max_size=9))
@example(["**All of it**", "", "more"])
def test_what_is_known_to_be_closed_is_read_as_a_tree_is(lines: list[str]) -> None:
    text = "\n".join(lines)
    read, tree = Composer(), Composer()
    add_markdown(read, text)
    add_fragment(tree, _PARSER.html(text))
    assert read.finish() == tree.finish()

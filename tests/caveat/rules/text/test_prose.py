"""Words of a source stay words, whatever characters they hold."""

from hypothesis import example, given
from hypothesis import strategies as st

from caveat.rules.text.prose import (
    BlockKind,
    Mark,
    build_plain_block,
    escape_text,
    find_markers,
    split_blocks,
)


@given(st.text(alphabet="abc1. )#>-+*`[]\\\\_!\n\t", min_size=1).filter(str.strip))
@example("1. [c12] says *5 * 3* and `x`")
@example("- # > +")
@example("see [contradiction-3]")
def test_literal_words_are_read_as_they_are(text: str) -> None:
    (block,) = split_blocks(escape_text(text))
    assert block.kind is BlockKind.PARAGRAPH
    read = build_plain_block(block)
    assert read.text == " ".join(text.split())
    assert read.marks == ()


def test_markers_are_taken_out_of_the_text() -> None:
    (block,) = split_blocks("It is 67.4 [c1][contradiction-2], **or 73 [c6]** [contradiction-x].")
    read = build_plain_block(block)
    assert read.text == "It is 67.4, or 73 [contradiction-x]."
    assert read.marks == (Mark(10, "c1"), Mark(10, "contradiction-2"), Mark(17, "c6"))


def test_markers_are_found_where_they_are_written() -> None:
    text = "- one\n  two [c1]\n\n## Title [contradiction-3]\n"
    assert [(text[each.offset : each.end], each.claim_id) for each in find_markers(text)] == [
        ("[c1]", "c1"),
        ("[contradiction-3]", None),
    ]


def test_blocks_are_told_apart() -> None:
    markdown = "# Title\n\nOne\ngoes on.\n- item\n- item\n  goes on\n\n> quoted\n> on\n\n1. first"
    assert [(block.kind, block.text) for block in split_blocks(markdown)] == [
        (BlockKind.HEADING, "Title"),
        (BlockKind.PARAGRAPH, "One goes on."),
        (BlockKind.ITEM, "item"),
        (BlockKind.ITEM, "item goes on"),
        (BlockKind.QUOTATION, "quoted on"),
        (BlockKind.ITEM, "first"),
    ]

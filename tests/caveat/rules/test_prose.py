"""Words of a source stay words, whatever characters they hold."""

from hypothesis import example, given
from hypothesis import strategies as st

from caveat.rules.prose import BlockKind, blocks, literal, passage


@given(st.text(alphabet="abc1. )#>-+*`[]\\\\_!\n\t", min_size=1).filter(str.strip))
@example("1. [c12] says *5 * 3* and `x`")
@example("- # > +")
def test_literal_words_are_read_as_they_are(text: str) -> None:
    (block,) = blocks(literal(text))
    assert block.kind is BlockKind.PARAGRAPH
    read = passage(block)
    assert read.text == " ".join(text.split())
    assert read.marks == ()


def test_blocks_are_told_apart() -> None:
    markdown = "# Title\n\nOne\ngoes on.\n- item\n- item\n  goes on\n\n> quoted\n> on\n\n1. first"
    assert [(block.kind, block.text) for block in blocks(markdown)] == [
        (BlockKind.HEADING, "Title"),
        (BlockKind.PARAGRAPH, "One goes on."),
        (BlockKind.ITEM, "item"),
        (BlockKind.ITEM, "item goes on"),
        (BlockKind.QUOTATION, "quoted on"),
        (BlockKind.ITEM, "first"),
    ]

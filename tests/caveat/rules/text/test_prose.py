"""Words of a source stay words, whatever characters they hold."""

from hypothesis import example, given
from hypothesis import strategies as st

from caveat.contracts.source import Claim
from caveat.rules.text.citations import Piece, list_marked_ids, measure_coverage
from caveat.rules.text.prose import (
    BlockKind,
    Mark,
    build_plain_block,
    escape_text,
    find_markers,
    split_blocks,
)
from tests.fakes.claims import a_claim


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


# Which claims a sentence rests on.


def _cited(markdown: str, *claims: Claim) -> list[tuple[str, tuple[str, ...]]]:
    known = {claim.id: claim for claim in claims}
    return [(s.text, s.cited) for s in Piece(markdown, known).sentences]


def test_a_marker_belongs_to_the_sentence_that_it_stands_in_or_behind() -> None:
    assert _cited("One is here [c1]. Two is there. [c2][c3] Three is nowhere.") == [
        ("One is here.", ("c1",)),
        ("Two is there.", ("c2", "c3")),
        ("Three is nowhere.", ()),
    ]


def test_a_marker_before_a_full_stop_ends_a_sentence_whatever_stands_there() -> None:
    assert _cited("It beats 4.2 [c1]. It is in C [c2][c3]. Memory fell [c4].") == [
        ("It beats 4.2.", ("c1",)),
        ("It is in C.", ("c2", "c3")),
        ("Memory fell.", ("c4",)),
    ]


def test_items_are_apart_and_headings_do_not_count() -> None:
    assert _cited(
        "# A heading\n\n- One [c1]\n- Two\n  goes on. [c2]\n\n> Three [c3]\n> goes on."
    ) == [("One", ("c1",)), ("Two goes on.", ("c2",)), ("Three goes on.", ("c3",))]


def test_what_has_no_words_is_not_factual() -> None:
    assert _cited("---\n\n42\n\n… [c1]") == []


def test_a_claim_quoted_whole_is_one_sentence() -> None:
    quote = "It rained. Then it stopped! Who knows why?"
    assert _cited(f"“{quote}” [c1] That is all.", a_claim("c1", quote)) == [
        (f"“{quote}”", ("c1",)),
        ("That is all.", ()),
    ]


def test_emphasis_code_and_escapes_are_not_words() -> None:
    markdown = r"**Rain** *fell* on `c[c9]` and \[c8\] and \*stars\* **there [c1]**."
    assert _cited(markdown) == [("Rain fell on c[c9] and [c8] and *stars* there.", ("c1",))]
    assert list_marked_ids(markdown) == ("c1",)


def test_coverage_is_a_share_of_factual_sentences() -> None:
    cited = Piece("One is. [c1] Two is.", {}), Piece("Three is. [c2]\n\nFour is [c1].", {})
    assert measure_coverage(cited) == 0.75
    assert measure_coverage([Piece("", {}), Piece("# Nothing", {})]) == 1.0

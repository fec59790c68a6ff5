"""Contested claims are marked wherever they are cited, by code alone."""

from hypothesis import example, given
from hypothesis import strategies as st

from caveat.contracts.contradiction import RulingChoice
from caveat.rules import prose
from caveat.rules.marking import contests, marked, unmarked
from tests.fakes.reports import AWAITED, BOTH_HOLD, NOBODY_CAME, a_disputed_report

CONTESTED = {"c1": ("contradiction-1",), "c2": ("contradiction-1", "contradiction-12")}
PIECES = st.sampled_from(
    [
        *"ab *`\\[]>#-\n\t",
        "[c1]",
        "[c2]",
        "[c3]",
        "**",
        "[contradiction-1]",
        "[contradiction-",
        "1]",
        "[c",
        "\n\n",
        "\r\n",
        "1. ",
        "> ",
        "\u2028",
    ]
)
PROSE = st.lists(PIECES, max_size=14).map("".join)


def test_markers_stand_directly_behind_the_claim() -> None:
    text = "It is 67 [c1], they say [c3]. **Others [c2]** and [c1]."
    assert marked(text, CONTESTED) == (
        "It is 67 [c1][contradiction-1], they say [c3]. "
        "**Others [c2][contradiction-1][contradiction-12]** and [c1][contradiction-1]."
    )


def test_code_and_escapes_hold_no_markers() -> None:
    text = "`[c1]` and \\[c1] and `over\n  lines [c1]`"
    assert marked(text, CONTESTED) == text


def test_markers_in_lists_quotations_and_headings_are_found_where_they_stand() -> None:
    text = "# Title [c1] #\n\n- one\n  goes on [c1]\n\n> two\r\n>  more [c1]\n"
    assert marked(text, CONTESTED) == text.replace("[c1]", "[c1][contradiction-1]")


def test_what_a_synthesiser_marked_itself_is_taken_out() -> None:
    text = (
        "Sure [c3] [contradiction-1]. Not `[contradiction-2]`. [contra[contradiction-9]diction-7]"
    )
    assert marked(text, CONTESTED) == "Sure [c3]. Not `[contradiction-2]`."


def test_words_of_a_source_are_no_markers() -> None:
    quoted = prose.literal("see [c1][contradiction-1]")
    assert marked(quoted, CONTESTED) == quoted


@given(PROSE)
def test_marking_twice_changes_nothing(text: str) -> None:
    once = marked(text, CONTESTED)
    assert marked(once, CONTESTED) == once


@given(PROSE)
@example("[contra[contradiction-1]diction-1]")
def test_taking_the_markers_out_gives_the_prose_back(text: str) -> None:
    bare = unmarked(text)
    assert unmarked(marked(text, CONTESTED)) == bare
    assert not [each for each in prose.markers(bare) if each.contradiction_id]
    if not [each for each in prose.markers(text) if each.contradiction_id]:
        assert bare == text


@given(PROSE)
def test_each_claim_marker_has_its_own_once(text: str) -> None:
    found = prose.markers(marked(text, CONTESTED))
    for number, marker in enumerate(found):
        if marker.claim_id is None:
            continue
        behind = CONTESTED.get(marker.claim_id, ())
        after = found[number + 1 : number + 1 + len(behind)]
        assert tuple(each.contradiction_id for each in after) == behind
        ends = [marker.end, *(each.end for each in after)]
        assert [each.start for each in after] == ends[:-1]


@given(PROSE)
def test_marking_changes_no_words(text: str) -> None:
    bare = unmarked(text)
    assert _words(marked(bare, CONTESTED)) == _words(bare)


def _words(text: str) -> list[str]:
    return [prose.passage(block).text for block in prose.blocks(text)]


@given(PROSE)
def test_a_marker_is_written_where_it_is_found(text: str) -> None:
    for marker in prose.markers(text):
        assert text[marker.start : marker.end] == f"[{marker.claim_id or marker.contradiction_id}]"


def test_open_contradictions_and_rulings_that_both_hold_are_marked() -> None:
    contradictions = (AWAITED, BOTH_HOLD, NOBODY_CAME)
    claims = a_disputed_report().claims
    assert contests(claims, contradictions) == {
        "c1": ("contradiction-1",),
        "c3": ("contradiction-1",),
        "c6": ("contradiction-1",),
        "c11": ("contradiction-2",),
        "c13": ("contradiction-2",),
    }


def test_what_was_settled_for_a_claim_is_not_marked_at_it() -> None:
    upheld = BOTH_HOLD.model_copy(update={"claims": ("c1", "c13"), "ruling": RulingChoice.A})
    claims = a_disputed_report(AWAITED, upheld).claims
    of = contests(claims, (AWAITED, upheld))
    assert of["c1"] == ("contradiction-1",)
    assert "c13" not in of

"""What contradictions make of claims is marked wherever those are cited, by code alone."""

import datetime as dt
from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from caveat.contracts.contradiction import Contradiction, ContradictionKind, Ruling, Side
from caveat.contracts.source import Claim, ClaimState
from caveat.rules.contradictions import ladder
from caveat.rules.contradictions.contest import (
    assign_claim_states,
    index_contradictions,
    list_overruled_sides,
    mark_contradictions,
    select_quotable_claims,
    unmark_contradictions,
)
from caveat.rules.sentences.checks import check_sentence
from caveat.rules.sentences.grounds import Grounds
from caveat.rules.text import prose
from caveat.rules.text.citations import Piece
from tests.fakes.claims import a_claim
from tests.fakes.disputes import CHOICES, a_dispute, backing_of, sides_of

NOW = dt.datetime(2026, 3, 29, 12, tzinfo=dt.UTC)
A, B, BOTH, NEITHER = CHOICES
ACCEPTED, SCOPED, CONTESTED, UNCERTAIN, OVERRULED = ClaimState
PROVISIONAL = "provisional"
NAMES = ("c1", "c2", "c3", "c4", "c5")
ENDINGS = st.sampled_from([None, PROVISIONAL, *CHOICES])


CLAIMS = tuple(a_claim(name, name) for name in NAMES)


PAGE = "Six samples were taken. None of them held asbestos. The trades can strip it. It is flat."


def part(name: str, begins: str, ends: str, source: str = "memo") -> Claim:
    """A claim whose quote is so much of the page."""
    start, end = PAGE.index(begins), PAGE.index(ends) + len(ends)
    return a_claim(name, PAGE[start:end], source, start=start)


def settled(value: str, other: str, choice: str) -> Contradiction:
    """A ruling on what c1 and c2 say of the asbestos."""
    sides = (Side(claim="c1", value=value), Side(claim="c2", value=other))
    disputed = a_dispute(kind=ContradictionKind.CATEGORICAL, sides=sides)
    return ladder.apply_ruling(disputed, Ruling(ruling=choice, reason="I looked."), NOW)


@pytest.mark.parametrize("value", ["None of them held asbestos", "no asbestos in six samples"])
@pytest.mark.parametrize(
    ("choice", "expected"), [("b", OVERRULED), ("both", SCOPED), ("a", ACCEPTED)]
)
def test_quotes_of_one_source_that_cover_the_same_words_share_a_fate(
    value: str, choice: str, expected: ClaimState
) -> None:
    claims = [
        part("c1", "None of", "asbestos."),
        a_claim("c2", "Sheets of asbestos were stripped."),
        part("c3", "Six samples", "strip it."),
        part("c4", "None of", "asbestos."),
        part("c5", "The trades", "flat."),  # beside it in the same passage
        part("c6", "None of", "asbestos.", source="another memo of the same length"),
    ]
    found = states(assign_claim_states(claims, [settled(value, "Sheets of asbestos", choice)]))
    assert {found[name] for name in ("c1", "c3", "c4")} == {expected}
    assert found["c5"] is ACCEPTED


TALL = "The lighthouse is 16.8 metres tall."


@pytest.mark.parametrize(
    ("third", "source", "expected"),
    [
        ("the lighthouse is 16.8 metres tall", "another", OVERRULED),
        ("At 16.80 m it outgrows every other tower.", "s1", OVERRULED),
        ("At 16.80 m it outgrows every other tower.", "another", ACCEPTED),  # the verifier's
        ("It weighs 16.8 tonnes and has 16.8 windows.", "s1", ACCEPTED),
        ("It is 15.3 metres tall.", "s1", ACCEPTED),
        ("It is 14.2 m from the 16.8 m of the rock.", "s1", OVERRULED),
    ],
)
def test_what_repeats_a_value_shares_its_fate(
    third: str, source: str, expected: ClaimState
) -> None:
    claims = [
        a_claim("c1", TALL, "s1"),
        a_claim("c2", "It is 14.2 m tall.", "s2"),
        a_claim("c3", third, source, start=1_000),
    ]
    found = assign_claim_states(claims, [settled("16.8 metres", "14.2 m", B)])
    assert states(found) == {"c1": OVERRULED, "c2": ACCEPTED, "c3": expected}
    shared = settled("16.8 metres in 2024", "14.2 m in 16.8 metres", B)
    assert states(assign_claim_states(claims[:2], [shared]))["c2"] is ACCEPTED


@pytest.mark.parametrize("values", [("17 m", "14 m"), ("2016", "2017")])
def test_a_year_and_a_number_of_two_digits_are_shared_by_chance(values: tuple[str, str]) -> None:
    claims = [
        a_claim("c1", "It is 17 m tall since 2016.", "s1"),
        a_claim("c2", "It is 14 m tall since 2017.", "s2"),
        a_claim("c3", "Its door of 2016 is 17 m wide.", "s1", start=1_000),
    ]
    assert states(assign_claim_states(claims, [settled(*values, B)]))["c3"] is ACCEPTED


SPANS = st.tuples(st.integers(0, len(PAGE) - 1), st.integers(1, 60))


@given(st.lists(SPANS, max_size=8), st.sampled_from(["b", "neither"]))
def test_no_quote_that_holds_what_was_overruled_is_accepted(
    spans: list[tuple[int, int]], choice: str
) -> None:
    value = "None of them held asbestos"
    claims = [part("c1", "None of", "asbestos."), a_claim("c2", "Sheets were stripped.")]
    claims += [
        a_claim(f"c{number}", PAGE[start : start + length], "memo", start=start)
        for number, (start, length) in enumerate(spans, start=3)
    ]
    for claim in assign_claim_states(claims, [settled(value, "Sheets", choice)]):
        assert value not in claim.quote or claim.state is OVERRULED


def contradiction(
    a: str,
    b: str,
    ending: str | None = None,
    backing: tuple[tuple[str, ...], tuple[str, ...]] = ((), ()),
) -> Contradiction:
    return ended(a_dispute(sides=sides_of((a, b), backing)), ending)


def ended(one: Contradiction, ruling: str | None) -> Contradiction:
    if ruling == PROVISIONAL:
        return ladder.settle_provisionally(one, NOW)
    return (
        one
        if ruling is None
        else ladder.apply_ruling(one, Ruling(ruling=ruling, reason="So."), NOW)
    )


def states(found: Sequence[Claim]) -> dict[str, ClaimState]:
    return {claim.id: claim.state for claim in found}


@pytest.mark.parametrize(
    ("values", "ruling", "expected"),
    [
        (2, None, [CONTESTED] * 2),
        (2, A, [ACCEPTED, OVERRULED]),
        (2, B, [OVERRULED, ACCEPTED]),
        (2, BOTH, [SCOPED] * 2),
        (2, NEITHER, [OVERRULED] * 2),
        (2, PROVISIONAL, [UNCERTAIN] * 2),
        (3, None, [CONTESTED] * 3),
        (3, "b", [OVERRULED, ACCEPTED, OVERRULED]),
        (3, "a,c", [SCOPED, OVERRULED, SCOPED]),
        (3, "all", [SCOPED] * 3),
        (3, "none", [OVERRULED] * 3),
        (3, PROVISIONAL, [UNCERTAIN] * 3),
    ],
)
def test_each_ending_says_what_becomes_of_each_value_and_its_backing(
    values: int, ruling: str | None, expected: list[ClaimState]
) -> None:
    backing = [*[()] * (values - 1), ("c4",)]
    one = ended(a_dispute(sides=sides_of(NAMES[:values], backing)), ruling)
    found = assign_claim_states(CLAIMS, [one])
    told = dict(zip(NAMES, [*expected, *[ACCEPTED] * (3 - values)], strict=False))
    assert states(found) == told | {"c4": expected[-1], "c5": ACCEPTED}
    by = {claim.id: set(claim.contested_by) for claim in found}
    assert by["c1"] == {*NAMES[1:values], "c4"}
    marked = index_contradictions(found, [one])
    involved = {*NAMES[:values], "c4"}
    assert set(marked) == {claim.id for claim in found if claim.is_usable} & involved


@pytest.mark.parametrize(("worse", "better"), [*combinations([A, PROVISIONAL, BOTH], 2)])
def test_a_claim_in_several_contradictions_takes_the_worst(worse: str, better: str) -> None:
    # c2 is overruled, uncertain or contested by the one, and by the other something milder.
    ones = [contradiction("c1", "c2", worse), contradiction("c3", "c2", better)]
    expected = {A: OVERRULED, PROVISIONAL: UNCERTAIN}[worse]
    for order in (ones, ones[::-1]):
        found = assign_claim_states(CLAIMS, order)
        assert states(found)["c2"] is expected
        assert set(found[1].contested_by) == {"c1", "c3"}


def test_a_late_ruling_gives_back_what_was_uncertain() -> None:
    before = contradiction("c1", "c2", PROVISIONAL)
    uncertain = assign_claim_states(CLAIMS, [before])
    after = ladder.apply_ruling(before, Ruling(ruling=A, reason="Because."), NOW)
    found = assign_claim_states(uncertain, [after])
    assert states(found)["c1"] is ACCEPTED
    assert assign_claim_states(found, []) == CLAIMS


def test_what_is_overruled_or_uncertain_is_not_used() -> None:
    usability = {
        state: CLAIMS[0].model_copy(update={"state": state}).is_usable for state in ClaimState
    }
    assert usability == {
        ACCEPTED: True, SCOPED: True, CONTESTED: True, UNCERTAIN: False, OVERRULED: False,
    }  # fmt: skip


PAIRS = st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True)


@given(st.lists(st.tuples(PAIRS, ENDINGS), max_size=6))
def test_marking_again_changes_nothing_and_the_order_of_contradictions_no_state(
    drawn: list[tuple[list[str], str | None]],
) -> None:
    ones = [
        contradiction(names[0], names[1], ending, (tuple(names[2:3]), tuple(names[3:])))
        for names, ending in drawn
    ]
    once = assign_claim_states(CLAIMS, ones)
    assert assign_claim_states(once, ones) == once
    assert states(assign_claim_states(CLAIMS, ones[::-1])) == states(once)


CONTESTS = {"c1": ("contradiction-1",), "c2": ("contradiction-1", "contradiction-12")}
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


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        (
            "It is 67 [c1], they say [c3]. **Others [c2]** and [c1].",
            (
                "It is 67 [c1][contradiction-1], they say [c3]. **Others "
                "[c2][contradiction-1][contradiction-12]** and [c1][contradiction-1]."
            ),
        ),
        # What a synthesiser marked itself is taken out, and words of a source are no markers.
        (
            (
                "Sure [c3] [contradiction-1]. Not `[contradiction-2]`. "
                "[contra[contradiction-9]diction-7]"
            ),
            "Sure [c3]. Not `[contradiction-2]`.",
        ),
        (QUOTED := prose.escape_text("see [c1][contradiction-1]"), QUOTED),
    ],
)
def test_markers_stand_directly_behind_the_claim(text: str, marked: str) -> None:
    assert mark_contradictions(text, CONTESTS) == marked


@given(PROSE)
def test_marking_twice_changes_nothing(text: str) -> None:
    once = mark_contradictions(text, CONTESTS)
    assert mark_contradictions(once, CONTESTS) == once


@given(PROSE)
@example("[contra[contradiction-1]diction-1]")
def test_taking_the_markers_out_gives_the_prose_back(text: str) -> None:
    bare = unmark_contradictions(text)
    assert unmark_contradictions(mark_contradictions(text, CONTESTS)) == bare
    assert not [each for each in prose.find_markers(bare) if each.contradiction_id]
    if not [each for each in prose.find_markers(text) if each.contradiction_id]:
        assert bare == text


def ruled_on(number: int, values: tuple[str, str], choice: str, *others: str) -> Contradiction:
    """A ruling on two values of which `c1` states the first."""
    sides = sides_of(("c1", *others), values=values)
    dispute = a_dispute(number=number, sides=sides)
    return ladder.apply_ruling(dispute, Ruling(ruling=choice, reason="Because."), NOW)


ROW = "Ferry North\t412,000\t6.5"


@pytest.mark.parametrize(
    ("quote", "is_written", "state"),
    [
        (ROW, True, SCOPED),
        (ROW, False, OVERRULED),  # its quote would repeat the passengers
        ("Ferry North\t412,000\tblue", True, OVERRULED),
        ("Ferry North carried 412,000 passengers in 6.5 hours.", True, SCOPED),
        ("Ferry North carried 412,000 ± 6,500 passengers in 2024.", True, OVERRULED),
        ("Ferry North carried 412,000 passengers on 6 May.", True, OVERRULED),
        ("La Nord: 412 000 turismos en una cubierta, 6.5 horas.", True, SCOPED),
    ],
)
def test_a_claim_loses_the_figure_that_fell_alone(
    quote: str, state: ClaimState, *, is_written: bool
) -> None:
    ruling = ruled_on(1, ("412,000", "287,000"), "b", "c2")
    claims = [
        a_claim("c1", quote, "s1", location="Passengers, Hours"),
        a_claim("c2", "Ferry North carried 287,000 passengers.", "s2"),
    ]
    found = assign_claim_states(claims, [ruling], is_written=is_written)
    assert found[0].state is state
    assert [each.id for each in select_quotable_claims(found, [ruling])] == ["c2"]
    if state is SCOPED:
        known = {each.id: each for each in found}
        grounds = Grounds(known, overruled=list_overruled_sides([ruling]))
        for said, is_said in (("412,000 passengers", True), ("6.5 hours", False)):
            (sentence,) = Piece(
                f"The ferry North counts {said} [c1].", {**grounds.claims}
            ).sentences
            assert any(check_sentence(sentence, grounds)) is is_said


@pytest.mark.parametrize(
    ("cause", "is_written", "state"),
    [
        ("waves of the storm", True, SCOPED),
        ("waves of the storm", False, OVERRULED),  # its quote would repeat the height
        ("waves of 7.2 metres", True, OVERRULED),  # the rulings contradict each other
    ],
)
def test_what_holds_in_one_dispute_is_used_without_what_another_overruled(
    cause: str, state: ClaimState, *, is_written: bool
) -> None:
    why = ruled_on(1, (cause, "rust"), "a", "c2")
    height = ruled_on(2, ("7.2 metres", "4.1 metres"), "b", "c3")
    claims = [
        a_claim("c1", "The wall fell because of waves of the storm, 7.2 metres high.", "s1"),
        a_claim("c2", "The wall fell because of rust.", "s2"),
        a_claim("c3", "The waves were 4.1 metres high.", "s3"),
    ]
    found = assign_claim_states(claims, [why, height], is_written=is_written)
    assert found[0].state is state
    grounds = Grounds(
        {each.id: each for each in found}, overruled=list_overruled_sides([why, height])
    )
    for said, is_said in ((" of 7.2 metres", True), ("", False)):
        known = {each.id: each for each in found}
        (sentence,) = Piece(f"The wall fell because of waves{said} [c1].", known).sentences
        flaws = " ".join(flaw for _, flaw in check_sentence(sentence, grounds))
        assert ("“7.2 metres”, which is overruled" in flaws) is is_said


@pytest.mark.parametrize(
    ("quote", "state"),
    [
        ("The gravel holds salmon up.", OVERRULED),
        ("The gravel holds salmon up, and at night the new ladder lets eels climb.", SCOPED),
    ],
)
def test_a_claim_loses_the_words_that_fell_alone(quote: str, state: ClaimState) -> None:
    ruling = ruled_on(1, ("holds salmon up", "lets salmon pass"), "b", "c2")
    claims = [a_claim("c1", quote, "s1"), a_claim("c2", "It lets salmon pass.", "s2")]
    assert assign_claim_states(claims, [ruling], is_written=True)[0].state is state


def test_a_claim_of_thousands_names_the_best_of_each_value() -> None:
    best = [f"best{value}" for value in range(50)]
    backing = [[f"back{value}-{number}" for number in range(40)] for value in range(50)]
    found = a_dispute(sides=sides_of(best, backing))
    names = [*best, *(name for side in backing_of(found) for name in side)]
    told = assign_claim_states([a_claim(name) for name in names], [found])
    assert {claim.state for claim in told} == {CONTESTED}
    assert {len(claim.contested_by) for claim in told} == {100}
    assert set(best[:49]) <= set(told[-1].contested_by)


def test_a_sentence_is_marked_unless_it_states_no_value_and_a_reader_found_it_unrelated() -> None:
    row = a_claim("c1", "Central\t2025\t587\t641", source="s1")
    other = a_claim("c2", "The library had 612,000 visits in 2025.", source="s2")
    dispute = a_dispute(sides=sides_of(("c1", "c2"), values=("587", "612,000 visits")))
    claims = {"c1": row, "c2": other}
    contested = index_contradictions(claims.values(), [dispute])
    text = "It lent 641 thousand items [c1]. It had 587 thousand visits [c1]."
    every = {each.key: (dispute.id,) for each in Piece(text, claims).sentences}
    marked = [
        mark_contradictions(text, contested, claims, [dispute], unrelated)
        for unrelated in ({}, every)
    ]
    mark = f"[{dispute.id}]"
    assert marked == [text.replace("[c1]", f"[c1]{mark}"), f"{text[:-1]}{mark}."]

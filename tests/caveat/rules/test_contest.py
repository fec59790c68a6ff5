import datetime as dt
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.claim import Claim, ClaimState
from caveat.contracts.contradiction import (
    Contradiction,
    ContradictionKind,
    ContradictionState,
    Disagreement,
    Ruling,
    RulingChoice,
)
from caveat.contracts.investigation import Findings
from caveat.contracts.plan import Assignment
from caveat.rules import ladder
from caveat.rules.contest import contested, usable
from caveat.rules.marking import contests

NOW = dt.datetime(2026, 3, 29, 12, tzinfo=dt.UTC)
A, B, BOTH, NEITHER = RulingChoice
ACCEPTED, CONTESTED, UNCERTAIN, OVERRULED = ClaimState
PROVISIONAL = "provisional"
NAMES = ("c1", "c2", "c3", "c4", "c5")
ENDINGS = st.sampled_from([None, PROVISIONAL, *RulingChoice])


def findings(*names: str, number: int = 1) -> Findings:
    return Findings(
        assignment=Assignment(id=f"a{number}", title="T", question="?", queries=("q",)),
        claims=tuple(
            Claim(
                id=name, text=name, quote=name, source_id=f"s-{name}", assignment_id="a1",
                start=0, end=2, relevance=0.5,
            )
            for name in names
        ),
        attempted=1,
        failed=0,
    )  # fmt: skip


def contradiction(
    a: str,
    b: str,
    ending: RulingChoice | str | None = None,
    backing: tuple[tuple[str, ...], tuple[str, ...]] = ((), ()),
) -> Contradiction:
    disagreement = Disagreement(
        kind=ContradictionKind.NUMERIC, claims=(a, b), backing=backing, about="They differ."
    )
    (opened,) = ladder.opened([disagreement])
    if ending is None:
        return opened
    if isinstance(ending, RulingChoice):
        return ladder.ruled(opened, Ruling(ruling=ending, reason="Because."), NOW)
    return ladder.provisional(opened, NOW)


def states(found: Findings) -> dict[str, ClaimState]:
    return {claim.id: claim.state for claim in found.claims}


@pytest.mark.parametrize(
    ("ending", "a", "b"),
    [
        (None, CONTESTED, CONTESTED),
        (A, ACCEPTED, OVERRULED),
        (B, OVERRULED, ACCEPTED),
        (BOTH, CONTESTED, CONTESTED),
        (NEITHER, OVERRULED, OVERRULED),
        (PROVISIONAL, UNCERTAIN, UNCERTAIN),
    ],
)
def test_each_ending_says_what_becomes_of_both_sides_and_their_backing(
    ending: RulingChoice | str | None, a: ClaimState, b: ClaimState
) -> None:
    one = contradiction("c1", "c2", ending, (("c3",), ("c4",)))
    (found,) = contested([findings(*NAMES)], [one])
    assert states(found) == {"c1": a, "c3": a, "c2": b, "c4": b, "c5": ACCEPTED}
    by = {claim.id: claim.contested_by for claim in found.claims}
    assert by == {
        "c1": ("c2", "c4"), "c3": ("c2", "c4"), "c2": ("c1", "c3"), "c4": ("c1", "c3"), "c5": (),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("ruling", "expected"),
    [
        (None, [CONTESTED] * 4),
        ("b", [OVERRULED, ACCEPTED, OVERRULED, OVERRULED]),
        ("a,c", [CONTESTED, OVERRULED, CONTESTED, OVERRULED]),
        ("all", [CONTESTED] * 4),
        ("none", [OVERRULED] * 4),
        (PROVISIONAL, [UNCERTAIN] * 4),
    ],
)
def test_each_ending_says_what_becomes_of_each_of_many_values(
    ruling: str | None, expected: list[ClaimState]
) -> None:
    disagreement = Disagreement(
        kind=ContradictionKind.NUMERIC, claims=NAMES[:4], about="They differ.",
        backing=((), (), (), ("c5",)),
    )  # fmt: skip
    (one,) = ladder.opened([disagreement])
    if ruling == PROVISIONAL:
        one = ladder.provisional(one, NOW)
    elif ruling is not None:
        one = ladder.ruled(one, Ruling(ruling=ruling, reason="Because."), NOW)
    (found,) = contested([findings(*NAMES)], [one])
    assert list(states(found).values()) == [*expected, expected[-1]]
    assert set(found.claims[0].contested_by) == {"c2", "c3", "c4", "c5"}
    marked = contests(found.claims, [one])
    assert set(marked) == {name for name, state in states(found).items() if state is CONTESTED}


@pytest.mark.parametrize(("worse", "better"), [*combinations([A, PROVISIONAL, BOTH], 2)])
def test_a_claim_in_several_contradictions_takes_the_worst(
    worse: RulingChoice | str, better: RulingChoice | str
) -> None:
    # c2 is overruled, uncertain or contested by the one, and by the other something milder.
    ones = [contradiction("c1", "c2", worse), contradiction("c3", "c2", better)]
    expected = {A: OVERRULED, PROVISIONAL: UNCERTAIN}[worse]
    for order in (ones, ones[::-1]):
        (found,) = contested([findings(*NAMES)], order)
        assert states(found)["c2"] is expected
        assert set(found.claims[1].contested_by) == {"c1", "c3"}


def test_a_claim_of_several_angles_is_marked_in_each() -> None:
    both = contested(
        [findings("c1", "c2"), findings("c1", number=2)], [contradiction("c1", "c2", B)]
    )
    assert [states(found)["c1"] for found in both] == [OVERRULED, OVERRULED]


def test_a_late_ruling_gives_back_what_was_uncertain() -> None:
    before = contradiction("c1", "c2", PROVISIONAL)
    uncertain = contested([findings(*NAMES)], [before])
    after = ladder.ruled_late(before, Ruling(ruling=A, reason="Because."), NOW)
    (found,) = contested(uncertain, [after])
    assert states(found)["c1"] is ACCEPTED
    (none,) = contested([found], [])
    assert none == findings(*NAMES)


def test_what_is_overruled_or_uncertain_is_not_used() -> None:
    (claim,) = findings("c1").claims
    usability = {state: usable(claim.model_copy(update={"state": state})) for state in ClaimState}
    assert usability == {ACCEPTED: True, CONTESTED: True, UNCERTAIN: False, OVERRULED: False}


PAIRS = st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True)


@given(st.lists(st.tuples(PAIRS, ENDINGS), max_size=6))
def test_marking_again_changes_nothing_and_the_order_of_contradictions_no_state(
    drawn: list[tuple[list[str], RulingChoice | str | None]],
) -> None:
    ones = [
        contradiction(names[0], names[1], ending, (tuple(names[2:3]), tuple(names[3:])))
        for names, ending in drawn
    ]
    once = contested([findings(*NAMES)], ones)
    assert contested(once, ones) == once
    assert states(contested([findings(*NAMES)], ones[::-1])[0]) == states(once[0])


@given(st.lists(st.tuples(PAIRS, ENDINGS), min_size=1, max_size=6))
def test_who_contests_is_contested_by_the_other(
    drawn: list[tuple[list[str], RulingChoice | str | None]],
) -> None:
    ones = [contradiction(names[0], names[1], ending) for names, ending in drawn]
    (found,) = contested([findings(*NAMES)], ones)
    by = {claim.id: claim.contested_by for claim in found.claims}
    for name, others in by.items():
        assert name not in others
        assert all(name in by[other] for other in others)
    for one in ones:
        if one.state is not ContradictionState.OPEN:
            continue
        assert not {ACCEPTED} & {states(found)[name] for name in one.claims}

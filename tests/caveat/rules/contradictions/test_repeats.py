"""Neither is used means neither: what rests on a withheld value is withheld with it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.claim import Claim, ClaimState
from caveat.contracts.contradiction import Contradiction, ContradictionKind, ContradictionState
from caveat.rules.contradictions.contest import assign_claim_states, index_contradictions, is_usable
from tests.fakes.claims import a_claim
from tests.fakes.disputes import sides_of

TALL = "The lighthouse of Skerry Point is 16.8 metres tall."
SMALL = "The lighthouse of Skerry Point has a height of 14.2 m."


def a_contradiction(**changes: object) -> Contradiction:
    given_facts = {
        "id": "contradiction-1",
        "kind": ContradictionKind.NUMERIC,
        "sides": sides_of(("c1", "c2")),
        "about": "Height of the lighthouse.",
    }
    return Contradiction.model_validate(given_facts | changes)


def settled(
    third: str, contradiction: Contradiction, one: str = TALL, other: str = SMALL, source: str = ""
) -> Claim:
    claims = (a_claim("c1", one), a_claim("c2", other), a_claim("c3", third, source))
    return assign_claim_states(claims, [contradiction])[2]


OPEN = a_contradiction()
PROVISIONAL = a_contradiction(state=ContradictionState.PROVISIONAL)


def ruled(choice: str) -> Contradiction:
    return a_contradiction(state=ContradictionState.RESOLVED, ruling=choice)


REPEATING = [
    "At 16.8 m, Skerry Point's lighthouse outgrows every other tower on the coast.",
    "The lighthouse of Skerry Point rises 16.8 meters above the rock.",
    "The lighthouse of Skerry Point is about 17 m tall.",
    "The 16.80 m of the lighthouse at Skerry Point were built from granite.",
    "the lighthouse of Skerry Point is 16.8 metres tall",
]


@pytest.mark.parametrize("third", REPEATING)
@pytest.mark.parametrize(
    ("contradiction", "state"),
    [
        (OPEN, ClaimState.CONTESTED),
        (PROVISIONAL, ClaimState.UNCERTAIN),
        (ruled("neither"), ClaimState.OVERRULED),
        (ruled("a"), ClaimState.ACCEPTED),
        (ruled("b"), ClaimState.OVERRULED),
        (ruled("both"), ClaimState.SCOPED),
    ],
)
def test_what_repeats_a_value_shares_its_fate(
    third: str, contradiction: Contradiction, state: ClaimState
) -> None:
    claim = settled(third, contradiction)
    assert claim.state is state
    assert claim.contested_by == ("c2",)
    marks = index_contradictions(
        [a_claim("c1", TALL), a_claim("c2", SMALL), claim], [contradiction]
    )
    assert marks.get("c3", ()) == (("contradiction-1",) if is_usable(claim) else ())


@pytest.mark.parametrize(
    "third",
    [
        "The lighthouse of Skerry Point was built from granite.",
        "The lighthouse of Skerry Point weighs 16.8 tonnes.",
        "The lighthouse of Dover Harbour is 16.8 metres tall.",
        "The lighthouse of Skerry Point is 15.3 metres tall.",
    ],
)
def test_what_says_something_else_stands(third: str) -> None:
    assert settled(third, PROVISIONAL).state is ClaimState.ACCEPTED


def test_who_states_what_was_overruled_is_not_used_whatever_else_it_states() -> None:
    third = "The lighthouse of Skerry Point is given as 16.8 m by some and as 14.2 m by others."
    assert settled(third, PROVISIONAL).state is ClaimState.UNCERTAIN
    assert settled(third, ruled("a")).state is ClaimState.OVERRULED
    assert settled(third, OPEN).state is ClaimState.CONTESTED


@pytest.mark.parametrize(
    ("one", "other", "third", "state"),
    [
        (
            "Aspirin reduces the risk of heart attack.",
            "Aspirin does not reduce the risk of heart attack.",
            "Aspirin always reduces the risk of heart attack.",
            ClaimState.UNCERTAIN,
        ),
        (
            "Aspirin reduces the risk of heart attack.",
            "Aspirin does not reduce the risk of heart attack.",
            "Aspirin never reduces the risk of a heart attack.",
            ClaimState.UNCERTAIN,
        ),
        (
            "Aspirin reduces the risk of heart attack.",
            "Aspirin does not reduce the risk of heart attack.",
            "Aspirin reduces the risk of stroke.",
            ClaimState.ACCEPTED,
        ),
        (
            "The bridge of Tarn was opened in 1844.",
            "The bridge of Tarn was opened in 1846.",
            "Since 1844 the bridge of Tarn has carried carts.",
            ClaimState.UNCERTAIN,
        ),
        (
            "The Trust reported the outage on 14 March 2025.",
            "The Trust reported the outage on 17 March 2025.",
            "From 14 March to 30 September 2025 the outage cost the Trust £3.9 million.",
            ClaimState.ACCEPTED,
        ),
        (
            "France has 62 million inhabitants.",
            "France has a population of 81 million inhabitants.",
            "With 62,000,000 inhabitants, France is large.",
            ClaimState.UNCERTAIN,
        ),
        (
            "The budget of Tarn is $5.25 million.",
            "The budget of Tarn is $7.1 million.",
            "Tarn has 5.25 million dollars for its budget.",
            ClaimState.UNCERTAIN,
        ),
    ],
)
def test_every_kind_of_value(one: str, other: str, third: str, state: ClaimState) -> None:
    assert settled(third, PROVISIONAL, one, other).state is state


@given(
    st.decimals("10.1", "99.9", places=1), st.decimals("10.1", "99.9", places=1),
    st.sampled_from(["m", "metres", "meters", "m"]),
    st.sampled_from(
        [
            "At {} the lighthouse of Skerry Point is known to sailors.",
            "Sailors know that the lighthouse of Skerry Point rises {} from the rock.",
            "The {} of the lighthouse were painted.",
        ]
    ),
)  # fmt: skip
def test_no_withheld_value_is_left_unmarked(
    value: object, other: object, unit: str, words: str
) -> None:
    one = f"The lighthouse of Skerry Point is {value} metres tall."
    two = f"The lighthouse of Skerry Point is {other} metres tall."
    third = words.format(f"{value} {unit}")
    if value != other:
        assert settled(third, PROVISIONAL, one, two, source="s-c1").state is ClaimState.UNCERTAIN


@pytest.mark.parametrize(
    ("values", "one", "other", "third"),
    [
        (
            ("610 MW", "560 MW"),
            "With a power of 610 MW the plant is large.",
            "The power of the plant is 560 MW, as tested on 26 February 2024.",
            "On 4 March 2024 the plant began to give power.",
        ),
        (
            ("a loose joint", "a cooling pump"),
            "The cause of the fire at Skerry was a loose joint in container 1147.",
            "The cause of the fire at Skerry is a cooling pump.",
            "The fire at Skerry began in container 1147 and had many a cause to spread.",
        ),
        (
            ("last spring", "18 March 2024"),
            "The plant started up last spring.",
            "Trade of the plant began on 18 March 2024.",
            "The plant at Skerry earned much in 2024, its first year.",
        ),
        (
            ("version 4.2", "version 4.0"),
            "Databases are upgraded in place from version 4.2.",
            "It reads whatever version 4.0 wrote.",
            "A converted file cannot be opened by version 4.",
        ),
    ],
)
def test_other_numbers_of_a_quote_are_no_value_that_is_disputed(
    values: tuple[str, str], one: str, other: str, third: str
) -> None:
    sides = tuple(
        side.model_copy(update={"value": value})
        for side, value in zip(sides_of(("c1", "c2")), values, strict=True)
    )
    asked = a_contradiction(sides=sides)
    for source in ("s-c1", "s-c2"):
        said = a_claim("c3", third, source, start=1_000)
        claims = (a_claim("c1", one), a_claim("c2", other), said)
        assert assign_claim_states(claims, [asked])[2].state is ClaimState.ACCEPTED

"""No source takes more of the synthesis than its share, and what falls out is said."""

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.claim import Claim, ClaimState
from caveat.rules.report.digest import FEW, digest, left_out, share, tokens
from tests.fakes.claims import a_claim


def claim(number: int, size: int, source: str = "s1", **changes: Any) -> Claim:
    text = "x" * size
    return a_claim(f"c{number}", changes.pop("quote", text), source, text=text, **changes)


OTHERS = [claim(number, 1, f"other-{number}") for number in range(100, 100 + FEW)]
"""So many sources that each has the least share."""

CLAIMS = st.lists(
    st.tuples(st.integers(1, 2_000), st.integers(1, 2_000), st.sampled_from("abc")), max_size=12
).map(
    lambda found: [
        claim(number, size, source, quote="y" * quote)
        for number, (size, quote, source) in enumerate(found)
    ]
)


@given(st.lists(CLAIMS, max_size=4))
def test_no_source_takes_more_than_its_share_of_all_angles(angles: list[list[Claim]]) -> None:
    angles = [
        [one.model_copy(update={"id": f"a{number}-{one.id}"}) for one in claims]
        for number, claims in enumerate(angles)
    ]
    kept, room = digest(angles), share(angles)
    taken: Counter[str] = Counter()
    for some in kept:
        for one in some[1:] or ():
            taken[one.source_id] += tokens(one)
    assert all(size <= room for size in taken.values())
    for claims, some in zip(angles, kept, strict=True):
        assert list(some) == [one for one in claims if one in some]
        assert (left_out(claims, some) is None) == (len(some) == len(claims))
        # No angle is silenced, however much a source says elsewhere.
        assert bool(some) == any(tokens(one) <= room for one in claims)
    if all(len(some) > 1 for some in kept):
        whole = Counter[str]()
        for some in kept:
            for one in some:
                whole[one.source_id] += tokens(one)
        assert all(size <= room for size in whole.values())


def test_a_source_that_two_angles_share_has_one_share() -> None:
    one = [claim(1, 300), claim(2, 300)]
    other = [claim(3, 300), claim(4, 300), claim(5, 300, "s2")]
    *kept, _ = digest([one, other, OTHERS])
    assert [[claim.id for claim in some] for some in kept] == [["c1"], ["c3", "c5"]]


def test_what_does_not_fit_is_said() -> None:
    claims = [claim(1, 400), claim(2, 300), claim(3, 300), claim(4, 900, "s2")]
    kept, _ = digest([claims, OTHERS])
    assert [one.id for one in kept] == ["c1", "c2"]
    assert left_out(claims, kept) == (
        "2 claims of 2 sources could not be written about: the share of a source in the synthesis "
        "is used up."
    )


def test_what_is_contested_goes_first() -> None:
    claims = [claim(1, 600), claim(2, 400, state=ClaimState.CONTESTED)]
    assert [[one.id for one in kept] for kept in digest([claims, OTHERS])[:1]] == [["c2"]]


def test_where_few_sources_speak_each_may_say_more() -> None:
    claims = [claim(number, 600) for number in range(7)]
    assert [len(kept) for kept in digest([claims])] == [7]

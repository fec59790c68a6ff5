"""No source takes more of the synthesis than its share, and what falls out is said."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.claim import Claim, ClaimState
from caveat.rules.digest import SUMMARY_TOKENS, digest, left_out, tokens


def claim(number: int, size: int, source: str = "s1", **changes: object) -> Claim:
    text = "x" * size
    return Claim(
        id=f"c{number}", text=text, quote=text, source_id=source, assignment_id="a1",
        start=0, end=size, relevance=0.8,
    ).model_copy(update=changes)  # fmt: skip


CLAIMS = st.lists(
    st.tuples(st.integers(1, 2_000), st.integers(1, 2_000), st.sampled_from("abc")), max_size=12
).map(
    lambda found: [
        claim(number, size, source, quote="y" * quote)
        for number, (size, quote, source) in enumerate(found)
    ]
)


@given(CLAIMS)
def test_no_source_takes_more_than_its_share(claims: list[Claim]) -> None:
    kept = digest(claims)
    taken: Counter[str] = Counter()
    for one in kept:
        taken[one.source_id] += tokens(one)
    assert all(size <= SUMMARY_TOKENS for size in taken.values())
    assert list(kept) == [one for one in claims if one in kept]
    assert (left_out(claims) is None) == (len(kept) == len(claims))


def test_what_does_not_fit_is_said() -> None:
    claims = [claim(1, 400), claim(2, 300), claim(3, 300), claim(4, 900, "s2")]
    assert [one.id for one in digest(claims)] == ["c1", "c2"]
    assert left_out(claims) == (
        "2 claims of 2 sources could not be written about: a source may take 200 tokens of an "
        "angle's synthesis."
    )


def test_what_is_contested_goes_first() -> None:
    claims = [claim(1, 600), claim(2, 400, state=ClaimState.CONTESTED)]
    assert [one.id for one in digest(claims)] == ["c2"]

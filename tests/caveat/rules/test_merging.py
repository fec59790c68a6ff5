"""Two parts of an analysis are one: nothing is lost, nothing counted twice."""

import pytest

from caveat.contracts.claim import Analysis, Claim
from caveat.rules.merging import merged


def claim(start: int, relevance: float) -> Claim:
    return Claim(
        id=f"c{start}", text="It is so.", quote="so", source_id="s-1", assignment_id="a1",
        start=start, end=start + 2, relevance=relevance,
    )  # fmt: skip


PART = Analysis(claims=(claim(0, 0.5), claim(10, 0.2)), rejected_quotes=1, read_to=50)
REST = Analysis(claims=(claim(60, 0.9), claim(70, 0.3)), rejected_quotes=2, read_to=100)


@pytest.mark.parametrize(
    ("wanted", "starts"), [(None, [60, 0, 70, 10]), (2, [60, 0]), (9, [60, 0, 70, 10])]
)
def test_the_best_of_both_are_kept(wanted: int | None, starts: list[int]) -> None:
    both = merged(PART, REST, wanted)
    assert [each.start for each in both.claims] == starts
    assert (both.rejected_quotes, both.read_to) == (3, 100)


def test_a_part_that_came_no_further_changes_nothing() -> None:
    assert merged(Analysis(read_to=50), Analysis(), 3) == Analysis(read_to=50)

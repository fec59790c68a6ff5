from hypothesis import given
from hypothesis import strategies as st

from caveat.rules.fusion import reciprocal_rank_fusion

RANKINGS = st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), max_size=5)


def test_agreement_beats_one_first_place() -> None:
    fused = reciprocal_rank_fusion([["a", "b", "c"], ["d", "b", "e"]])
    assert fused[0] == ("b", 2 / 62)
    assert fused[1:3] == [("a", 1 / 61), ("d", 1 / 61)]


def test_one_ranking_keeps_its_order() -> None:
    assert [item for item, _ in reciprocal_rank_fusion([["c", "a", "b"]])] == ["c", "a", "b"]


def test_an_item_counts_once_a_ranking() -> None:
    assert reciprocal_rank_fusion([["a", "b", "a"]]) == [("a", 1 / 61), ("b", 1 / 62)]


@given(RANKINGS)
def test_every_item_once_and_scores_fall(rankings: list[list[str]]) -> None:
    fused = reciprocal_rank_fusion(rankings)
    assert {item for item, _ in fused} == {item for ranking in rankings for item in ranking}
    scores = [score for _, score in fused]
    assert scores == sorted(scores, reverse=True)
    assert len(fused) == len({item for item, _ in fused})

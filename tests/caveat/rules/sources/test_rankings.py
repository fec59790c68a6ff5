"""What several engines found for one query, as one answer."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.envelope import Usage
from caveat.contracts.source import Hit, SearchResults, SourceKind, SourceRef
from caveat.rules.sources import fuse_rankings, merge_rankings

CALL = Usage(model_calls=1, input_tokens=10, cost_usd=0.01)


def source(name: str, **more: object) -> SourceRef:
    plain = SourceRef(id=f"s-{name}", title=name, url=f"https://moons.test/{name}")
    return plain.model_copy(update=more)


def answer(*found: SourceRef, usage: Usage | None = None) -> SearchResults:
    hits = tuple(Hit(source=each, score=9.0, passages=("p. 1",)) for each in found)
    return SearchResults(query="q", hits=hits, usage=usage or Usage())


def names(found: SearchResults) -> list[str]:
    return [hit.source.title for hit in found.hits]


def test_agreement_between_engines_comes_first() -> None:
    one = answer(source("a"), source("b"), source("c"))
    two = answer(source("d"), source("c"))
    found = merge_rankings("q", [one, two], 3)
    assert names(found) == ["c", "a", "d"]
    assert [hit.score for hit in found.hits] == sorted((h.score for h in found.hits), reverse=True)


def test_which_engine_comes_first_changes_no_score() -> None:
    answers = [answer(source("a"), source("b")), answer(source("b")), answer(source("c"))]
    scores = [
        {hit.source.id: round(hit.score, 12) for hit in merge_rankings("q", order, 9).hits}
        for order in permutations(answers)
    ]
    assert all(each == scores[0] for each in scores)


def test_what_engines_know_of_one_source_is_put_together() -> None:
    bare = source("a")
    known = source("a", kind=SourceKind.PREPRINT, citations=7, corpus="/c", path="a.md", url=None)
    for order in ((bare, known), (known, bare)):
        (hit,) = merge_rankings("q", [answer(each) for each in order], 9).hits
        assert hit.source == known.model_copy(update={"url": bare.url})
        assert hit.passages == ("p. 1",)


RANKINGS = st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), max_size=5)


def test_what_the_engines_cost_is_summed_up() -> None:
    assert (
        merge_rankings("q", [answer(usage=CALL), answer(), answer(usage=CALL)], 9).usage
        == CALL + CALL
    )


@given(RANKINGS)
def test_every_item_once_and_scores_fall(rankings: list[list[str]]) -> None:
    ranked = fuse_rankings(rankings)
    assert {item for item, _ in ranked} == {item for ranking in rankings for item in ranking}
    scores = [score for _, score in ranked]
    assert scores == sorted(scores, reverse=True)
    assert len(ranked) == len({item for item, _ in ranked})

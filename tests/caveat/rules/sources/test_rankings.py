"""What several engines found for one query, as one answer."""

from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.envelope import Usage
from caveat.contracts.source import (
    Hit,
    Reading,
    SearchResults,
    SourceKind,
    SourceRef,
    Unread,
    UnreadSort,
)
from caveat.rules.report.limitations import describe_unread_files
from caveat.rules.sources.rankings import fuse_rankings, merge_rankings
from caveat.rules.sources.unread import (
    collect_missing_parts,
    list_missing_parts,
    list_unread_sentences,
    merge_unread,
)

CALL = Usage(model_calls=1, input_tokens=10, cost_usd=0.01)


def source(name: str, **more: object) -> SourceRef:
    plain = SourceRef(id=f"s-{name}", title=name, url=f"https://moons.test/{name}")
    return plain.model_copy(update=more)


def answer(*found: SourceRef, usage: Usage | None = None) -> SearchResults:
    hits = tuple(Hit(source=each) for each in found)
    return SearchResults(query="q", hits=hits, usage=usage or Usage())


def names(found: SearchResults) -> list[str]:
    return [hit.source.title for hit in found.hits]


def test_agreement_between_engines_comes_first() -> None:
    one = answer(source("a"), source("b"), source("c"))
    two = answer(source("d"), source("c"))
    found = merge_rankings("q", [one, two], 3)
    assert names(found) == ["c", "a", "d"]


def test_what_engines_know_of_one_source_is_put_together() -> None:
    bare = source("a")
    known = source("a", kind=SourceKind.PREPRINT, citations=7, corpus="/c", path="a.md", url=None)
    for order in ((bare, known), (known, bare)):
        (hit,) = merge_rankings("q", [answer(each) for each in order], 9).hits
        assert hit.source == known.model_copy(update={"url": bare.url})


RANKINGS = st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), max_size=5)


def test_what_the_engines_cost_is_summed_up() -> None:
    assert (
        merge_rankings("q", [answer(usage=CALL), answer(), answer(usage=CALL)], 9).usage
        == CALL + CALL
    )


@given(RANKINGS)
def test_every_item_once_and_what_all_rank_first_leads(rankings: list[list[str]]) -> None:
    ranked = fuse_rankings(rankings)
    assert sorted(ranked) == sorted({item for ranking in rankings for item in ranking})
    assert fuse_rankings([["z"], *(["z", *ranking] for ranking in rankings)])[0] == "z"


# What of documents was not read is said by document and part.


SCAN = "page 2: a picture, perhaps a scan, whose text is not read"


def reading(title: str, *losses: str) -> Reading:
    source = SourceRef(id=f"s-{title}", title=title)
    return Reading(
        source=source, snapshot_sha256="a" * 64, characters=10, shingles=1, losses=losses
    )


def test_parts_are_named_in_limitations_and_where_nothing_was_found() -> None:
    web = collect_missing_parts([reading("Whole"), reading("Fees", SCAN)])
    corpus = Unread(sort=UnreadSort.PART, count=1, examples=("a.pdf (page 3: damaged)",))
    other = Unread(sort=UnreadSort.FORMAT, ending=".dwg", count=2)
    unread = merge_unread([corpus, other, *web])
    (said,) = list_missing_parts(unread)
    assert said.startswith("2 documents were not read as they are: ")
    assert f"Fees ({SCAN})" in said
    assert "a.pdf (page 3: damaged)" in said
    assert list_unread_sentences(unread) == (said, "Not looked at: 2 .dwg.")
    many = collect_missing_parts([reading(f"Fees {number}", SCAN) for number in range(7)])
    assert list_unread_sentences(many)[0].endswith("and 2 more.")
    assert "Fees 6" in list_missing_parts(many)[0]
    first, second = describe_unread_files(unread)
    assert (first.area, first.why) == ("Documents that were not read whole", said)
    assert second.area == "Files that were not looked at"
    assert collect_missing_parts([reading("Whole")]) == ()

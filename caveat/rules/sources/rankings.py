"""Rankings: what several engines found for one query, as one answer."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

from caveat.contracts.envelope import Usage
from caveat.contracts.source import Hit, SearchResults, SourceKind, SourceRef

T = TypeVar("T", bound=Hashable)

RANK_OFFSET = 60
"""Keeps one ranking's first place from outweighing agreement between rankings; the value that
Cormack, Clarke and Buettcher fixed in "Reciprocal Rank Fusion outperforms Condorcet and individual
Rank Learning Methods" (SIGIR 2009)."""


def merge_rankings(query: str, answers: Sequence[SearchResults], limit: int) -> SearchResults:
    """Merge the engines' answers, and what they know of one source; their order decides ties."""
    known: dict[str, SourceRef] = {}
    for source in (hit.source for each in answers for hit in each.hits):
        other = known.get(source.id)
        known[source.id] = source if other is None else _merge_sources(other, source)
    ranked = fuse_rankings([hit.source.id for hit in each.hits] for each in answers)[:limit]
    hits = tuple(Hit(source=known[name]) for name in ranked)
    usage = sum((each.usage for each in answers), Usage())
    return SearchResults(query=query, hits=hits, usage=usage)


def _merge_sources(one: SourceRef, other: SourceRef) -> SourceRef:
    """Fill in what the first leaves open; a document of the corpus stays one in any order."""
    first, second = (other, one) if one.path is None and other.path is not None else (one, other)
    known = first.kind is not SourceKind.UNKNOWN
    return first.model_copy(
        update={
            "url": first.url or second.url,
            "published": first.published or second.published,
            "kind": first.kind if known else second.kind,
            "citations": second.citations if first.citations is None else first.citations,
            "also_at": tuple(dict.fromkeys((*first.also_at, *second.also_at))),
        }
    )


def fuse_rankings(rankings: Iterable[Sequence[T]]) -> list[T]:
    """Fuse rankings, each best first, by the sum of `1 / (RANK_OFFSET + rank)`.

    Ties keep the order of first occurrence.
    """
    scores: defaultdict[T, float] = defaultdict(float)
    for ranking in rankings:
        for rank, item in enumerate(dict.fromkeys(ranking), start=1):
            scores[item] += 1 / (RANK_OFFSET + rank)
    return sorted(scores, key=lambda item: -scores[item])

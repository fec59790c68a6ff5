"""Rankings: what several engines found for one query, as one answer."""

import re
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


_LISTS = re.compile(
    r"\b(index|genindex|contents|toc|keywords?|glossary|change-?log|history)\b", re.IGNORECASE
)


def merge_rankings(query: str, answers: Sequence[SearchResults], limit: int) -> SearchResults:
    """Merge the engines' answers, and what they know of one source; their order decides ties."""
    known: dict[str, Hit] = {}
    for each in answers:
        for hit in each.hits:
            other = known.get(hit.source.id)
            known[hit.source.id] = hit if other is None else _merge_hits(other, hit)
    rankings = [[hit.source.id for hit in each.hits] for each in answers]
    ranked = fuse_rankings(rankings)[:limit]
    hits = (known[name].model_copy(update={"score": score}) for name, score in ranked)
    usage = sum((each.usage for each in answers), Usage())
    return SearchResults(query=query, hits=tuple(hits), usage=usage)


def _merge_hits(one: Hit, other: Hit) -> Hit:
    return Hit(
        source=_merge_sources(one.source, other.source),
        score=one.score,
        passages=tuple(dict.fromkeys((*one.passages, *other.passages))),
    )


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


def fuse_rankings(rankings: Iterable[Sequence[T]]) -> list[tuple[T, float]]:
    """Fuse rankings, each best first, by reciprocal ranks.

    Returns:
        Items with the sum of `1 / (RANK_OFFSET + rank)` at their best place of each ranking, best
        first; ties keep the order of first occurrence.
    """
    scores: defaultdict[T, float] = defaultdict(float)
    for ranking in rankings:
        for rank, item in enumerate(dict.fromkeys(ranking), start=1):
            scores[item] += 1 / (RANK_OFFSET + rank)
    return sorted(scores.items(), key=lambda pair: -pair[1])


def sort_for_reading(sources: Iterable[SourceRef]) -> list[SourceRef]:
    """Move pages that only list others, or change, behind documents."""

    def is_list(source: SourceRef) -> bool:
        name = (source.path or source.title).rpartition("/")[2]
        return _LISTS.search(name.replace("_", " ")) is not None

    return sorted(sources, key=is_list)

"""What several engines found for one query, as one answer."""

from collections.abc import Sequence

from caveat.contracts.envelope import Usage
from caveat.contracts.source import Hit, SearchResults, SourceKind, SourceRef
from caveat.rules.fusion import reciprocal_rank_fusion


def fused(query: str, answers: Sequence[SearchResults], limit: int) -> SearchResults:
    """Merge rankings; what several engines know of one source is put together.

    Args:
        query: what all of them were asked.
        answers: of each engine that answered, in the order that decides between equal places.
        limit: sources to keep at most, the best.
    """
    known: dict[str, Hit] = {}
    for each in answers:
        for hit in each.hits:
            other = known.get(hit.source.id)
            known[hit.source.id] = hit if other is None else _together(other, hit)
    rankings = [[hit.source.id for hit in each.hits] for each in answers]
    ranked = reciprocal_rank_fusion(rankings)[:limit]
    hits = (known[name].model_copy(update={"score": score}) for name, score in ranked)
    usage = sum((each.usage for each in answers), Usage())
    return SearchResults(query=query, hits=tuple(hits), usage=usage)


def _together(one: Hit, other: Hit) -> Hit:
    return Hit(
        source=_completed(one.source, other.source),
        score=one.score,
        passages=tuple(dict.fromkeys((*one.passages, *other.passages))),
    )


def _completed(one: SourceRef, other: SourceRef) -> SourceRef:
    """Fill in what the first leaves open; a document of the corpus stays one, whoever is first."""
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

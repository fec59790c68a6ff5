"""Several engines as one: all asked at once, what they found merged, what failed named."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from caveat.contracts.envelope import Usage
from caveat.contracts.failure import Failure
from caveat.contracts.source import Hit, SearchResults, SourceKind, SourceRef
from caveat.contracts.tasks import SearchTask
from caveat.failures import PartlySearched, PortFailure
from caveat.ports import SearchEngine
from caveat.rules.fusion import reciprocal_rank_fusion


@dataclass(frozen=True)
class SeveralEngines:
    """Asks all engines at once and merges their rankings by reciprocal rank fusion.

    Attributes:
        engines: by name, in the order that decides between equal places.
    """

    engines: Mapping[str, SearchEngine]

    async def search(self, task: SearchTask) -> SearchResults:
        """Run one query on each engine; see `ports.SearchEngine`.

        Raises:
            PartlySearched: some engines failed; what the others found is in it.
            PortFailure: all failed.
        """
        answers = await asyncio.gather(*(_asked(each, task) for each in self.engines.values()))
        found = [answer for answer in answers if isinstance(answer, SearchResults)]
        failures = tuple(answer.failure for answer in answers if isinstance(answer, PortFailure))
        if not failures:
            return merged(task, found)
        failure = _foremost(failures)
        usage = sum((answer.usage for answer in answers), Usage())
        if not found:
            raise PortFailure(failure, usage)
        share = len(found) / len(answers)
        raise PartlySearched(failure, merged(task, found), failures, share, usage)


async def _asked(engine: SearchEngine, task: SearchTask) -> SearchResults | PortFailure:
    try:
        return await engine.search(task)
    except PortFailure as failed:
        return failed


def merged(task: SearchTask, found: Iterable[SearchResults]) -> SearchResults:
    """Merge rankings; what several engines know of one source is put together."""
    known: dict[str, Hit] = {}
    rankings: list[list[str]] = []
    usage = Usage()
    for each in found:
        usage += each.usage
        rankings.append([hit.source.id for hit in each.hits])
        for hit in each.hits:
            other = known.get(hit.source.id)
            known[hit.source.id] = hit if other is None else _together(other, hit)
    ranked = reciprocal_rank_fusion(rankings)[: task.limit]
    hits = (known[name].model_copy(update={"score": score}) for name, score in ranked)
    return SearchResults(query=task.query, hits=tuple(hits), usage=usage)


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
        }
    )


def _foremost(failures: tuple[Failure, ...]) -> Failure:
    """Return the first failure that another try may help, else the first, naming all of them."""
    hopeful = (failure for failure in failures if failure.retry_recommended)
    foremost = next(hopeful, failures[0])
    if len(failures) == 1:
        return foremost
    return foremost.model_copy(update={"attempted": tuple(each.message for each in failures)})

"""Passages of documents that answer a question, with their places, for whoever reads them."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from caveat.adapters.corpus.index import CorpusIndex
from caveat.adapters.corpus.library import CorpusLibrary
from caveat.adapters.extractive.rules import ExtractiveRules
from caveat.clients.problems import BadInput
from caveat.contracts.claim import Claim
from caveat.contracts.report import Report
from caveat.contracts.source import Snapshot, SourceRef
from caveat.failures import PortFailure
from caveat.ports import Snapshots
from caveat.workers.reasoners import find_similarity
from caveat.workers.settings import Settings

_DOCUMENTS = 20  # of a folder that are read for a question
_MORE = 10  # passages that are looked for beyond those wanted: a question may have several parts

Found = list[tuple[SourceRef, Claim]]


async def find_in_report(report: Report, snapshots: Snapshots, question: str, limit: int) -> Found:
    read = [each for each in report.sources if each.snapshot_sha256 is not None]
    facts = {"id", "title", "url", "path", "published", "precision", "authors", "kind"}
    texts = [
        (
            SourceRef.model_validate(each.model_dump(include=facts)),
            await snapshots.open(each.snapshot_sha256 or ""),
        )
        for each in read
    ]
    return await _choose_passages(texts, question, limit)


async def find_in_folders(
    folders: Sequence[Path], settings: Settings, question: str, limit: int
) -> Found:
    """Find passages in folders of this machine, whose index is brought up to date before."""
    index = CorpusIndex(settings.index_folder, find_similarity(settings))
    library = CorpusLibrary(index, own=(settings.state_dir, settings.cache_dir))
    try:
        stock = await library.take_stock(tuple(map(str, folders)))
        hits = await index.search(stock.corpus, question, _DOCUMENTS)
        texts = [(each.source, (await library.read(each.source)).snapshot) for each in hits]
    except PortFailure as failed:
        raise BadInput(str(failed)) from None
    return await _choose_passages(texts, question, limit)


async def _choose_passages(
    texts: Sequence[tuple[SourceRef, Snapshot]], question: str, limit: int
) -> Found:
    sources = {source.id: source for source, _ in texts}
    wanted = limit + _MORE
    passages = await asyncio.to_thread(ExtractiveRules().find_passages, question, texts, wanted)
    return [(sources[each.source_id], each) for each in passages[:limit]]

"""The `Library` and `SearchEngine` ports over corpus folders."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from caveat.adapters.corpus.index import CorpusIndex
from caveat.adapters.corpus.manifest import apply_manifest, read_manifest
from caveat.adapters.corpus.updating import build_source_ref
from caveat.adapters.documents.loaders import SUFFIXES, clean_name, load
from caveat.contracts.plan import LISTED, BrokenDocument, Inventory
from caveat.contracts.source import SearchResults, SourceRef, Unread
from caveat.contracts.tasks import SearchTask
from caveat.failures import invalid
from caveat.ports import Document
from caveat.rules.lines import name_folder
from caveat.rules.sources.unread import merge_unread
from caveat.threads import wait_in_thread


@dataclass(frozen=True)
class CorpusLibrary:
    """Documents in folders on this machine."""

    index: CorpusIndex  # where they are indexed
    default_corpus: tuple[str, ...] = ()  # folders to use when a run names none
    # folders that Caveat itself keeps things in, which are never looked into from above
    own: tuple[Path, ...] = ()

    async def take_stock(
        self, corpus: tuple[str, ...], tell: Callable[[int], None] = lambda _: None
    ) -> Inventory:
        folders = await asyncio.to_thread(self._resolve_folders, corpus)
        documents = 0
        broken: list[BrokenDocument] = []
        unread: list[Unread] = []
        closed = frozenset(folder.resolve() for folder in self.own)
        for folder in folders:
            read_manifest(folder)  # what is wrong with it is said before anything is read
            stock = await self.index.update(folder, closed, tell)
            documents += stock.documents
            prefix = "" if len(folders) == 1 else f"{folder.name}/"
            broken += [
                BrokenDocument(path=f"{prefix}{item.path}", failure=item.failure)
                for item in stock.broken
            ]
            for group in stock.unread:
                examples = tuple(f"{prefix}{name}" for name in group.examples)
                unread.append(group.model_copy(update={"examples": examples}))
        named = tuple(map(str, folders))
        return Inventory(
            corpus=named,
            listed=tuple(map(apply_manifest, await self.index.list_sources(named, LISTED))),
            documents=documents,
            languages=await self.index.list_languages(named),
            broken=tuple(broken),
            unread=merge_unread(unread),
        )

    @wait_in_thread
    def read(self, source: SourceRef) -> Document:
        if source.corpus is None or source.path is None:
            raise invalid(f"“{source.title}” is not in any corpus folder.", resource=source.id)
        folder = self._resolve_folder(source.corpus)
        path = folder / source.path
        if path.suffix.lower() not in SUFFIXES:
            raise invalid(f"“{source.path}” is not a document of its corpus.", resource=str(path))
        loaded = load(path, within=folder)
        # The run knows the source by the id that the search gave, even if its URL changed since.
        fresh = build_source_ref(folder, source.path, loaded).model_copy(update={"id": source.id})
        return Document(source=apply_manifest(fresh), snapshot=loaded.snapshot)

    def _resolve_folders(self, corpus: tuple[str, ...]) -> list[Path]:
        """Resolve folders; one that lies in another is searched with that other already."""
        named = corpus or self.default_corpus
        if not named:
            raise invalid(
                "No corpus was named, and this worker has no default one.", resource="corpus"
            )
        folders = list(dict.fromkeys(map(self._resolve_folder, named)))
        return [f for f in folders if not any(other in f.parents for other in folders)]

    def _resolve_folder(self, named: str) -> Path:
        shown = clean_name(name_folder(named))[:300]
        if not named.strip():
            raise invalid("A corpus needs a name: name a folder.", resource="corpus")
        try:
            folder = Path(named).expanduser().resolve()
            exists, is_folder = folder.exists(), folder.is_dir()
        except (OSError, RuntimeError, ValueError) as error:
            raise invalid(f"“{shown}” cannot be a folder's name.", resource=shown) from error
        if not exists:
            raise invalid(f"The corpus folder “{shown}” does not exist.", resource=shown)
        if not is_folder:
            raise invalid(f"“{shown}” is not a folder.", resource=shown)
        return folder


@dataclass(frozen=True)
class CorpusSearch:
    """Full-text search in corpus folders."""

    index: CorpusIndex

    async def search(self, task: SearchTask) -> SearchResults:
        hits = await self.index.search(task.corpus, task.query, task.limit)
        known = (hit.model_copy(update={"source": apply_manifest(hit.source)}) for hit in hits)
        return SearchResults(query=task.query, hits=tuple(known))

"""The searchable index of corpus folders."""

import asyncio
import hashlib
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from sqlite3 import Connection
from typing import TypeVar

from caveat.adapters.corpus import searching, updating
from caveat.adapters.corpus.database import IndexDamagedError, discard, open_index
from caveat.adapters.corpus.searching import Meanings
from caveat.adapters.corpus.updating import Stock
from caveat.adapters.corpus.walk import FoundFile
from caveat.adapters.text.vocabulary import Passage, Similarity
from caveat.contracts.plan import BrokenDocument
from caveat.contracts.source import Hit, SearchResults, SourceRef
from caveat.failures import invalid, is_shortage, unavailable
from caveat.memory import give_back_free_memory
from caveat.problem import InternalError
from caveat.rules.sources.rankings import fuse_rankings, merge_rankings
from caveat.rules.sources.unread import merge_unread

T = TypeVar("T")

_AHEAD = 3
"""Batches that are being read while one is finished: a document of seconds keeps one reader, and
the others go on."""


class _UnfinishedError(InternalError):
    """The folder was never gone through to its end."""


@dataclass(frozen=True)
class CorpusIndex:
    """One SQLite FTS5 database for each corpus folder."""

    # Any number of threads and processes may use it at once. A damaged database is deleted and
    # built again, and a folder that was never indexed is indexed when it is first searched: an
    # empty answer always means that nothing matched.

    cache_dir: Path  # where the databases lie; nothing in there is worth a backup
    # who finds passages by what they mean as well; None where words alone find them
    similarity: Similarity | None = None

    async def update(
        self,
        folder: Path,
        exclude: Collection[Path] = (),
        tell: Callable[[int], None] = lambda _: None,
    ) -> Stock:
        """Bring a folder's index up to date.

        Args:
            exclude: resolved folders below it that are not looked into, whose documents are
                forgotten.
            tell: called with how many more documents are indexed.
        """
        try:
            return await self._update(folder, exclude, tell)
        except IndexDamagedError:
            await asyncio.to_thread(discard, self._locate_index(folder))
        return await self._update(folder, exclude, tell)

    async def search(self, corpus: tuple[str, ...], query: str, limit: int) -> list[Hit]:
        """Return at most `limit` documents, best first; folders are merged by rank."""
        rankings = []
        for folder in _resolve_folders(corpus):
            work = partial(searching.find_hits, text=query, limit=limit, find=self._find(folder))
            rankings.append(await self._ask(folder, work))
        answers = [SearchResults(query=query, hits=tuple(ranking)) for ranking in rankings]
        return list(merge_rankings(query, answers, limit).hits)

    async def find_passages(self, corpus: tuple[str, ...], query: str, limit: int) -> list[Passage]:
        """Return at most `limit` passages, best first; folders are merged by rank."""
        rankings = []
        for folder in _resolve_folders(corpus):
            work = partial(_find_best_passages, query=query, limit=limit, find=self._find(folder))
            rankings.append(await self._ask(folder, work))
        return fuse_rankings(rankings)[:limit]

    async def list_sources(self, corpus: tuple[str, ...], limit: int) -> list[SourceRef]:
        """Return the first so many documents by path."""
        sources: list[SourceRef] = []
        for folder in _resolve_folders(corpus):
            work = partial(searching.list_sources, limit=limit - len(sources))
            sources += await self._ask(folder, work)
        return sources

    async def list_languages(self, corpus: tuple[str, ...]) -> tuple[str, ...]:
        languages = await self._ask_each(corpus, searching.list_languages)
        return tuple(sorted(set().union(*languages)))

    async def count_documents(self, corpus: tuple[str, ...]) -> int:
        """Return the number of passages, the unit that frequencies are counted in."""
        return sum(await self._ask_each(corpus, searching.count_passages))

    async def count_frequencies(
        self, corpus: tuple[str, ...], stems: Sequence[str]
    ) -> dict[str, int]:
        """Count the passages whose text holds each stem.

        Args:
            stems: words in lower case without diacritics, stemmed by Porter's algorithm.
        """
        unique = tuple(dict.fromkeys(stems))
        work = partial(searching.count_frequencies, stems=unique)
        counts = await self._ask_each(corpus, work)
        return {stem: sum(count.get(stem, 0) for count in counts) for stem in unique}

    async def _update(
        self, folder: Path, exclude: Collection[Path], tell: Callable[[int], None]
    ) -> Stock:
        changes = await self._run(folder, lambda c: updating.find_changes(c, folder, exclude))
        passing: list[BrokenDocument] = []
        updated = rows = 0
        stored: asyncio.Task[None] | None = None
        waiting: list[updating.Entry] = []
        try:
            async for entries in _read_entries(folder, changes.files):
                waiting += entries
                rows += sum(entry.rows for entry in entries)
                if rows >= updating.ENOUGH:
                    # Reading is Python's work and storing SQLite's, so they overlap in two threads.
                    if stored is not None:
                        await stored
                    stored = asyncio.create_task(self._store(folder, waiting))
                    waiting, rows = [], 0
                readable = sum(entry.source is not None for entry in entries)
                updated += readable
                tell(readable)
                passing += [
                    BrokenDocument(path=entry.file.path, failure=entry.failure)
                    for entry in entries
                    if entry.failure is not None and not entry.lasting
                ]
        finally:
            if stored is not None:
                await stored
            if waiting:
                await self._store(folder, waiting)
        stock = await self._run(folder, updating.finish)
        meanings = self._open_meanings(folder)
        if meanings is not None:
            await self._run(folder, meanings.learn)
        broken = sorted([*stock.broken, *changes.refused, *passing], key=lambda item: item.path)
        unread = merge_unread([*stock.unread, *changes.unread])
        return replace(stock, updated=updated, broken=tuple(broken), unread=unread)

    async def _store(self, folder: Path, entries: list[updating.Entry]) -> None:
        await self._run(folder, lambda c: updating.store(c, entries))
        await asyncio.to_thread(give_back_free_memory)

    async def _ask_each(
        self, corpus: tuple[str, ...], question: Callable[[Connection], T]
    ) -> list[T]:
        return [await self._ask(folder, question) for folder in _resolve_folders(corpus)]

    async def _ask(self, folder: Path, question: Callable[[Connection], T]) -> T:
        """Answer from a whole index, building it first where there is none."""

        def ask(connection: Connection) -> T:
            if not connection.execute("SELECT finished FROM state").fetchone()[0]:
                raise _UnfinishedError
            return question(connection)

        try:
            return await self._run(folder, ask)
        except (IndexDamagedError, _UnfinishedError):
            pass
        await self.update(folder)
        return await self._run(folder, question)

    async def _run(self, folder: Path, work: Callable[[Connection], T]) -> T:
        return await asyncio.to_thread(self._run_on_index, folder, work)

    def _run_on_index(self, folder: Path, work: Callable[[Connection], T]) -> T:
        file = self._locate_index(folder)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            refused = unavailable if is_shortage(error) else invalid
            raise refused(
                f"The cache folder of the index, {self.cache_dir}, cannot be created: set "
                "CAVEAT_CACHE_DIR to a folder that may be written.",
                resource=str(self.cache_dir),
            ) from error
        with open_index(file) as connection:
            return work(connection)

    def _open_meanings(self, folder: Path) -> Meanings | None:
        if self.similarity is None:
            return None
        file = self._locate_index(folder).with_suffix(f".{self.similarity.name}.sqlite")
        return Meanings(self.similarity, file)

    def _find(self, folder: Path) -> searching.Find:
        meanings = self._open_meanings(folder)
        return searching.matches if meanings is None else meanings.find_matches

    def _locate_index(self, folder: Path) -> Path:
        name = hashlib.sha256(str(folder).encode("utf-8", "surrogateescape")).hexdigest()[:16]
        return self.cache_dir / f"{name}.sqlite"


async def _read_entries(
    folder: Path, files: Sequence[FoundFile]
) -> AsyncIterator[list[updating.Entry]]:
    """Read files batch by batch; more are begun before one is finished, so that no reader waits."""
    begun: deque[list[updating.Begun]] = deque()
    for batch in updating.batch_files(files):
        begun.append(await asyncio.to_thread(updating.begin, folder, batch))
        if len(begun) > _AHEAD:
            yield await asyncio.to_thread(updating.collect_entries, folder, begun.popleft())
    while begun:
        yield await asyncio.to_thread(updating.collect_entries, folder, begun.popleft())


def _resolve_folders(corpus: tuple[str, ...]) -> list[Path]:
    if not all(folder.strip() for folder in corpus):
        raise invalid("A corpus needs a name: name a folder.", resource="corpus")
    return list(dict.fromkeys(Path(folder).resolve() for folder in corpus))


def _find_best_passages(
    connection: Connection, query: str, limit: int, find: searching.Find
) -> list[Passage]:
    passages: list[Passage] = []
    for match in find(connection, query, limit):
        row = connection.execute(
            "SELECT d.source, p.heading, p.text FROM passages p, documents d "
            "WHERE p.rowid = ? AND d.id = ?",
            (match.row, match.document),
        ).fetchone()
        if row is not None:
            source = SourceRef.model_validate_json(row[0])
            passages.append(Passage(source.id, source.title, row[1], row[2], match.similarity))
    return passages

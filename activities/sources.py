"""Sources: take stock of them, search for them, read them, be let in to them."""

import asyncio
from dataclasses import dataclass

from temporalio import activity

from caveat.activities.subagent import Attempt, declare_subagent
from caveat.contracts.backend import Backend
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.plan import Inventory
from caveat.contracts.source import Analysis, Claim, Reading, SearchResults, Snapshot, SourceRef
from caveat.contracts.tasks import (
    FolderReadingTask,
    ReadingTask,
    RefreshTask,
    ScanTask,
    SearchTask,
    StockTask,
)
from caveat.failures import forbidden
from caveat.ports import Credentials, Library, SearchEngine, SearchEngines, Signatures, Snapshots
from caveat.roles.role import Reasoner
from caveat.rules.evidence.copies import sketch
from caveat.rules.evidence.stated import find_statements
from caveat.threads import run_in_thread

SCANNED = 100
"""Texts that are looked through for one quantity at most: a table of more is no longer read."""


@dataclass(frozen=True)
class SourceActivities:
    """Searches an engine, and reads from a library into the snapshot store."""

    library: Library
    engine: SearchEngine
    snapshots: Snapshots
    backend: Backend  # names the workers of a run that begins here
    reasoner: Reasoner
    signatures: Signatures  # let other workers of this user open what this one may
    events: bool = False  # whether what happens in runs is published on a broker

    @declare_subagent(AgentType.LIBRARIAN)
    async def take_stock(self, task: StockTask, attempt: Attempt) -> SubagentResult[Inventory]:
        """Say what can be searched, what cannot be read, and what was not looked at."""
        indexed = 0

        def tell(more: int) -> None:
            nonlocal indexed
            indexed += more
            attempt.report(Inventory(corpus=task.corpus, documents=indexed), 0.0)

        inventory = await self.library.take_stock(task.corpus, tell)
        if isinstance(self.engine, SearchEngines):
            # As the search itself will choose: by the folders that this run searches.
            engines = self.engine.name_engines(inventory.corpus)
            inventory = inventory.model_copy(update={"engines": engines})
        run_id = activity.info().workflow_id or ""
        facts = {
            "grant": self.signatures.grant(run_id, task.topic, inventory.corpus),
            "backend": self.backend,
            "reasoner": self.reasoner.card,
            "events": self.events,
        }
        return attempt.wrap_result(inventory.model_copy(update=facts))

    @declare_subagent(AgentType.SEARCHER)
    async def search(self, task: SearchTask, attempt: Attempt) -> SubagentResult[SearchResults]:
        """Run one query; nothing found is a success with a gap."""
        results = await self.engine.search(task)
        gaps = () if results.hits else (f"Nothing matches “{task.query}”.",)
        return attempt.wrap_result(results, gaps=gaps, usage=results.usage)

    @declare_subagent(AgentType.READER)
    async def read(self, task: ReadingTask, attempt: Attempt) -> SubagentResult[Reading]:
        """Keep the source's text and return where it is kept; the text stays out of history."""
        return attempt.wrap_result(await self.read_source(task.source, task.at))

    @declare_subagent(AgentType.READER)
    async def read_folder(
        self, task: FolderReadingTask, attempt: Attempt
    ) -> SubagentResult[tuple[Reading, ...]]:
        """Keep the texts of documents; one that cannot be read is missing, and then read alone."""
        read = await asyncio.gather(*map(self.read_source, task.sources), return_exceptions=True)
        readings = tuple(reading for reading in read if isinstance(reading, Reading))
        for failed in read:
            if not readings and isinstance(failed, BaseException):
                raise failed  # it says something of what all of them lie in
        return attempt.wrap_result(readings)

    @declare_subagent(AgentType.SEARCHER)
    async def scan(self, task: ScanTask, attempt: Attempt) -> SubagentResult[Analysis]:
        """Find what the texts of a run state of a quantity."""
        claims: list[Claim] = []
        for name in [*task.texts][:SCANNED]:
            snapshot = await self.snapshots.open(task.texts[name])
            claims += await run_in_thread(
                find_statements, snapshot, name, task.about, task.unit, task.relevance
            )
        return attempt.wrap_result(Analysis(claims=tuple(claims)))

    async def read_source(self, source: SourceRef, at: str | None = None) -> Reading:
        """Read a source, elsewhere than at its own address if told so, and keep its text."""
        place = source
        if at is not None:  # at a URL it is no document of a corpus
            is_public = at.startswith(("https://", "http://"))
            where = {"url": at, "path": None, "corpus": None} if is_public else {"path": at}
            place = source.model_copy(update=where)
        document = await self.library.read(place)
        # It is cited where it was found, wherever it was read.
        cited_at = source.model_dump(include={"url", "path", "corpus", "also_at"})
        cited = document.source.model_copy(update=cited_at)
        reading = await keep_text(cited, document.snapshot, self.snapshots)
        return reading.model_copy(update={"read_at": at, "losses": document.losses})


async def keep_text(source: SourceRef, snapshot: Snapshot, snapshots: Snapshots) -> Reading:
    address, drawn = await asyncio.gather(
        snapshots.keep(snapshot), run_in_thread(sketch, snapshot.text)
    )
    return Reading(
        source=source,
        snapshot_sha256=address,
        characters=len(snapshot.text),
        shingles=drawn.shingles,
        sketch=drawn.smallest,
        figures=drawn.figures,
    )


@dataclass(frozen=True)
class CredentialActivities:
    """Refreshes credentials; the secrets themselves never leave the worker."""

    credentials: Credentials | None

    @declare_subagent(AgentType.GATEKEEPER, name="refresh_credentials")
    async def refresh(self, task: RefreshTask, attempt: Attempt) -> SubagentResult[str]:
        if self.credentials is None:
            message = f"This worker has no credentials for {task.provider}."
            raise forbidden(message, resource=task.provider)
        await self.credentials.refresh(task.provider)
        return attempt.wrap_result(task.provider)

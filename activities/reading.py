"""The reader: fetches a source and keeps a snapshot of it."""

import asyncio
from dataclasses import dataclass

from temporalio import activity

from activities.envelopes import done
from activities.failures import subagent
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.source import Reading, SourceRef
from caveat.contracts.tasks import ReadingTask
from caveat.ports import Library, Snapshots
from caveat.rules.copies import sketch
from caveat.rules.elsewhere import CACHED


@dataclass(frozen=True)
class Reader:
    """Reads from a library into the snapshot store."""

    library: Library
    snapshots: Snapshots

    @activity.defn(name="read")
    @subagent(AgentType.READER)
    async def read(self, task: ReadingTask) -> SubagentResult[Reading]:
        """Keep the source's text and return where it is kept; the text stays out of history."""
        document = await self.library.read(_placed(task))
        text = document.snapshot.text
        address, drawn = await asyncio.gather(
            self.snapshots.keep(document.snapshot), asyncio.to_thread(sketch, text)
        )
        reading = Reading(
            source=document.source.model_copy(update=_address(task.source)),
            snapshot_sha256=address,
            characters=len(text),
            shingles=drawn.shingles,
            sketch=drawn.smallest,
            figures=drawn.figures,
            read_at=task.at if document.as_of is None else None,
            as_of=document.as_of,
        )
        return done(AgentType.READER, task, reading)


def _placed(task: ReadingTask) -> SourceRef:
    """The source where it is to be read; at a URL it is no document of a corpus."""
    if task.at is None:
        return task.source
    is_public = task.at.startswith(("https://", "http://", CACHED))
    place = {"url": task.at, "path": None, "corpus": None} if is_public else {"path": task.at}
    return task.source.model_copy(update=place)


def _address(source: SourceRef) -> dict[str, object]:
    """Where a source is cited: where it was found, wherever it was read."""
    return source.model_dump(include={"url", "path", "corpus", "also_at"})

"""The reader: fetches a source and keeps a snapshot of it."""

import asyncio
from dataclasses import dataclass

from temporalio import activity

from activities.envelopes import done
from activities.failures import subagent
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.source import Reading
from caveat.contracts.tasks import ReadingTask
from caveat.ports import Library, Snapshots
from caveat.rules.copies import sketch


@dataclass(frozen=True)
class Reader:
    """Reads from a library into the snapshot store."""

    library: Library
    snapshots: Snapshots

    @activity.defn(name="read")
    @subagent(AgentType.READER)
    async def read(self, task: ReadingTask) -> SubagentResult[Reading]:
        """Keep the source's text and return where it is kept; the text stays out of history."""
        document = await self.library.read(task.source)
        text = document.snapshot.text
        address, drawn = await asyncio.gather(
            self.snapshots.keep(document.snapshot), asyncio.to_thread(sketch, text)
        )
        reading = Reading(
            source=document.source,
            snapshot_sha256=address,
            characters=len(text),
            shingles=drawn.shingles,
            sketch=drawn.smallest,
            figures=drawn.figures,
        )
        return done(AgentType.READER, task, reading)

"""The archivist: remembers runs."""

from dataclasses import dataclass

from temporalio import activity

from activities.envelopes import done
from activities.failures import subagent
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.outcome import RunRecord
from caveat.contracts.tasks import MemoryTask
from caveat.ports import Memory


@dataclass(frozen=True)
class Archivist:
    """Writes to memory."""

    memory: Memory

    @activity.defn(name="remember")
    @subagent(AgentType.ARCHIVIST)
    async def remember(self, task: MemoryTask) -> SubagentResult[RunRecord]:
        """Keep the record of a run and return what was kept."""
        await self.memory.remember(task.record)
        return done(AgentType.ARCHIVIST, task, task.record)

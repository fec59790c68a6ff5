"""What outlives runs: their records, and people's rulings."""

from dataclasses import dataclass

from caveat.activities.subagent import Attempt, subagent
from caveat.contracts.contradiction import RulingRecord
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.outcome import RunRecord
from caveat.contracts.tasks import MemoryTask, RulingsTask, RulingTask
from caveat.ports import Memory, Signatures


@dataclass(frozen=True)
class MemoryActivities:
    """Keeps in memory and recalls from it.

    Attributes:
        memory: what remembers.
        signatures: says which rulings are this user's own.
    """

    memory: Memory
    signatures: Signatures

    @subagent(AgentType.ARCHIVIST, name="remember")
    async def remember(self, task: MemoryTask, attempt: Attempt) -> SubagentResult[RunRecord]:
        """Keep the record of a run and return what was kept."""
        await self.memory.remember(task.record)
        return attempt.done(task.record)

    @subagent(AgentType.CLERK, name="record_ruling")
    async def record_ruling(
        self, task: RulingTask, attempt: Attempt
    ) -> SubagentResult[RulingRecord]:
        """Keep a person's ruling and return what was kept."""
        signed = task.signature is not None and self.signatures.holds(task.record, task.signature)
        record = task.record.model_copy(update={"signed": signed})
        await self.memory.record_ruling(record)
        return attempt.done(record)

    @subagent(AgentType.CLERK, name="recall_rulings")
    async def recall_rulings(
        self, task: RulingsTask, attempt: Attempt
    ) -> SubagentResult[tuple[RulingRecord, ...]]:
        """Return the rulings on claims of some claimants, oldest first; none is a success too."""
        return attempt.done(await self.memory.rulings_about(task.claimants))

"""The archivist's other errand: the evidence of an earlier run."""

from dataclasses import dataclass

from temporalio import activity

from activities.envelopes import done
from activities.failures import subagent
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.outcome import Evidence
from caveat.contracts.tasks import RecallTask
from caveat.ports import Press


@dataclass(frozen=True)
class Recaller:
    """Reads back what a press kept."""

    press: Press

    @activity.defn(name="recall_evidence")
    @subagent(AgentType.ARCHIVIST)
    async def recall(self, task: RecallTask) -> SubagentResult[Evidence]:
        """Return everything that an earlier run found."""
        return done(AgentType.ARCHIVIST, task, await self.press.evidence(task.run_id))

"""The publisher: writes reports, and keeps the evidence of runs that have none."""

from dataclasses import dataclass

from temporalio import activity

from activities.envelopes import done
from activities.failures import subagent
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.outcome import Artifact
from caveat.contracts.tasks import KeepingTask, PublicationTask
from caveat.ports import Press


@dataclass(frozen=True)
class Publisher:
    """Writes files through a press."""

    press: Press

    @activity.defn(name="publish")
    @subagent(AgentType.PUBLISHER)
    async def publish(self, task: PublicationTask) -> SubagentResult[tuple[Artifact, ...]]:
        """Write a report in the formats that it names."""
        return done(AgentType.PUBLISHER, task, await self.press.publish(task.report))

    @activity.defn(name="keep_evidence")
    @subagent(AgentType.PUBLISHER)
    async def keep_evidence(self, task: KeepingTask) -> SubagentResult[Artifact]:
        """Write what a run found before it failed by name."""
        return done(AgentType.PUBLISHER, task, await self.press.keep(task.evidence))

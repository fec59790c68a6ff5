"""The analyst: one source, one angle, claims with verbatim quotes."""

from dataclasses import dataclass

from temporalio import activity

from activities.envelopes import done
from activities.failures import subagent
from caveat.contracts.claim import Analysis
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.tasks import AnalysisTask
from caveat.ports import Reasoner, Snapshots
from caveat.rules.quotes import verified


@dataclass(frozen=True)
class Analyst:
    """Reads a snapshot for meaning."""

    reasoner: Reasoner
    snapshots: Snapshots

    @activity.defn(name="analyse")
    @subagent(AgentType.ANALYST)
    async def analyse(self, task: AnalysisTask) -> SubagentResult[Analysis]:
        """Return the claims whose quotes are in the snapshot; others are thrown away, counted."""
        snapshot = await self.snapshots.open(task.snapshot_sha256)
        answer = await self.reasoner.analyse(task, snapshot)
        claims, rejected = verified(answer.value.claims, snapshot.text)
        analysis = Analysis(claims=claims, rejected_quotes=answer.value.rejected_quotes + rejected)
        found = f"“{task.source.title}” has no passage on “{task.assignment.title}”."
        gaps = () if claims else (found,)
        return done(AgentType.ANALYST, task, analysis, usage=answer.usage, gaps=gaps)

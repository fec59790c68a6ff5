"""The analyst: one source, one angle, claims with verbatim quotes."""

from dataclasses import dataclass

from temporalio import activity

from activities.envelopes import done
from activities.failures import subagent
from activities.heartbeats import CURRENT
from caveat.contracts.claim import Analysis
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.source import Snapshot
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
        pulse = CURRENT.get()
        answer = await self.reasoner.analyse(
            task, snapshot, lambda found, share: pulse.report(_verified(found, snapshot), share)
        )
        analysis = _verified(answer.value, snapshot)
        nothing = f"“{task.source.title}” has no passage on “{task.assignment.title}”."
        gaps = () if analysis.claims else (nothing,)
        return done(AgentType.ANALYST, task, analysis, usage=answer.usage, gaps=gaps)


def _verified(found: Analysis, snapshot: Snapshot) -> Analysis:
    claims, rejected = verified(found.claims, snapshot.text)
    return found.model_copy(
        update={"claims": claims, "rejected_quotes": found.rejected_quotes + rejected}
    )

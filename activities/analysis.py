"""The analyst: one source, one angle, claims with verbatim quotes."""

from dataclasses import dataclass

from pydantic import ValidationError
from temporalio import activity

from activities.envelopes import done
from activities.failures import subagent
from activities.heartbeats import CURRENT, left_by_earlier_attempt
from caveat.contracts.claim import Analysis
from caveat.contracts.envelope import AgentType, SubagentResult, Usage
from caveat.contracts.source import Snapshot
from caveat.contracts.tasks import AnalysisTask
from caveat.ports import Reasoner, Snapshots
from caveat.rules.merging import merged
from caveat.rules.quotes import verified


@dataclass(frozen=True)
class Analyst:
    """Reads a snapshot for meaning."""

    reasoner: Reasoner
    snapshots: Snapshots

    @activity.defn(name="analyse")
    @subagent(AgentType.ANALYST)
    async def analyse(self, task: AnalysisTask) -> SubagentResult[Analysis]:
        """Return the claims whose quotes are in the snapshot; others are thrown away, counted.

        What an earlier attempt had looked at before it broke off is not looked at again.
        """
        pulse = CURRENT.get()
        earlier = _earlier(task)
        if earlier is not None:
            # Before anything is awaited: the next sign of life must not forget it.
            pulse.report(*earlier)
        snapshot = await self.snapshots.open(task.snapshot_sha256)
        had = _verified(earlier[0], snapshot) if earlier else Analysis(read_to=task.start_at)
        usage = Usage()
        if had.read_to < len(snapshot.text):
            answer = await self.reasoner.analyse(
                task.model_copy(update={"start_at": had.read_to}),
                snapshot,
                lambda found, share: pulse.report(
                    merged(had, _verified(found, snapshot), task.wanted), share
                ),
            )
            had, usage = merged(had, _verified(answer.value, snapshot), task.wanted), answer.usage
        nothing = f"“{task.source.title}” has no passage on “{task.assignment.title}”."
        gaps = () if had.claims else (nothing,)
        return done(
            AgentType.ANALYST, task, had, usage=usage, gaps=gaps, reasoner=self.reasoner.card.name
        )


def _earlier(task: AnalysisTask) -> tuple[Analysis, float] | None:
    """What an earlier attempt had found, where that is further than where this task begins."""
    left = left_by_earlier_attempt()
    if left is None or left.partial is None:
        return None
    try:
        found = Analysis.model_validate(left.partial)
    except ValidationError:
        return None
    return (found, left.completeness) if found.read_to > task.start_at else None


def _verified(found: Analysis, snapshot: Snapshot) -> Analysis:
    claims, rejected = verified(found.claims, snapshot.text)
    return found.model_copy(
        update={"claims": claims, "rejected_quotes": found.rejected_quotes + rejected}
    )

"""The detector: which claims of a run disagree."""

from dataclasses import dataclass

from temporalio import activity

from activities.envelopes import done
from activities.failures import subagent
from caveat.contracts.contradiction import Disagreement
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.tasks import DetectionTask
from caveat.ports import Reasoner
from caveat.rules.disagreements import sound


@dataclass(frozen=True)
class Detector:
    """Compares claims with a reasoner."""

    reasoner: Reasoner

    @activity.defn(name="detect")
    @subagent(AgentType.DETECTOR)
    async def detect(self, task: DetectionTask) -> SubagentResult[tuple[Disagreement, ...]]:
        """Return the claims that disagree; what names no two claims of two sources is dropped."""
        if task.by_code:
            found = await self.reasoner.compare_by_rules(task)
            return done(AgentType.DETECTOR, task, sound(found, task.claims))
        answer = await self.reasoner.contradict(task)
        return done(
            AgentType.DETECTOR,
            task,
            sound(answer.value, task.claims),
            usage=answer.usage,
            reasoner=self.reasoner.card.name,
        )

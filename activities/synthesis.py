"""The synthesiser: claims in, cited prose out."""

from dataclasses import dataclass

from temporalio import activity

from activities.envelopes import done
from activities.failures import subagent
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.synthesis import Synthesis
from caveat.contracts.tasks import SynthesisTask
from caveat.ports import Reasoner


@dataclass(frozen=True)
class Synthesiser:
    """Writes with a reasoner."""

    reasoner: Reasoner

    @activity.defn(name="synthesise")
    @subagent(AgentType.SYNTHESISER)
    async def synthesise(self, task: SynthesisTask) -> SubagentResult[Synthesis]:
        """Write the report's prose from claims alone, or put their quotes together."""
        if task.by_code:
            excerpts = await self.reasoner.excerpts(task.evidence)
            return done(AgentType.SYNTHESISER, task, excerpts)
        answer = await self.reasoner.synthesise(task.evidence)
        return done(
            AgentType.SYNTHESISER,
            task,
            answer.value,
            usage=answer.usage,
            reasoner=self.reasoner.card.name,
        )

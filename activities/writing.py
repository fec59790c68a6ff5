"""The writer: a synthesis in, the same in its final form out."""

from dataclasses import dataclass

from temporalio import activity

from activities.envelopes import done
from activities.failures import subagent
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.synthesis import Synthesis
from caveat.contracts.tasks import WritingTask
from caveat.ports import Reasoner


@dataclass(frozen=True)
class Writer:
    """Formats with a reasoner."""

    reasoner: Reasoner

    @activity.defn(name="write")
    @subagent(AgentType.WRITER)
    async def write(self, task: WritingTask) -> SubagentResult[Synthesis]:
        """Put the synthesis into its final form."""
        answer = await self.reasoner.write(task)
        return done(
            AgentType.WRITER,
            task,
            answer.value,
            usage=answer.usage,
            reasoner=self.reasoner.card.name,
        )

"""A reasoner whose report takes more than it was allowed."""

from dataclasses import dataclass, field

from caveat.contracts.envelope import Usage
from caveat.contracts.synthesis import Synthesis
from caveat.contracts.tasks import SynthesisTask
from caveat.failures import NotAllowed
from caveat.ports import Answer
from standins.ports import FakeReasoner

CALL = Usage(model_calls=1, input_tokens=10, output_tokens=1, cost_usd=0.5)


@dataclass(frozen=True)
class Greedy(FakeReasoner):
    """Wants more for its report so many times."""

    times: int = 0
    asked: list[SynthesisTask] = field(default_factory=list)

    async def synthesise(self, task: SynthesisTask) -> Answer[Synthesis]:
        self.asked.append(task)
        if len(self.asked) <= self.times:
            raise NotAllowed(CALL, CALL, CALL)
        answer = await super().synthesise(task)
        return Answer(answer.value, CALL)

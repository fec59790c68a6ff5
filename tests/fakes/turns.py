"""A reasoner whose report must be mended before it can stand."""

from dataclasses import dataclass, field

from caveat.contracts.envelope import Usage
from caveat.contracts.synthesis import Synthesis
from caveat.contracts.tasks import SynthesisTask
from caveat.failures import AnotherTurn
from caveat.ports import Answer
from standins.ports import FakeReasoner

CALL = Usage(model_calls=1, input_tokens=10, output_tokens=1, cost_usd=0.5)


@dataclass(frozen=True)
class Stubborn(FakeReasoner):
    """Writes a report that must be mended `flaws` times."""

    flaws: int = 1
    turns: list[SynthesisTask] = field(default_factory=list)

    async def synthesise(self, task: SynthesisTask) -> Answer[Synthesis]:
        self.turns.append(task)
        if task.turn <= self.flaws and task.turn < task.max_turns:
            raise AnotherTurn(CALL)
        answer = await super().synthesise(task)
        return Answer(answer.value, CALL)

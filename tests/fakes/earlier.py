"""An earlier version of Caveat, and somebody who hears what became of its runs."""

from typing import Any

from temporalio import workflow

from caveat.contracts.outcome import Outcome, Progress
from caveat.workflows.names import RESEARCH
from caveat.workflows.research.workflow import Research


@workflow.defn(name=RESEARCH)
class Earlier(Research):
    """The version before: it slept before it wrote the provisional report."""

    @workflow.run
    async def run(self, *given: Any) -> Outcome:
        await workflow.sleep(0.01)
        return await super().run(*given)


class Heard:
    """Somebody at a terminal."""

    def __init__(self) -> None:
        self.remarks: list[str] = []

    def show(self, progress: Progress) -> None: ...

    def remark(self, sentence: str) -> None:
        self.remarks.append(sentence)

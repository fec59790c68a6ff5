"""The reasoner that uses no model: it quotes, and says so."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from caveat.adapters.extractive.analysis import Analyst
from caveat.adapters.extractive.contradictions import contradictions
from caveat.adapters.extractive.planning import Planner, Reformulator
from caveat.adapters.extractive.synthesis import synthesise
from caveat.adapters.text.similarity import Similarity
from caveat.adapters.text.vocabulary import Vocabulary
from caveat.contracts.claim import Analysis
from caveat.contracts.contradiction import Disagreement
from caveat.contracts.debate import Challenge, DebateMessage
from caveat.contracts.plan import Assignment, Depth, ReasonerCard
from caveat.contracts.source import Snapshot
from caveat.contracts.spending import Tariff
from caveat.contracts.synthesis import Synthesis
from caveat.contracts.tasks import (
    AnalysisTask,
    DebateTask,
    DetectionTask,
    PlanningTask,
    Reformulation,
    ReformulationTask,
    ReplyTask,
    RevisionTask,
    SynthesisTask,
    VerificationTask,
)
from caveat.ports import Answer

CARD = ReasonerCard(
    name="extractive",
    disclosure=(
        "Extractive, no language model: it quotes word for word and compares quantities; it cannot"
        " add up, paraphrase, infer or say that a question is answered, and finds contradictions"
        " between like sentences only."
    ),
    uses_language_model=False,
)


@dataclass(frozen=True)
class ExtractiveReasoner:
    """Plans, reads and writes with word statistics alone.

    The same corpus and topic give the same answers; nothing it writes is its own words but titles
    and questions.
    """

    vocabulary: Vocabulary
    # who compares passages with the question by what they mean; None without one
    similarity: Similarity | None = None

    @property
    def card(self) -> ReasonerCard:
        """Who this is, as every report states it."""
        return CARD

    async def tariff(self) -> Tariff:
        """Nothing: no model is called."""
        return Tariff()

    async def plan(self, task: PlanningTask) -> Answer[tuple[Assignment, ...]]:
        """Take a topic as it is; at the greatest depth, phrases of its passages beside it."""
        wanted = task.wanted if task.depth is Depth.EXHAUSTIVE else 1
        return Answer(await Planner(self.vocabulary).plan(task.topic, task.corpus, wanted))

    async def reformulate(self, task: ReformulationTask) -> Answer[Reformulation]:
        """Offer a query in other words than those tried, or none."""
        query = await Reformulator(self.vocabulary).reformulate(
            task.topic, task.assignment, task.tried, task.corpus
        )
        return Answer(Reformulation(query=query))

    async def analyse(
        self, task: AnalysisTask, snapshot: Snapshot, on_partial: Callable[[Analysis, float], None]
    ) -> Answer[Analysis]:
        """Quote the sentences of one source that answer an angle; none when none does."""
        return Answer(await Analyst(self.vocabulary).analyse(task, snapshot, on_partial))

    async def contradict(self, task: DetectionTask) -> Answer[tuple[Disagreement, ...]]:
        """Compare what the claims state of the same thing in fixed forms."""
        return Answer(await self.compare_by_rules(task))

    async def compare_by_rules(self, task: DetectionTask) -> tuple[Disagreement, ...]:
        """Compare what the claims state of the same thing in fixed forms."""
        return await asyncio.to_thread(contradictions, task)

    async def debate(self, task: DebateTask) -> Answer[tuple[Challenge, ...]]:
        """Nothing: weighing claims takes a model."""
        del task
        return Answer(())

    async def reply(self, task: ReplyTask) -> Answer[tuple[DebateMessage, ...]]:
        """Nothing, as there is no debate."""
        del task
        return Answer(())

    async def synthesise(self, task: SynthesisTask) -> Answer[Synthesis]:
        """Order and corroborate quotes; empty sections stay empty."""
        return Answer(await self.excerpts(task))

    async def excerpts(self, task: SynthesisTask) -> Synthesis:
        """Order and corroborate quotes."""
        return await asyncio.to_thread(synthesise, task.evidence, self.similarity)

    async def verify(self, task: VerificationTask) -> Answer[Synthesis]:
        """Leave quotes as they are: nothing was written."""
        return Answer(task.draft)

    async def revise(self, task: RevisionTask) -> Answer[Synthesis]:
        """Leave quotes as they are: nothing was written."""
        return Answer(task.draft)

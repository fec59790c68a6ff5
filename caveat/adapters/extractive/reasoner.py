"""The reasoner that uses no model: it quotes, and says so."""

import asyncio
from dataclasses import dataclass
from typing import Any, cast

from caveat.adapters.extractive.analysis import Analyst
from caveat.adapters.extractive.contradictions import detect_contradictions
from caveat.adapters.extractive.planning import build_direct_assignment
from caveat.adapters.extractive.synthesis import synthesise
from caveat.adapters.text.similarity import Similarity
from caveat.adapters.text.vocabulary import Vocabulary
from caveat.contracts.plan import ReasonerCard
from caveat.contracts.source import Snapshot
from caveat.contracts.spending import RateCard
from caveat.contracts.tasks import AnalysisTask, DetectionTask, PlanningTask, SynthesisTask
from caveat.failures import invalid
from caveat.ports import Answer
from caveat.roles.role import NO_TEXT, A, OnPartial, Role, V, ignore

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
    """Plans, reads and writes with word statistics alone."""

    # The same corpus and topic give the same answers; nothing it writes is its own words but titles
    # and questions.

    vocabulary: Vocabulary
    # who compares passages with the question by what they mean; None without one
    similarity: Similarity | None = None

    @property
    def card(self) -> ReasonerCard:
        """Who this is, as every report states it."""
        return CARD

    async def rate_card(self) -> RateCard:
        """Nothing: no model is called."""
        return RateCard()

    async def ask(
        self,
        role: Role[A, V, Any],
        task: A,
        text: Snapshot = NO_TEXT,
        on_partial: OnPartial = ignore,
    ) -> Answer[V]:
        """Do what words and forms suffice for; elsewhere what a role has without a model."""
        answer: V | object
        match task:
            case PlanningTask():
                answer = (build_direct_assignment(task.topic),)
            case AnalysisTask():
                answer = await Analyst(self.vocabulary).analyse(task, text, on_partial)
            case DetectionTask():
                answer = await asyncio.to_thread(detect_contradictions, task)
            case SynthesisTask():
                answer = await asyncio.to_thread(synthesise, task.evidence, self.similarity)
            case _ if role.without_model is not None:
                answer = role.without_model(task)
            case _:
                raise invalid(
                    f"The {role.agent} needs a language model, and there is none.",
                    resource=task.description,
                )
        return Answer(cast("V", answer))

"""The reasoner that uses no model and quotes, and its rules, which stand in for other reasoners."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from caveat.adapters.extractive.analysis import Analyst, find_passages
from caveat.adapters.extractive.contradictions import detect_contradictions
from caveat.adapters.extractive.synthesis import synthesise
from caveat.adapters.text.vocabulary import Similarity, Vocabulary
from caveat.contracts.contradiction import Disagreement
from caveat.contracts.phase import RateCard
from caveat.contracts.plan import Assignment, ReasonerCard
from caveat.contracts.source import Claim, Snapshot, SourceRef
from caveat.contracts.synthesis import Synthesis, SynthesisInput
from caveat.contracts.tasks import AnalysisTask, DetectionTask, PlanningTask, SynthesisTask
from caveat.failures import invalid
from caveat.ports import Answer
from caveat.roles.role import NO_TEXT, A, OnPartial, Role, V, ignore
from caveat.rules.report.answering import DIRECT
from caveat.rules.text.questions import split_question

CARD = ReasonerCard(
    name="extractive",
    disclosure=(
        "Extractive, no language model: it quotes word for word and compares quantities; it cannot"
        " add up, paraphrase, infer or say that a question is answered, and finds contradictions"
        " between like sentences only."
    ),
    uses_language_model=False,
)

DIRECT_SOURCES = 16
"""Sources read for the topic itself: twice what a side takes, since it is what was asked."""

DIRECT_CLAIMS = 7
"""Claims of one of them: as many as a section shows, for one document may answer everything."""


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
        self, role: Role[A, V], task: A, text: Snapshot = NO_TEXT, on_partial: OnPartial = ignore
    ) -> Answer[V]:
        """Do what words and forms suffice for; elsewhere what a role has without a model."""
        answer: V | object
        match task:
            case PlanningTask():
                # The topic itself: no more can be told of it without a model.
                direct = Assignment(
                    id="a1",
                    title=DIRECT,
                    question=task.topic,
                    queries=split_question(task.topic)[:3],
                    sources=DIRECT_SOURCES,
                    claims=DIRECT_CLAIMS,
                )
                answer = (direct,)
            case AnalysisTask():
                analyst = Analyst(self.vocabulary, self.similarity is not None)
                answer = await analyst.analyse(task, text)
            case DetectionTask():
                answer = await asyncio.to_thread(detect_contradictions, task)
            case SynthesisTask():
                answer = await asyncio.to_thread(synthesise, task.evidence, self.similarity)
            case _ if role.without_model is not None:
                answer = role.without_model(task)
            case _:
                raise invalid(
                    f"The {role.settings.agent} needs a language model, and there is none.",
                    resource=task.description,
                )
        return Answer(cast("V", answer))


@dataclass(frozen=True)
class ExtractiveRules:
    """Compares like sentences and rows, counts and quotes; see `ports.Rules`."""

    # who compares passages with the question by what they mean; None without one
    similarity: Similarity | None = None

    def find_contradictions(self, task: DetectionTask) -> tuple[Disagreement, ...]:
        """Compare figures, dates and names in sentences and rows of like form."""
        return detect_contradictions(task)

    def find_passages(
        self, question: str, texts: Sequence[tuple[SourceRef, Snapshot]], wanted: int
    ) -> tuple[Claim, ...]:
        """Quote the sentences that weigh most by their words."""
        return find_passages(question, texts, wanted)

    def write_excerpts(self, evidence: SynthesisInput) -> Synthesis:
        """Put the best quotes together as they are."""
        return synthesise(evidence, self.similarity)

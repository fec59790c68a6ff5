"""The reasoner that is Claude: each role a model, each answer checked by code."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from caveat.adapters.claude.analyst import Analyst
from caveat.adapters.claude.debater import Debater
from caveat.adapters.claude.detector import Detector
from caveat.adapters.claude.dialogue import Dialogue
from caveat.adapters.claude.limits import Limits
from caveat.adapters.claude.models import Models
from caveat.adapters.claude.planner import Planner
from caveat.adapters.claude.reformulator import Reformulator
from caveat.adapters.claude.synthesiser import Synthesiser
from caveat.adapters.claude.tariff import tariff
from caveat.adapters.claude.writer import Writer
from caveat.adapters.extractive.contradictions import contradictions
from caveat.adapters.extractive.debating import debate
from caveat.adapters.extractive.synthesis import synthesise as quoted
from caveat.contracts.claim import Analysis
from caveat.contracts.contradiction import Disagreement
from caveat.contracts.debate import Challenge
from caveat.contracts.plan import Assignment, ReasonerCard
from caveat.contracts.source import Snapshot
from caveat.contracts.spending import Tariff
from caveat.contracts.synthesis import Synthesis, SynthesisInput
from caveat.contracts.tasks import (
    AnalysisTask,
    DebateTask,
    DetectionTask,
    PlanningTask,
    Reformulation,
    ReformulationTask,
    WritingTask,
)
from caveat.ports import Answer
from caveat.rules.disclosure import by_language_models

REPLAYED = (
    " Their answers were replayed from a recording: no model was asked in this run, and the cost is"
    " that of the recording. Documents and pages of the web are no part of it and were read anew."
)


@dataclass(frozen=True)
class ClaudeReasoner:
    """Plans, reads and writes with language models; see `ports.Reasoner`.

    Every method makes one call and at most one more, to mend what code found wrong, and raises
    `PortFailure` with what was spent where there is no answer.

    Attributes:
        dialogue: with the server of the models.
        models: who plays which role.
        limits: how long they may take, and how much they may say.
        replays: whether their answers come from a cassette.
    """

    dialogue: Dialogue
    models: Models = field(default_factory=Models)
    limits: Limits = field(default_factory=Limits)
    replays: bool = False

    @property
    def card(self) -> ReasonerCard:
        """Who this is, as every report states it."""
        return ReasonerCard(
            name="claude",
            disclosure=by_language_models(self.models.names) + (REPLAYED if self.replays else ""),
            remark=REPLAYED if self.replays else "",
            uses_language_model=True,
        )

    async def tariff(self) -> Tariff:
        """What a call of each role takes at most."""
        return tariff(self.models, self.limits, self.dialogue.connection.prices)

    async def plan(self, task: PlanningTask) -> Answer[tuple[Assignment, ...]]:
        """Split a topic into at most `task.wanted` angles."""
        planner = Planner(self.dialogue, self.models.planning, self.limits.planning)
        return await planner.plan(task)

    async def reformulate(self, task: ReformulationTask) -> Answer[Reformulation]:
        """Offer a query in other words than those tried, or none."""
        reformulator = Reformulator(
            self.dialogue, self.models.reformulation, self.limits.reformulation
        )
        return await reformulator.reformulate(task)

    async def analyse(
        self, task: AnalysisTask, snapshot: Snapshot, on_partial: Callable[[Analysis, float], None]
    ) -> Answer[Analysis]:
        """Say what one source says about one angle, each claim with a quote that is in it."""
        analyst = Analyst(self.dialogue, self.models.analysis, self.limits.analysis)
        return await analyst.analyse(task, snapshot, on_partial)

    async def contradict(self, task: DetectionTask) -> Answer[tuple[Disagreement, ...]]:
        """Find the claims of different sources that cannot both be true."""
        detector = Detector(self.dialogue, self.models.detection, self.limits.detection)
        return await detector.contradict(task)

    async def debate(self, task: DebateTask) -> Answer[tuple[Challenge, ...]]:
        """Say what one participant has to say about the claims."""
        debater = Debater(self.dialogue, self.models.debate, self.limits.debate)
        return await debater.debate(task)

    async def compare_by_rules(self, task: DetectionTask) -> tuple[Disagreement, ...]:
        """Compare numbers, dates and names in fixed forms; no model is called."""
        return await asyncio.to_thread(contradictions, task)

    async def debate_by_rules(self, task: DebateTask) -> tuple[Challenge, ...]:
        """Count support, contradictions and weak sources; no model is called."""
        return await asyncio.to_thread(debate, task)

    async def synthesise(self, evidence: SynthesisInput) -> Answer[Synthesis]:
        """Write prose that holds against its claims."""
        synthesiser = Synthesiser(self.dialogue, self.models.synthesis, self.limits.synthesis)
        return await synthesiser.synthesise(evidence)

    async def excerpts(self, evidence: SynthesisInput) -> Synthesis:
        """Put the best quotes together as they are; no model is called."""
        return await asyncio.to_thread(quoted, evidence)

    async def write(self, task: WritingTask) -> Answer[Synthesis]:
        """Format prose, piece by piece, where what comes back says the same."""
        writer = Writer(self.dialogue, self.models.writing, self.limits.writing)
        return await writer.write(task)

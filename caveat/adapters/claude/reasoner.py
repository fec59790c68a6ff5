"""The reasoner that is Claude: each role a model, each answer checked by code."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from caveat.adapters.claude.messages.dialogue import Dialogue
from caveat.adapters.claude.roles import (
    analyst,
    debater,
    detector,
    planner,
    reformulator,
    synthesiser,
    verifier,
)
from caveat.adapters.claude.roles.role import PlayedRole, Role
from caveat.adapters.claude.roles.table import Models
from caveat.adapters.claude.roles.tariff import tariff
from caveat.contracts.claim import Analysis, Claim
from caveat.contracts.contradiction import Disagreement
from caveat.contracts.debate import Challenge, DebateMessage
from caveat.contracts.plan import Assignment, ReasonerCard
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
from caveat.ports import Answer, Rules
from caveat.rules.contradictions.disagreements import united
from caveat.rules.report import by_language_models


@dataclass(frozen=True)
class ClaudeReasoner:
    """Plans, reads and writes with language models; see `ports.Reasoner`.

    Every method makes one call and at most one more, to mend what code found wrong, and raises
    `PortFailure` with what was spent where there is no answer.
    """

    dialogue: Dialogue
    rules: Rules  # what compares and writes where no model does, or its answer does not hold
    models: Models = field(default_factory=Models)

    @property
    def card(self) -> ReasonerCard:
        """Who this is, as every report states it."""
        return ReasonerCard(
            name="claude",
            disclosure=by_language_models(self.models.names),
            uses_language_model=True,
        )

    async def tariff(self) -> Tariff:
        """What a call of each role takes at most."""
        return tariff(self.models, self.dialogue.connection.prices)

    async def plan(self, task: PlanningTask) -> Answer[tuple[Assignment, ...]]:
        """Split a topic into at most `task.wanted` angles."""
        return await planner.plan(task, self._part(planner.ROLE))

    async def reformulate(self, task: ReformulationTask) -> Answer[Reformulation]:
        """Offer a query in other words than those tried, or none."""
        return await reformulator.reformulate(task, self._part(reformulator.ROLE))

    async def analyse(
        self, task: AnalysisTask, snapshot: Snapshot, on_partial: Callable[[Analysis, float], None]
    ) -> Answer[Analysis]:
        """Say what one source says about one angle, each claim with a quote that is in it."""
        return await analyst.analyse(task, snapshot, on_partial, self._part(analyst.ROLE))

    async def contradict(self, task: DetectionTask) -> Answer[tuple[Disagreement, ...]]:
        """Find the claims of different sources that cannot both be true."""
        return await detector.contradict(task, self._part(detector.ROLE))

    async def debate(self, task: DebateTask) -> Answer[tuple[Challenge, ...]]:
        """Say what one participant has to say about the claims."""
        return await debater.debate(task, self._part(debater.ROLE))

    async def reply(self, task: ReplyTask) -> Answer[tuple[DebateMessage, ...]]:
        """Say what one participant answers the others."""
        return await debater.reply(task, self._part(debater.RESPONDENT))

    async def compare_by_rules(self, task: DetectionTask) -> tuple[Disagreement, ...]:
        """Compare numbers, dates and names in fixed forms; no model is called.

        A text says whole what its quote says of "it", and code has held it to the quote.
        """
        texts = tuple(map(_by_its_text, task.claims))
        told = task.model_copy(update={"claims": texts})
        found = await asyncio.to_thread(self.rules.contradictions, task)
        more = await asyncio.to_thread(self.rules.contradictions, told)
        return united(found, more, task.claims)

    async def synthesise(self, task: SynthesisTask) -> Answer[Synthesis]:
        """Answer the question from claims, and write the prose of a report."""
        return await synthesiser.synthesise(task, self._part(synthesiser.ROLE), self.rules)

    async def excerpts(self, task: SynthesisTask) -> Synthesis:
        """Put the best quotes together as they are; no model is called."""
        return await asyncio.to_thread(self.rules.excerpts, task.evidence)

    async def verify(self, task: VerificationTask) -> Answer[Synthesis]:
        """Hold sentences against the quotes that they cite, by code and by a second reader."""
        return await verifier.verify(task, self._part(verifier.ROLE))

    async def revise(self, task: RevisionTask) -> Answer[Synthesis]:
        """Write sentences anew that their quotes do not carry."""
        return await synthesiser.revise(task, self._part(synthesiser.REVISER))

    async def await_batch(self, name: str) -> int:
        """Wait until a batch has ended, and keep its answers; see `ports.Batching`."""
        return 0 if self.dialogue.batches is None else await self.dialogue.batches.fetch(name)

    async def cancel_batch(self, name: str) -> None:
        """Have what is not answered of a batch left undone."""
        if self.dialogue.batches is not None:
            await self.dialogue.batches.cancel(name)

    def _part(self, role: Role) -> PlayedRole:
        return PlayedRole(role, self.models.of(role.name), self.dialogue)


def _by_its_text(claim: Claim) -> Claim:
    end = claim.start + len(claim.text)
    return claim.model_copy(update={"quote": claim.text, "end": end})

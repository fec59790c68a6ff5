"""What a reasoner does for a run: plan, reword, read for meaning, compare, debate and write."""

import asyncio
from dataclasses import dataclass, field

from temporalio import activity

from caveat.activities.subagent import Attempt, apart, subagent
from caveat.contracts.claim import Analysis
from caveat.contracts.contradiction import Disagreement
from caveat.contracts.debate import Challenge, DebateMessage
from caveat.contracts.envelope import AgentType, SubagentResult, Usage
from caveat.contracts.plan import Plan
from caveat.contracts.source import Snapshot
from caveat.contracts.spending import Tariff
from caveat.contracts.synthesis import Synthesis
from caveat.contracts.tasks import (
    AnalysisTask,
    Batch,
    BatchTask,
    DebateTask,
    DetectionTask,
    PlanningTask,
    Reformulation,
    ReformulationTask,
    ReplyTask,
    RevisionTask,
    SynthesisTask,
    TariffTask,
    VerificationTask,
)
from caveat.failures import invalid
from caveat.ports import Batching, Planned, Reasoner, Snapshots
from caveat.rules.contradictions.disagreements import sound, united
from caveat.rules.evidence import merged, verified, worded
from caveat.rules.run.debate import answered, attached
from caveat.teams.catalogue import TeamCatalogue
from caveat.teams.team import assigned, with_critical


@dataclass(frozen=True)
class ReasoningActivities:
    """Asks a reasoner, and checks by rules what it says."""

    reasoner: Reasoner
    snapshots: Snapshots
    # whose specialists make a plan without it
    teams: TeamCatalogue = field(default_factory=TeamCatalogue)

    @subagent(AgentType.PLANNER)
    async def plan(self, task: PlanningTask, attempt: Attempt) -> SubagentResult[Plan]:
        """Make the assignments of a run: of a team's specialists, else the reasoner's."""
        team = await asyncio.to_thread(self.teams.team, task.team)
        if team.specialists:
            assignments, usage, by = assigned(team, task.topic), Usage(), ""
            asked: tuple[str, ...] = ()
        else:
            answer = await self.reasoner.plan(task)
            assignments, usage, by = answer.value, answer.usage, self._name
            asked = answer.questions if isinstance(answer, Planned) and task.may_ask else ()
        plan = Plan(
            assignments=with_critical(assignments, task.critical, team),
            reasoner=self.reasoner.card,
            quorum=team.quorum,
            debate=team.debate and self.reasoner.card.uses_language_model,
            questions=asked,
        )
        return attempt.done(plan, usage=usage, by=by)

    @subagent(AgentType.PLANNER)
    async def tariff(self, task: TariffTask, attempt: Attempt) -> SubagentResult[Tariff]:
        """Say what model calls take at most; no model is called for it."""
        return attempt.done(await self.reasoner.tariff())

    @subagent(AgentType.MESSENGER)
    async def await_batch(self, task: BatchTask, attempt: Attempt) -> SubagentResult[Batch]:
        """Wait for a batch of model calls; cancelled with its run, it has the batch cancelled."""
        if not isinstance(self.reasoner, Batching):
            raise invalid("This reasoner makes no batches.", resource=task.name)
        try:
            answered = await self.reasoner.await_batch(task.name)
        except asyncio.CancelledError:
            details = activity.cancellation_details()
            if details is not None and details.cancel_requested:  # a worker that ends asks nothing
                await self.reasoner.cancel_batch(task.name)
            raise
        return attempt.done(Batch(name=task.name, answered=answered))

    @subagent(AgentType.PLANNER)
    async def reformulate(
        self, task: ReformulationTask, attempt: Attempt
    ) -> SubagentResult[Reformulation]:
        """Offer another query, or none."""
        answer = await self.reasoner.reformulate(task)
        return attempt.done(answer.value, usage=answer.usage, by=self._name)

    @subagent(AgentType.ANALYST)
    async def analyse(self, task: AnalysisTask, attempt: Attempt) -> SubagentResult[Analysis]:
        """Return the claims whose quotes are in the snapshot; others are thrown away, counted.

        What an earlier attempt had looked at before it broke off is not looked at again.
        """
        before = attempt.found_before(Analysis)
        had = before if before is not None and before.read_to > task.start_at else None
        if had is not None:
            # Before anything is awaited: the next sign of life must not forget it.
            attempt.report(had, attempt.left.completeness if attempt.left else 0.0)
        snapshot = await self.snapshots.open(task.snapshot_sha256)
        had = await apart(_held, had, snapshot, task) if had else Analysis(read_to=task.start_at)
        usage = Usage()
        if had.read_to < len(snapshot.text):
            before = had
            answer = await self.reasoner.analyse(
                task.model_copy(update={"start_at": had.read_to}),
                snapshot,
                lambda found, share: attempt.report(
                    merged(before, _verified(found, snapshot, task)), share
                ),
            )
            found = await apart(_held, answer.value, snapshot, task)
            had, usage = merged(had, found), answer.usage
        nothing = f"“{task.source.title}” has no passage on what was asked."
        gaps = () if had.claims else (nothing,)
        return attempt.done(had, usage=usage, gaps=gaps, by=self._name)

    @subagent(AgentType.DETECTOR)
    async def detect(
        self, task: DetectionTask, attempt: Attempt
    ) -> SubagentResult[tuple[Disagreement, ...]]:
        """Return the claims that disagree; what names no two claims of two sources is dropped.

        Rules compare beside a language model: a page that it obeys hides nothing from them.
        """
        if task.by_code:
            return attempt.done(sound(await self.reasoner.compare_by_rules(task), task.claims))
        answer = await self.reasoner.contradict(task)
        if not self.reasoner.card.uses_language_model:
            return attempt.done(sound(answer.value, task.claims), usage=answer.usage, by=self._name)
        by_rules = await self.reasoner.compare_by_rules(task)
        found = united(answer.value, by_rules, task.claims)
        envelope = attempt.done(found, usage=answer.usage, by=self._name)
        return envelope.model_copy(update={"by_rules": True})

    @subagent(AgentType.DEBATER)
    async def debate(
        self, task: DebateTask, attempt: Attempt
    ) -> SubagentResult[tuple[Challenge, ...]]:
        """Return what one participant says of the claims; what names no claim is left out."""
        answer = await self.reasoner.debate(task)
        return attempt.done(attached(answer.value, task.claims), usage=answer.usage, by=self._name)

    @subagent(AgentType.RESPONDENT)
    async def reply(
        self, task: ReplyTask, attempt: Attempt
    ) -> SubagentResult[tuple[DebateMessage, ...]]:
        """Return what one participant answers; what answers nothing that was said is left out."""
        answer = await self.reasoner.reply(task)
        kept = answered(answer.value, task.debate, task.participant, task.round, task.claims)
        return attempt.done(kept, usage=answer.usage, by=self._name)

    @subagent(AgentType.SYNTHESISER)
    async def synthesise(self, task: SynthesisTask, attempt: Attempt) -> SubagentResult[Synthesis]:
        """Write the report's prose from claims alone, or put their quotes together."""
        if task.by_code:
            return attempt.done(await self.reasoner.excerpts(task))
        answer = await self.reasoner.synthesise(task)
        return attempt.done(answer.value, usage=answer.usage, by=self._name)

    @subagent(AgentType.VERIFIER)
    async def verify(self, task: VerificationTask, attempt: Attempt) -> SubagentResult[Synthesis]:
        """Hold the sentences of a synthesis against the quotes that they cite."""
        answer = await self.reasoner.verify(task)
        return attempt.done(answer.value, usage=answer.usage, by=self._name)

    @subagent(AgentType.SYNTHESISER)
    async def revise(self, task: RevisionTask, attempt: Attempt) -> SubagentResult[Synthesis]:
        """Write the sentences anew that their quotes do not carry."""
        answer = await self.reasoner.revise(task)
        return attempt.done(answer.value, usage=answer.usage, by=self._name)

    @property
    def _name(self) -> str:
        return self.reasoner.card.name


def _held(found: Analysis, snapshot: Snapshot, task: AnalysisTask) -> Analysis:
    """Hold the claims against what the source says, quotes and texts."""
    kept = _verified(found, snapshot, task)
    source = found.document.told_of(task.source) if found.document else task.source
    asked = " ".join((task.topic, *(each.question for each in task.assignments)))
    return kept.model_copy(update={"claims": worded(kept.claims, source, asked)})


def _verified(found: Analysis, snapshot: Snapshot, task: AnalysisTask) -> Analysis:
    kinds = {each.id: each.figures for each in task.assignments}
    claims, rejected = verified(found.claims, snapshot, kinds)
    return found.model_copy(
        update={"claims": claims, "rejected_quotes": found.rejected_quotes + rejected}
    )

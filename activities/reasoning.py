"""What a reasoner does for a run, an activity a role, and what its calls take."""

import asyncio
from dataclasses import dataclass, field
from itertools import chain

from caveat.activities.subagent import Attempt, declare_subagent
from caveat.contracts.contradiction import Disagreement
from caveat.contracts.envelope import AgentType, R, SubagentResult, Usage
from caveat.contracts.phase import RateCard
from caveat.contracts.plan import Plan
from caveat.contracts.source import Analysis, Claim, Snapshot
from caveat.contracts.synthesis import Challenge, Synthesis
from caveat.contracts.tasks import (
    AnalysisTask,
    DebateTask,
    DetectionTask,
    LookupTask,
    PlanningTask,
    RateCardTask,
    Reformulation,
    ReformulationTask,
    RevisionTask,
    SynthesisTask,
    VerificationTask,
)
from caveat.ports import Answer, Planned, Rules, Snapshots
from caveat.roles.analyst import ANALYSE
from caveat.roles.debater import DEBATE
from caveat.roles.detector import DETECT
from caveat.roles.planner import PLAN
from caveat.roles.reformulator import REFORMULATE
from caveat.roles.role import A, Reasoner, Role
from caveat.roles.synthesiser import REVISE, SYNTHESISE
from caveat.roles.verifier import VERIFY
from caveat.rules.contradictions.disagreements import filter_disagreements, merge_disagreements
from caveat.rules.evidence.claims import merge_analyses, verify_quotes, widen_quotes
from caveat.rules.report.values import state_sides
from caveat.teams.team import TeamCatalogue, build_assignments, mark_critical
from caveat.threads import run_in_thread


@dataclass(frozen=True)
class ReasoningActivities:
    """Asks a reasoner, and checks by rules what it says."""

    reasoner: Reasoner
    snapshots: Snapshots
    rules: Rules
    # whose specialists make a plan without it
    teams: TeamCatalogue = field(default_factory=TeamCatalogue)

    @declare_subagent(AgentType.PLANNER)
    async def plan(self, task: PlanningTask, attempt: Attempt) -> SubagentResult[Plan]:
        """Make the assignments of a run: of a team's specialists, else the reasoner's."""
        team, card = await asyncio.to_thread(self.teams.read_team, task.team), self.reasoner.card
        answer = Answer(build_assignments(team, task.topic))
        if not team.specialists:
            answer = await self.reasoner.ask(PLAN, task)
        plan = Plan(
            assignments=mark_critical(answer.value, task.critical, team),
            reasoner=card,
            quorum=team.quorum,
            debate=team.debate and card.uses_language_model,
            questions=answer.questions if isinstance(answer, Planned) and task.may_ask else (),
        )
        by = "" if team.specialists else card.name
        return attempt.wrap_result(plan, usage=answer.usage, by=by)

    @declare_subagent(AgentType.PLANNER)
    async def reformulate(
        self, task: ReformulationTask, attempt: Attempt
    ) -> SubagentResult[Reformulation]:
        return await self._ask(REFORMULATE, task, attempt)

    @declare_subagent(AgentType.ANALYST)
    async def analyse(self, task: AnalysisTask, attempt: Attempt) -> SubagentResult[Analysis]:
        """Return the claims whose quotes are in the snapshot; others are thrown away, counted."""
        # What an earlier attempt had looked at before it broke off is not looked at again.
        had, share = attempt.read_earlier_result(Analysis)
        had = had if had is not None and had.read_to > task.start_at else None
        if had is not None:  # before anything is awaited: the next sign of life must not forget it
            attempt.report(had, share)
        snapshot = await self.snapshots.open(task.snapshot_sha256)
        had = (
            await run_in_thread(_check_claims, had, snapshot, task)
            if had
            else Analysis(read_to=task.start_at)
        )
        usage = Usage()
        if had.read_to < len(snapshot.text):
            before = had
            answer = await self.reasoner.ask(
                ANALYSE,
                task.model_copy(update={"start_at": had.read_to}),
                snapshot,
                lambda analysis, share: attempt.report(
                    merge_analyses(before, _verify_quotes(analysis, snapshot)), share
                ),
            )
            analysis = await run_in_thread(_check_claims, answer.value, snapshot, task)
            had, usage = merge_analyses(had, analysis), answer.usage
        gaps = () if had.claims else (f"“{task.source.title}” has no passage on what was asked.",)
        return attempt.wrap_result(had, usage=usage, gaps=gaps, by=self.reasoner.card.name)

    @declare_subagent(AgentType.DETECTOR)
    async def detect(
        self, task: DetectionTask, attempt: Attempt
    ) -> SubagentResult[tuple[Disagreement, ...]]:
        """Return the claims that disagree; what names no two claims of two sources is dropped."""
        # Rules compare beside a language model: a page that it obeys hides nothing from them.
        card = self.reasoner.card
        answer = Answer[tuple[Disagreement, ...]](())
        if not task.by_code:
            answer = await self.reasoner.ask(DETECT, task)
        disagreements = filter_disagreements(answer.value, task.claims)
        if card.uses_language_model or task.by_code:
            by_rules = await asyncio.to_thread(self.rules.find_contradictions, task)
            disagreements = merge_disagreements(answer.value, by_rules, task.claims)
        envelope = attempt.wrap_result(
            state_sides(disagreements, task.claims),
            usage=answer.usage,
            by="" if task.by_code else card.name,
        )
        is_both = card.uses_language_model and not task.by_code
        return envelope.model_copy(update={"by_rules": is_both})

    @declare_subagent(AgentType.DEBATER)
    async def debate(
        self, task: DebateTask, attempt: Attempt
    ) -> SubagentResult[tuple[Challenge, ...]]:
        return await self._ask(DEBATE, task, attempt)

    @declare_subagent(AgentType.SYNTHESISER)
    async def synthesise(self, task: SynthesisTask, attempt: Attempt) -> SubagentResult[Synthesis]:
        """Write the report's prose from claims alone, or put their quotes together."""
        if task.by_code:
            quoted = await asyncio.to_thread(self.rules.write_excerpts, task.evidence)
            return attempt.wrap_result(quoted)
        return await self._ask(SYNTHESISE, task, attempt)

    @declare_subagent(AgentType.VERIFIER)
    async def verify(self, task: VerificationTask, attempt: Attempt) -> SubagentResult[Synthesis]:
        return await self._ask(VERIFY, task, attempt)

    @declare_subagent(AgentType.SYNTHESISER)
    async def revise(self, task: RevisionTask, attempt: Attempt) -> SubagentResult[Synthesis]:
        return await self._ask(REVISE, task, attempt)

    @declare_subagent(AgentType.SEARCHER)
    async def look_up(
        self, task: LookupTask, attempt: Attempt
    ) -> SubagentResult[tuple[Claim, ...]]:
        """Quote the sentences of kept texts that answer a question best; no model is called."""
        texts = [
            (source, await self.snapshots.open(task.texts[source.id])) for source in task.sources
        ]
        claims = await run_in_thread(self.rules.find_passages, task.question, texts, task.wanted)
        snapshots = {source.id: snapshot for source, snapshot in texts}
        checked = [verify_quotes([claim], snapshots[claim.source_id])[0] for claim in claims]
        return attempt.wrap_result(tuple(chain.from_iterable(checked)))

    @declare_subagent(AgentType.PLANNER)
    async def rate_card(self, task: RateCardTask, attempt: Attempt) -> SubagentResult[RateCard]:
        """Say what model calls take at most; no model is called for it."""
        return attempt.wrap_result(await self.reasoner.rate_card())

    async def _ask(self, role: Role[A, R], task: A, attempt: Attempt) -> SubagentResult[R]:
        answer = await self.reasoner.ask(role, task)
        return attempt.wrap_result(answer.value, usage=answer.usage, by=self.reasoner.card.name)


def _check_claims(analysis: Analysis, snapshot: Snapshot, task: AnalysisTask) -> Analysis:
    """Hold the claims against what the source says."""
    verified = _verify_quotes(analysis, snapshot)
    source = analysis.document.apply_to(task.source) if analysis.document else task.source
    return verified.model_copy(update={"claims": widen_quotes(verified.claims, source)})


def _verify_quotes(analysis: Analysis, snapshot: Snapshot) -> Analysis:
    claims, rejected = verify_quotes(analysis.claims, snapshot)
    return analysis.model_copy(
        update={"claims": claims, "rejected_quotes": analysis.rejected_quotes + rejected}
    )

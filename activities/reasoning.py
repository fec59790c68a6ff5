"""What a reasoner does for a run: an activity a role, and what its calls take."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from caveat.activities.subagent import Attempt, create_activity, declare_subagent
from caveat.contracts.claim import Claim
from caveat.contracts.envelope import AgentType, R, SubagentResult
from caveat.contracts.spending import RateCard
from caveat.contracts.tasks import LookupTask, RateCardTask
from caveat.ports import Rules, Snapshots
from caveat.roles.role import A, Desk, Reasoner, Role
from caveat.rules.evidence import verify_quotes
from caveat.teams.team import TeamCatalogue
from caveat.threads import run_in_thread


@dataclass(frozen=True)
class ReasoningActivities:
    """Asks a reasoner, and checks by rules what it says."""

    reasoner: Reasoner
    snapshots: Snapshots
    rules: Rules
    # whose specialists make a plan without it
    teams: TeamCatalogue = field(default_factory=TeamCatalogue)

    def build_activity(self, role: Role[A, Any, R]) -> Callable[..., Any]:
        async def run_role(task: A, attempt: Attempt) -> SubagentResult[R]:
            earlier, share = attempt.read_earlier_result(role.result)
            desk = Desk(
                role,
                self.reasoner,
                self.snapshots,
                self.rules,
                self.teams,
                earlier,
                share,
                attempt.report,
            )
            answer = await (role.carry_out(task, desk) if role.carry_out else desk.ask(task))
            by = "" if answer.by_code else self.reasoner.card.name
            envelope = attempt.wrap_result(
                answer.value, usage=answer.usage, gaps=answer.gaps, by=by
            )
            return envelope.model_copy(update={"by_rules": answer.by_rules})

        return create_activity(role, run_role)

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

"""What a reasoner does for a run: an activity a role, and what its calls take."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from caveat.activities.subagent import Attempt, create_activity, declare_subagent, list_activities
from caveat.contracts.envelope import AgentType, R, SubagentResult
from caveat.contracts.spending import RateCard
from caveat.contracts.tasks import RateCardTask
from caveat.ports import Rules, Snapshots
from caveat.roles.role import A, Desk, Reasoner, Role
from caveat.teams.catalogue import TeamCatalogue


@dataclass(frozen=True)
class ReasoningActivities:
    """Asks a reasoner, and checks by rules what it says."""

    reasoner: Reasoner
    snapshots: Snapshots
    rules: Rules
    # whose specialists make a plan without it
    teams: TeamCatalogue = field(default_factory=TeamCatalogue)

    def build_activities(
        self, roles: Iterable[Role[Any, Any, Any]]
    ) -> tuple[Callable[..., Any], ...]:
        """Return the activities of some roles, and those that belong to every reasoner."""
        return (*map(self.build_activity, roles), *list_activities(self))

    def build_activity(self, role: Role[A, Any, R]) -> Callable[..., Any]:
        """Return the activity of a role."""

        async def run_role(task: A, attempt: Attempt) -> SubagentResult[R]:
            found, share = attempt.read_earlier_result(role.result)
            desk = Desk(
                role,
                self.reasoner,
                self.snapshots,
                self.rules,
                self.teams,
                found,
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

    @declare_subagent(AgentType.PLANNER)
    async def rate_card(self, task: RateCardTask, attempt: Attempt) -> SubagentResult[RateCard]:
        """Say what model calls take at most; no model is called for it."""
        return attempt.wrap_result(await self.reasoner.rate_card())

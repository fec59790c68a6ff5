"""The planner: splits a topic into assignments, and rewords queries."""

from dataclasses import dataclass

from temporalio import activity

from activities.envelopes import done
from activities.failures import subagent
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.plan import Plan
from caveat.contracts.tasks import PlanningTask, Reformulation, ReformulationTask
from caveat.ports import Reasoner
from caveat.teams.catalogue import team


@dataclass(frozen=True)
class Planner:
    """Plans with a reasoner, within the rules of a team."""

    reasoner: Reasoner

    @activity.defn(name="plan")
    @subagent(AgentType.PLANNER)
    async def plan(self, task: PlanningTask) -> SubagentResult[Plan]:
        """Make the assignments of a run."""
        members = team(task.team)
        answer = await self.reasoner.plan(task)
        plan = Plan(assignments=answer.value, reasoner=self.reasoner.card, quorum=members.quorum)
        return done(AgentType.PLANNER, task, plan, usage=answer.usage)

    @activity.defn(name="reformulate")
    @subagent(AgentType.PLANNER)
    async def reformulate(self, task: ReformulationTask) -> SubagentResult[Reformulation]:
        """Offer another query, or none."""
        answer = await self.reasoner.reformulate(task)
        return done(AgentType.PLANNER, task, answer.value, usage=answer.usage)

"""The planner: splits a topic into assignments, and rewords queries."""

import asyncio
from dataclasses import dataclass

from temporalio import activity

from activities.envelopes import done
from activities.failures import subagent
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.plan import Assignment, Plan
from caveat.contracts.spending import Tariff
from caveat.contracts.tasks import PlanningTask, Reformulation, ReformulationTask, TariffTask
from caveat.ports import Answer, Reasoner
from caveat.teams.catalogue import TeamCatalogue
from caveat.teams.staffing import assigned, with_critical
from caveat.teams.team import Team


@dataclass(frozen=True)
class Planner:
    """Plans with the specialists of a team, or with a reasoner for a team without any."""

    reasoner: Reasoner
    teams: TeamCatalogue

    @activity.defn(name="plan")
    @subagent(AgentType.PLANNER)
    async def plan(self, task: PlanningTask) -> SubagentResult[Plan]:
        """Make the assignments of a run."""
        team = await asyncio.to_thread(self.teams.team, task.team)
        answer = await self._assignments(team, task)
        plan = Plan(
            assignments=with_critical(answer.value, task.critical, team),
            reasoner=self.reasoner.card,
            quorum=team.quorum,
        )
        asked = "" if team.specialists else self.reasoner.card.name
        return done(AgentType.PLANNER, task, plan, usage=answer.usage, reasoner=asked)

    @activity.defn(name="tariff")
    @subagent(AgentType.PLANNER)
    async def tariff(self, task: TariffTask) -> SubagentResult[Tariff]:
        """Say what model calls take at most; no model is called for it."""
        return done(AgentType.PLANNER, task, await self.reasoner.tariff())

    @activity.defn(name="reformulate")
    @subagent(AgentType.PLANNER)
    async def reformulate(self, task: ReformulationTask) -> SubagentResult[Reformulation]:
        """Offer another query, or none."""
        answer = await self.reasoner.reformulate(task)
        reasoner = self.reasoner.card.name
        return done(AgentType.PLANNER, task, answer.value, usage=answer.usage, reasoner=reasoner)

    async def _assignments(self, team: Team, task: PlanningTask) -> Answer[tuple[Assignment, ...]]:
        if team.specialists:
            return Answer(assigned(team, task.topic))
        return await self.reasoner.plan(task)

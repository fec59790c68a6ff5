"""The gatekeeper's errand: new credentials for a provider."""

from dataclasses import dataclass

from temporalio import activity

from activities.envelopes import done
from activities.failures import subagent
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.tasks import Refreshed, RefreshTask
from caveat.ports import Credentials


@dataclass(frozen=True)
class Gatekeeper:
    """Refreshes credentials; the secrets themselves never leave the worker."""

    credentials: Credentials

    @activity.defn(name="refresh_credentials")
    @subagent(AgentType.GATEKEEPER)
    async def refresh(self, task: RefreshTask) -> SubagentResult[Refreshed]:
        """Get new credentials for a provider."""
        await self.credentials.refresh(task.provider)
        return done(AgentType.GATEKEEPER, task, Refreshed(provider=task.provider))

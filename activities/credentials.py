"""New credentials for a provider that refused the old ones."""

from dataclasses import dataclass

from caveat.activities.subagent import Attempt, subagent
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.tasks import Refreshed, RefreshTask
from caveat.ports import Credentials


@dataclass(frozen=True)
class CredentialActivities:
    """Refreshes credentials; the secrets themselves never leave the worker."""

    credentials: Credentials

    @subagent(AgentType.GATEKEEPER, name="refresh_credentials")
    async def refresh(self, task: RefreshTask, attempt: Attempt) -> SubagentResult[Refreshed]:
        """Get new credentials for a provider."""
        await self.credentials.refresh(task.provider)
        return attempt.done(Refreshed(provider=task.provider))

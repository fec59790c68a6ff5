"""The librarian: takes stock of the corpus."""

from dataclasses import dataclass

from temporalio import activity

from activities.envelopes import done
from activities.failures import subagent
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.tasks import Inventory, StockTask
from caveat.ports import Library


@dataclass(frozen=True)
class Librarian:
    """Brings the index of a corpus up to date."""

    library: Library

    @activity.defn(name="take_stock")
    @subagent(AgentType.LIBRARIAN)
    async def take_stock(self, task: StockTask) -> SubagentResult[Inventory]:
        """Say what can be searched, and which documents cannot be read."""
        inventory = await self.library.take_stock(task.corpus, on_progress=lambda _: None)
        return done(AgentType.LIBRARIAN, task, inventory)

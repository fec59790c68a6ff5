"""The librarian: takes stock of the corpus."""

from dataclasses import dataclass

from temporalio import activity

from activities.envelopes import done
from activities.failures import subagent
from caveat.contracts.backend import Backend
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.tasks import Inventory, StockTask
from caveat.ports import Library, Reasoner, SearchEngine, SearchEngines


@dataclass(frozen=True)
class Librarian:
    """Brings the index of a corpus up to date, and says who works on it and asks which engines."""

    library: Library
    engine: SearchEngine
    backend: Backend
    reasoner: Reasoner

    @activity.defn(name="take_stock")
    @subagent(AgentType.LIBRARIAN)
    async def take_stock(self, task: StockTask) -> SubagentResult[Inventory]:
        """Say what can be searched, what cannot be read, and what was not looked at."""
        inventory = await self.library.take_stock(
            task.corpus, on_progress=lambda _: None, exclude=task.exclude
        )
        if isinstance(self.engine, SearchEngines):
            # As the search itself will choose: by the folders that this run searches.
            engines = self.engine.names(inventory.corpus)
            inventory = inventory.model_copy(update={"engines": engines})
        taken = inventory.model_copy(
            update={"backend": self.backend, "reasoner": self.reasoner.card}
        )
        return done(AgentType.LIBRARIAN, task, taken)

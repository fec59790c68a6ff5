"""The searcher: one query, one activity."""

from dataclasses import dataclass

from temporalio import activity

from activities.envelopes import done
from activities.failures import subagent
from activities.heartbeats import CURRENT
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.source import SearchResults
from caveat.contracts.tasks import SearchTask
from caveat.failures import PartlySearched
from caveat.ports import SearchEngine


@dataclass(frozen=True)
class Searcher:
    """Runs queries on a search engine."""

    engine: SearchEngine

    @activity.defn(name="search")
    @subagent(AgentType.SEARCHER)
    async def search(self, task: SearchTask) -> SubagentResult[SearchResults]:
        """Run one query; nothing found is a success with a gap.

        Where some of several engines fail, what the others found travels with the failure.
        """
        try:
            results = await self.engine.search(task)
        except PartlySearched as partly:
            CURRENT.get().report(partly.results, partly.share)
            raise
        gaps = () if results.hits else (f"Nothing matches “{task.query}”.",)
        return done(AgentType.SEARCHER, task, results, gaps=gaps, usage=results.usage)

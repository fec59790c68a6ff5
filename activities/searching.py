"""The searcher: one query, one engine, one activity."""

from dataclasses import dataclass

from temporalio import activity

from activities.envelopes import done
from activities.failures import subagent
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.source import SearchResults
from caveat.contracts.tasks import SearchTask
from caveat.ports import SearchEngine


@dataclass(frozen=True)
class Searcher:
    """Runs queries on a search engine."""

    engine: SearchEngine

    @activity.defn(name="search")
    @subagent(AgentType.SEARCHER)
    async def search(self, task: SearchTask) -> SubagentResult[SearchResults]:
        """Run one query; nothing found is a success with a gap."""
        results = await self.engine.search(task)
        gaps = () if results.hits else (f"Nothing matches “{task.query}”.",)
        return done(AgentType.SEARCHER, task, results, gaps=gaps, usage=results.usage)

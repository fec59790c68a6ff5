"""The searches of one assignment: each query goes to every engine, each engine on its own account.

One activity an engine, and not one a query. So Temporal tries again only the engine that failed,
it is recovered by what is wrong with it (another query, its own wait, its own credentials),
its breaker stops nobody else, and the report names it; the others have been asked once, whatever it
does. What they found is merged here, by a pure rule.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from caveat.contracts.investigation import Unfinished, Work
from caveat.contracts.source import Hit, SearchResults
from caveat.contracts.tasks import SearchTask
from caveat.rules.sources import fused
from caveat.workflows.options import SEARCH
from caveat.workflows.research.tasks import Changes
from caveat.workflows.research.workload import Workload

Engine = str | None
"""The name of an engine; None for the one that has no name."""

SEARCHED = Changes[SearchTask, SearchResults](
    alternative=lambda task, query: task.model_copy(update={"query": query})
)


@dataclass
class Searches:
    """What an assignment has asked of the engines, and what they found.

    Attributes:
        corpus: folders to search.
        limit: sources that one search may return.
        work: of the assignment, in which each search is a piece.
        tried: every query, in the order in which they were put.
    """

    corpus: tuple[str, ...]
    limit: int
    work: Workload
    tried: list[str] = field(default_factory=list)
    _answers: dict[str, dict[Engine, SearchResults]] = field(default_factory=dict)

    async def put(self, query: str, engine: Engine = None) -> Sequence[Hit]:
        """Put a query to one engine, or to all that there are, and wait for each of them.

        Args:
            query: what to search for.
            engine: whom to ask; None asks all.

        Returns:
            What all engines that have answered it so far found, best first.
        """
        self.tried.append(query)
        asked = (engine,) if engine is not None else self._engines()
        await asyncio.gather(*(self._ask(query, each) for each in asked))
        return self._found(query)

    def has_answer(self, query: str | None, engine: Engine = None) -> bool:
        """Whether an engine has answered a query, if only that there is nothing.

        Args:
            query: what was searched for.
            engine: whose answer counts; None for anybody's.
        """
        answers = self._answers.get(query or "", {})
        return bool(answers) if engine is None else engine in answers

    def hits(self) -> list[Hit]:
        """Everything found, in the order of the queries and not of their answers."""
        found = (hit for query in self.tried for hit in self._found(query))
        return list({hit.source.id: hit for hit in found}.values())

    def _found(self, query: str) -> Sequence[Hit]:
        answers = self._answers.get(query, {})
        # In the engines' own order, so that it does not depend on which of them is faster.
        known = dict.fromkeys((*self._engines(), *answers))
        in_order = [answers[each] for each in known if each in answers]
        if len(known) == 1:  # its own scores say more than its ranks
            return in_order[0].hits if in_order else ()
        return fused(query, in_order, self.limit).hits

    def _engines(self) -> tuple[Engine, ...]:
        inventory = self.work.run.state.inventory
        return (inventory.engines if inventory else ()) or (None,)

    async def _ask(self, query: str, engine: Engine) -> None:
        task = SearchTask(
            task_id=self.work.run.new_id(f"{self.work.assignment_id}-search"),
            description=f"Search “{query[:120]}”" + (f" with {engine}" if engine else ""),
            query=query,
            corpus=self.corpus,
            limit=self.limit,
            engine=engine,
        )
        piece = Unfinished(work=Work.SEARCH, task_id=task.task_id, query=query, engine=engine)
        envelope = await self.work.do(SEARCH, task, piece, SEARCHED, address=engine)
        if envelope is None:
            return
        if envelope.result is not None:
            self._answers.setdefault(query, {})[engine] = envelope.result
        self.work.tally(envelope, piece)

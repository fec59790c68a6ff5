"""Claude's web search as a search engine."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anthropic.types import Message

from caveat.adapters.claude.messages.connection import Call, ModelConnection, Turn
from caveat.adapters.claude.messages.problems import Purpose
from caveat.adapters.claude.roles.data import block
from caveat.adapters.claude.roles.role import Bounds
from caveat.adapters.claude.roles.searcher import ROLE
from caveat.adapters.claude.search_results import harvest
from caveat.adapters.results import results
from caveat.contracts.source import SearchResults
from caveat.contracts.tasks import SearchTask
from caveat.failures import PortFailure
from caveat.spending import Meter

_log = logging.getLogger(__name__)

TOOL = "web_search_20250305"
"""The version that hands results over as they are found; later ones let the model filter them
first, in a program of its own, so that nobody sees what was left out."""

MOST_USES = 3
"""Searches for one query at most; what needs more is another query, which the run decides on."""

_ASKED = "Search the web for exactly the words in the block, once."


@dataclass(frozen=True)
class ClaudeSearch:
    """Lets the server of the Messages API search the web; see `ports.SearchEngine`.

    A model is asked to search, and its words are thrown away: only the results that the server
    itself puts into the answer count. What the server encrypts in them for its own use goes back
    to it where it pauses, and nowhere else.

    Attributes:
        connection: to the server.
        model: who is asked to search.
        bounds: of a search.
        max_uses: searches for one query, 1 to 3. One, because repeating a search that failed is
            not the model's to decide.
        allowed_domains: results come from these alone; empty means from anywhere.
        blocked_domains: results never come from these; only one of both can be given.
    """

    connection: ModelConnection
    model: str = ROLE.model
    bounds: Bounds = ROLE.bounds
    max_uses: int = 1
    allowed_domains: tuple[str, ...] = ()
    blocked_domains: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what the server would refuse at every search."""
        if not 1 <= self.max_uses <= MOST_USES:
            raise ValueError(f"A query takes 1 to {MOST_USES} searches, not {self.max_uses}.")
        if self.allowed_domains and self.blocked_domains:
            raise ValueError("Domains are either allowed or blocked: give one list of them.")

    async def search(self, task: SearchTask) -> SearchResults:
        """Run one query; empty results mean that the server searched and found nothing.

        Results that arrived count whatever comes after them: another search that failed, or an
        answer without an end.

        Raises:
            PortFailure: nobody searched; it carries what was spent all the same.
        """
        meter, provider = Meter(task.allowance), self.connection.provider
        purpose = Purpose(ROLE.agent, self.model, task.query, meter, provider)
        said: list[Message] = []
        broken = await self._heard(task.query, purpose, said)
        harvested = harvest(said, task.query)
        usage = self.connection.spent(said, purpose)
        if harvested.failure is not None:
            raise broken or purpose.failed(harvested.failure, usage=usage)
        if broken is not None:
            _log.warning("A web search ended early, with its results: %s", broken)
        found = results(task.query, harvested.results, task.limit)
        return found.model_copy(update={"usage": usage})

    async def _heard(self, query: str, purpose: Purpose, said: list[Message]) -> PortFailure | None:
        """Gather what the server says; return what broke it off."""
        deadline = asyncio.get_running_loop().time() + self.bounds.deadline_s
        try:
            await self.connection.listen(self._call(query), purpose, deadline, said)
        except PortFailure as broken:
            return broken
        return None

    def _call(self, query: str) -> Call:
        return Call(
            model=self.model,
            system=ROLE.instructions,
            schema=None,
            turns=(Turn("user", f"{block(query)}\n{_ASKED}"),),
            room=self.bounds.room,
            tools=(self._tool(),),
        )

    def _tool(self) -> Mapping[str, Any]:
        tool: dict[str, Any] = {"type": TOOL, "name": "web_search", "max_uses": self.max_uses}
        if self.allowed_domains:
            tool["allowed_domains"] = list(self.allowed_domains)
        if self.blocked_domains:
            tool["blocked_domains"] = list(self.blocked_domains)
        return tool

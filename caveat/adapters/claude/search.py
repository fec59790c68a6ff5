"""Claude's web search as a search engine.

What it found is read out of the server's result blocks, and never out of a model's prose.
"""

import asyncio
import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from anthropic.types import Message

from caveat.adapters.claude.messages import problems
from caveat.adapters.claude.messages.connection import Call, ModelConnection, Turn
from caveat.adapters.claude.messages.problems import ProblemKind, Purpose
from caveat.adapters.results import Result, build_results, find_objects, find_text
from caveat.contracts.envelope import FailureCategory, FailureType
from caveat.contracts.source import SearchResults
from caveat.contracts.tasks import SearchTask
from caveat.failures import PortFailure
from caveat.roles import models
from caveat.roles.data import format_block
from caveat.roles.role import Bounds

_log = logging.getLogger(__name__)

TOOL = "web_search_20250305"
"""The version that hands results over as they are found; later ones let the model filter them
first, in a program of its own, so that nobody sees what was left out."""

# One use: to repeat a search that failed is not the model's to decide.
_TOOL = {"type": TOOL, "name": "web_search", "max_uses": 1}

_ASKED = "Search the web for exactly the words in the block, once."

_RESULTS = "web_search_tool_result"

TOO_MANY = ProblemKind(FailureType.RATE_LIMITED, "asks for fewer searches")
OUT_OF_ORDER = ProblemKind(FailureType.UNAVAILABLE, "answers that its web search is out of order")
QUERY_TOO_LONG = ProblemKind(FailureType.PERMANENT, "finds the query too long", of_provider=False)
INVALID_QUERY = ProblemKind(
    FailureType.PERMANENT, "does not understand the query", of_provider=False
)
USED_UP = ProblemKind(
    FailureType.PERMANENT,
    "was allowed no more searches for this query",
    FailureCategory.BUSINESS,
    of_provider=False,
)
UNKNOWN_ERROR = ProblemKind(
    FailureType.PERMANENT, "answers that its web search failed and not how", FailureCategory.UNKNOWN
)
NOT_SEARCHED = ProblemKind(
    FailureType.UNAVAILABLE,
    "answered without searching, so that nobody knows what there is to find",
    of_provider=False,
)
"""A whim of the model's: asked again, it may search."""

_CODES: dict[str, ProblemKind] = {
    "too_many_requests": TOO_MANY,
    "unavailable": OUT_OF_ORDER,
    "query_too_long": QUERY_TOO_LONG,
    "request_too_large": problems.TOO_LARGE,
    "invalid_tool_input": INVALID_QUERY,
    "max_uses_exceeded": USED_UP,
}
"""Errors come inside an answer of status 200, so their codes are all that they say."""


@dataclass(frozen=True)
class ClaudeSearch:
    """Lets the server of the Messages API search the web; see `ports.SearchEngine`."""

    # A model is asked to search, and its words are thrown away: only the results that the server
    # itself puts into the answer count. What the server encrypts in them for its own use goes
    # nowhere.

    connection: ModelConnection
    model: str = models.SEARCH.model
    bounds: Bounds = models.SEARCH.bounds

    async def search(self, task: SearchTask) -> SearchResults:
        """Run one query; empty results mean that the server searched and found nothing."""
        # Results that arrived count whatever comes after them: another search that failed, or an
        # answer without an end.
        purpose = Purpose(models.SEARCH.agent, self.model, task.query, self.connection.provider)
        if task.room == 0:
            raise purpose.build_failure(problems.NO_BUDGET)
        messages: list[Message] = []
        broken: PortFailure | None = None
        deadline = asyncio.get_running_loop().time() + self.bounds.deadline_s
        call = Call(
            model=self.model,
            system=models.SEARCH.instructions,
            schema=None,
            turns=(Turn("user", f"{format_block(task.query)}\n{_ASKED}"),),
            room=self.bounds.room,
            tools=(_TOOL,),
        )
        try:
            await self.connection.listen(call, purpose, deadline, messages)
        except PortFailure as failed:
            broken = failed
        outcome = harvest(messages)
        usage = self.connection.sum_usage(messages, purpose)
        if isinstance(outcome, ProblemKind):
            raise broken or purpose.build_failure(outcome, usage=usage)
        if broken is not None:
            _log.warning("A web search ended early, with its results: %s", broken)
        results = build_results(task.query, outcome, task.limit)
        return results.model_copy(update={"usage": usage})


def harvest(messages: Iterable[Message]) -> tuple[Result, ...] | ProblemKind:
    """Read the result blocks of an answer, which may have broken off anywhere.

    Returns:
        The results, best first, one search after the other; where no search ended with any, nor
        with none, why nobody could look.
    """
    outcomes = [_read_outcome(part) for message in messages for part in _read_blocks(message)]
    searches = [outcome for outcome in outcomes if not isinstance(outcome, ProblemKind)]
    if searches:
        return tuple(result for search in searches for result in search)
    failures = [outcome for outcome in outcomes if isinstance(outcome, ProblemKind)]
    hopeful = (kind for kind in failures if kind.is_transient)  # what another try may help first
    return next(hopeful, failures[0] if failures else NOT_SEARCHED)


def _read_blocks(message: Message) -> Iterator[dict[str, object]]:
    # The SDK checks nothing of what it receives: only plain values can be read safely.
    content = message.content if isinstance(message.content, list) else []
    for part in content:
        if getattr(part, "type", None) == _RESULTS:
            yield part.to_dict(warnings=False)


def _read_outcome(part: dict[str, object]) -> tuple[Result, ...] | ProblemKind:
    content = part.get("content")
    if isinstance(content, dict):
        return _CODES.get(find_text(content, "error_code"), UNKNOWN_ERROR)
    if not isinstance(content, list):
        return problems.WRONG_SHAPE
    if not content:
        return ()
    pages = tuple(
        Result(
            url=find_text(page, "url"),
            title=find_text(page, "title"),
            published=find_text(page, "page_age"),
        )
        for page in find_objects(content)
        if find_text(page, "url")
    )
    return pages or problems.WRONG_SHAPE

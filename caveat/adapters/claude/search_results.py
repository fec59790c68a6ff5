"""What the server's web search found, out of its result blocks; never out of a model's prose."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from anthropic.types import Message

from caveat.adapters.claude.messages import problems
from caveat.adapters.claude.messages.problems import Kind
from caveat.adapters.results import Result, objects, text
from caveat.contracts.failure import FailureCategory, FailureType

_USE = "server_tool_use"
_RESULTS = "web_search_tool_result"

TOO_MANY = Kind(FailureType.RATE_LIMITED, "asks for fewer searches")
OUT_OF_ORDER = Kind(FailureType.UNAVAILABLE, "answers that its web search is out of order")
QUERY_TOO_LONG = Kind(FailureType.PERMANENT, "finds the query too long", of_provider=False)
INVALID_QUERY = Kind(FailureType.PERMANENT, "does not understand the query", of_provider=False)
USED_UP = Kind(
    FailureType.PERMANENT,
    "was allowed no more searches for this query",
    FailureCategory.BUSINESS,
    of_provider=False,
)
UNKNOWN_ERROR = Kind(
    FailureType.PERMANENT,
    "answers that its web search failed and not how",
    FailureCategory.UNKNOWN,
)
NOT_SEARCHED = Kind(
    FailureType.UNAVAILABLE,
    "answered without searching, so that nobody knows what there is to find",
    of_provider=False,
)
"""A whim of the model's: asked again, it may search."""
SEARCHED_OTHERWISE = Kind(
    FailureType.UNAVAILABLE,
    "searched for other words, and found nothing for those",
    of_provider=False,
)
"""Nobody knows yet whether there is anything for the words that were asked for."""

_CODES: dict[str, Kind] = {
    "too_many_requests": TOO_MANY,
    "unavailable": OUT_OF_ORDER,
    "query_too_long": QUERY_TOO_LONG,
    "request_too_large": problems.TOO_LARGE,
    "invalid_tool_input": INVALID_QUERY,
    "max_uses_exceeded": USED_UP,
}
"""Errors come inside an answer of status 200, so their codes are all that they say."""


@dataclass(frozen=True)
class Harvest:
    """What the searches of one answer came to.

    Attributes:
        searched: whether any search ended with results, be they none.
        results: best first, one search after the other.
        failures: of the other searches, in their order.
    """

    searched: bool
    results: tuple[Result, ...]
    failures: tuple[Kind, ...]

    @property
    def failure(self) -> Kind | None:
        """Why nobody could look: what another try may help first; None where somebody could."""
        if self.searched:
            return None
        hopeful = (kind for kind in self.failures if kind.is_transient)
        return next(hopeful, self.failures[0] if self.failures else NOT_SEARCHED)


def harvest(said: Iterable[Message], query: str) -> Harvest:
    """Read the result blocks of an answer, which may have broken off anywhere.

    Args:
        said: the answer, in as many messages as it took.
        query: what should have been searched for. Sources that were found for other words are
            sources all the same; that nothing was found counts for these words alone.
    """
    blocks = [block for message in said for block in _blocks(message)]
    others = _searches_for_other_words(blocks, query)
    outcomes = [_outcome(block, others) for block in blocks if block.get("type") == _RESULTS]
    found = [outcome for outcome in outcomes if not isinstance(outcome, Kind)]
    return Harvest(
        searched=bool(found),
        results=tuple(result for each in found for result in each),
        failures=tuple(outcome for outcome in outcomes if isinstance(outcome, Kind)),
    )


def _blocks(message: Message) -> Iterator[dict[str, object]]:
    # The SDK checks nothing of what it receives: only plain values can be read safely.
    content = message.content if isinstance(message.content, list) else []
    for block in content:
        if getattr(block, "type", None) in {_USE, _RESULTS}:
            yield block.to_dict(warnings=False)


def _searches_for_other_words(blocks: Iterable[dict[str, object]], query: str) -> frozenset[str]:
    """Return the ids of the searches that the model made for something else."""
    wanted = _words(query)
    searches = (block for block in blocks if block.get("type") == _USE)
    return frozenset(
        text(block, "id") for block in searches if _words(_searched_for(block)) != wanted
    )


def _searched_for(search: dict[str, object]) -> str:
    given = search.get("input")
    return text(given, "query") if isinstance(given, dict) else ""


def _words(query: str) -> frozenset[str]:
    # Quotation marks and other signs that a model adds do not change what is looked for.
    return frozenset(re.findall(r"\w+", query.casefold()))


def _outcome(block: dict[str, object], others: frozenset[str]) -> tuple[Result, ...] | Kind:
    content = block.get("content")
    if isinstance(content, dict):
        return _CODES.get(text(content, "error_code"), UNKNOWN_ERROR)
    if not isinstance(content, list):
        return problems.WRONG_SHAPE
    if not content:
        return SEARCHED_OTHERWISE if text(block, "tool_use_id") in others else ()
    results = tuple(
        Result(url=text(page, "url"), title=text(page, "title"), published=text(page, "page_age"))
        for page in objects(content)
        if text(page, "url")
    )
    return results or problems.WRONG_SHAPE

"""What models cost, and what a call took by that."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from caveat.contracts.envelope import Usage

if TYPE_CHECKING:  # the SDK takes longer to import than a price to look up
    from anthropic.types import Message


@dataclass(frozen=True)
class Tokens:
    """What one call consumed, as the provider reports it."""

    fresh: int = 0  # input tokens that no cache had a part in
    written: int = 0  # input tokens written to a cache entry of five minutes, as every call asks
    read: int = 0
    output: int = 0
    web_searches: int = 0

    @property
    def input(self) -> int:
        return self.fresh + self.written + self.read


MAKER = "anthropic"
"""What genai-prices calls the maker of the models, whose own API charges for searches too."""

_SEARCHES = 10.0  # US dollars for a thousand web searches of the maker's API


@dataclass(frozen=True)
class Prices:
    """What models cost, as the installed package genai-prices has it: nothing is fetched."""

    provider: str = MAKER  # what that package calls whoever serves the models

    def compute_cost(self, model: str, tokens: Tokens) -> float | None:
        """Work out what a call costs, US dollars; None where the price is not known."""
        # It takes longer to import than a worker that needs no price.
        from genai_prices import Usage as Used  # noqa: PLC0415  # slow to import
        from genai_prices import calc_price  # noqa: PLC0415  # slow to import

        if tokens.web_searches and self.provider != MAKER:
            return None
        used = Used(
            input_tokens=tokens.input,
            cache_write_tokens=tokens.written,
            cache_read_tokens=tokens.read,
            output_tokens=tokens.output,
        )
        try:
            cost = calc_price(used, model, provider_id=self.provider).total_price
        except LookupError:
            return None
        return float(cost) + tokens.web_searches * _SEARCHES / 1_000


def compute_usage(message: "Message", model: str, prices: Prices) -> Usage:
    """Sum up one call of a model, which may have ended before it said which one answers."""
    tokens = read_tokens(message)
    answered = message.model if isinstance(message.model, str) else model
    cost = None
    if tokens.input:  # no call sends nothing: else the server counts no tokens
        # A cloud has prices for its own names of a model, and its answers bear the maker's.
        is_cloud = prices.provider != MAKER
        cost = prices.compute_cost(model, tokens) if is_cloud else None
        cost = prices.compute_cost(answered, tokens) if cost is None else cost
    return Usage(
        model_calls=1,
        input_tokens=tokens.input,
        output_tokens=tokens.output,
        cost_usd=cost,
        models=(answered,),
    )


def read_tokens(message: "Message") -> Tokens:
    """Read how many tokens a call sent and received; 0 where the server did not count them."""
    # The SDK checks nothing of what it receives, so each number may be missing.
    usage = message.usage
    return Tokens(
        fresh=_count(usage, "input_tokens"),
        written=_count(usage, "cache_creation_input_tokens"),
        read=_count(usage, "cache_read_input_tokens"),
        output=_count(usage, "output_tokens"),
        web_searches=_count(getattr(usage, "server_tool_use", None), "web_search_requests"),
    )


def _count(holder: object, name: str) -> int:
    number = getattr(holder, name, None)
    return number if isinstance(number, int) and number > 0 else 0

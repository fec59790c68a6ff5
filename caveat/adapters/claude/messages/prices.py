"""What models cost: a dated table that can be replaced, and what a call took by it."""

import datetime as dt
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import Field, ValidationError

from caveat.contracts.base import Contract
from caveat.contracts.envelope import Usage
from caveat.failures import invalid
from caveat.rendering.mistakes import first_mistake

if TYPE_CHECKING:  # the SDK takes longer to import than a price to look up
    from anthropic.types import Message

_SHIPPED = "prices.toml"
_MILLION = 1_000_000
_DATED = re.compile(r"-\d{8}$")
"""A model's name with the day of its release names the same model."""


@dataclass(frozen=True)
class Tokens:
    """What one call consumed, as the provider reports it.

    Attributes:
        fresh: input tokens that no cache had a part in.
        written_5m: input tokens written to a cache entry of five minutes.
        written_1h: input tokens written to a cache entry of an hour.
        read: input tokens read from a cache.
        output: tokens received.
        web_searches: searches that the server made.
    """

    fresh: int = 0
    written_5m: int = 0
    written_1h: int = 0
    read: int = 0
    output: int = 0
    web_searches: int = 0

    @property
    def input(self) -> int:
        """Everything that was sent, cached or not."""
        return self.fresh + self.written_5m + self.written_1h + self.read


class Prices(Protocol):
    """Knows what calls cost."""

    def cost(self, model: str, tokens: Tokens) -> float | None:
        """Work out what a call costs, US dollars; None where the price is not known."""
        ...


class Price(Contract):
    """The price of one model, up to a length of prompt.

    Attributes:
        name: the model.
        up_to: tokens of the longest prompt that these rates hold for; None for any.
        input: US dollars per million tokens sent.
        output: US dollars per million tokens received.
        cache_read: price of a token read from the cache, as a multiple of `input`.
    """

    name: str
    up_to: int | None = Field(default=None, gt=0)
    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cache_read: float = Field(ge=0)


class CacheWrite(Contract):
    """What a token written to the cache costs, as a multiple of an input token."""

    five_minutes: float = Field(alias="5m", ge=0)
    one_hour: float = Field(alias="1h", ge=0)


class WebSearch(Contract):
    """What a thousand searches by the server cost, US dollars."""

    per_thousand: float = Field(ge=0)


class PriceTable(Contract):
    """Prices, and the day on which they were right.

    Attributes:
        as_of: when the prices were looked up.
        cache_write: multiples for writing to the cache.
        web_search: price of the server's searches.
        model: a row for each model and length of prompt, short prompts first.
    """

    as_of: dt.date
    cache_write: CacheWrite
    web_search: WebSearch
    model: tuple[Price, ...]

    def cost(self, model: str, tokens: Tokens) -> float | None:
        """Work out what a call costs, US dollars; None where the price is not known."""
        price = self._price(model, tokens.input)
        if price is None:
            return None
        sent = (
            tokens.fresh
            + tokens.written_5m * self.cache_write.five_minutes
            + tokens.written_1h * self.cache_write.one_hour
            + tokens.read * price.cache_read
        )
        by_token = (sent * price.input + tokens.output * price.output) / _MILLION
        return by_token + tokens.web_searches * self.web_search.per_thousand / 1_000

    def _price(self, model: str, prompt: int) -> Price | None:
        names = (model, _DATED.sub("", model))
        fitting = (
            row for row in self.model if row.name in names and (row.up_to or prompt) >= prompt
        )
        return next(fitting, None)


def price_table(file: Path | None = None) -> PriceTable:
    """Read a price table.

    Args:
        file: one of the user's own; None for the one that ships with Caveat.

    Raises:
        PortFailure: it cannot be read, or is none.
    """
    name = str(file) if file is not None else _SHIPPED
    try:
        return PriceTable.model_validate(_loaded(file))
    except OSError as error:
        raise invalid(f"The price table cannot be read: {error.strerror}.", resource=name) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise invalid(f"The price table is not TOML: {error}.", resource=name) from None
    except ValidationError as error:
        wrong = first_mistake(error)
        raise invalid(f"The price table has a mistake: {wrong}.", resource=name) from None


def _loaded(file: Path | None) -> Mapping[str, Any]:
    if file is not None:
        return tomllib.loads(file.read_text("utf-8"))
    return tomllib.loads(resources.files(__package__).joinpath(_SHIPPED).read_text("utf-8"))


@dataclass(frozen=True)
class PublishedPrices:
    """What a cloud asks, as the installed package genai-prices has it: nothing is fetched.

    Attributes:
        provider: what that package calls the cloud: its prices are not the maker's.
    """

    provider: str

    def cost(self, model: str, tokens: Tokens) -> float | None:
        """Work out what a call costs, US dollars; None where the price is not known."""
        # It takes longer to import than a worker that needs no price of a cloud.
        from genai_prices import Usage as Used  # noqa: PLC0415  # see above
        from genai_prices import calc_price  # noqa: PLC0415  # see above

        if tokens.web_searches or tokens.written_1h:
            return None  # of neither it has a price
        used = Used(
            input_tokens=tokens.input,
            cache_write_tokens=tokens.written_5m,
            cache_read_tokens=tokens.read,
            output_tokens=tokens.output,
        )
        try:
            return float(calc_price(used, model, provider_id=self.provider).total_price)
        except LookupError:
            return None


def spent(message: "Message", model: str, prices: Prices) -> Usage:
    """Sum up one call, which may have ended in the middle.

    Args:
        message: as far as it was received.
        model: the model that was asked for, where the message does not say which one answered.
        prices: the price table.

    Returns:
        One call with its tokens; its cost is None where the model's price is not known.
    """
    tokens = _tokens(message)
    answered = message.model if isinstance(message.model, str) else model
    return Usage(
        model_calls=1,
        input_tokens=tokens.input,
        output_tokens=tokens.output,
        cost_usd=_cost(answered, model, tokens, prices),
        models=(answered,),
    )


def counted(message: "Message") -> tuple[int, int]:
    """Say how many tokens a call sent and received; 0 where the server did not count them."""
    tokens = _tokens(message)
    return tokens.input, tokens.output


def _cost(answered: str, asked: str, tokens: Tokens, prices: Prices) -> float | None:
    if not tokens.input:  # no call sends nothing: the server counts no tokens
        return None
    if not isinstance(prices, PublishedPrices):
        return prices.cost(answered, tokens)
    # A cloud has prices for its own names of a model, and its answers bear the maker's.
    cost = prices.cost(asked, tokens)
    return prices.cost(answered, tokens) if cost is None else cost


def _tokens(message: "Message") -> Tokens:
    # The SDK checks nothing of what it receives, so each number may be missing.
    usage = message.usage
    written = _count(usage, "cache_creation_input_tokens")
    written_1h = _count(getattr(usage, "cache_creation", None), "ephemeral_1h_input_tokens")
    return Tokens(
        fresh=_count(usage, "input_tokens"),
        written_5m=max(0, written - written_1h),
        written_1h=written_1h,
        read=_count(usage, "cache_read_input_tokens"),
        output=_count(usage, "output_tokens"),
        web_searches=_count(getattr(usage, "server_tool_use", None), "web_search_requests"),
    )


def _count(holder: object, name: str) -> int:
    number = getattr(holder, name, None)
    return number if isinstance(number, int) and number > 0 else 0

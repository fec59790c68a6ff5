"""What a call cost, from what the provider reports of it."""

from anthropic.types import Message

from caveat.adapters.claude.prices import PriceTable, Tokens
from caveat.contracts.envelope import Usage


def spent(message: Message, model: str, prices: PriceTable) -> Usage:
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
        cost_usd=prices.cost(answered, tokens),
        models=(answered,),
    )


def _tokens(message: Message) -> Tokens:
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

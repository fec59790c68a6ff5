"""What a call of each role takes at most, before anything is asked."""

from caveat.adapters.claude.messages.prices import Prices, Tokens
from caveat.adapters.claude.messages.question import SEARCH_RESULTS
from caveat.contracts.spending import Rate, RateCard, Step
from caveat.roles.models import SETTINGS, Models
from caveat.roles.role import ModelSettings, compute_least_room

OVERHEAD = 1_500
"""Tokens of a call beside its material: the longest role's instructions and schema are some 800,
the topic has at most 2,000 characters."""

_PROMPT = 100_000  # tokens of a long prompt, whose rates hold where short ones are cheaper


def make_rate_card(models: Models, prices: Prices) -> RateCard:
    """Say what a call of each role takes at most."""
    booked = ((each, each.step) for each in SETTINGS.values() if each.step is not None)
    return RateCard(
        rates=tuple(_rate(each, step, models.find_model(each), prices) for each, step in booked)
    )


def _rate(settings: ModelSettings, step: Step, model: str, prices: Prices) -> Rate:
    nothing = prices.compute_cost(model, Tokens(fresh=_PROMPT))
    sent = prices.compute_cost(model, Tokens(written=_PROMPT))
    received = prices.compute_cost(model, Tokens(fresh=_PROMPT, output=_PROMPT))
    known = nothing is not None and sent is not None and received is not None
    search = prices.compute_cost(model, Tokens(fresh=_PROMPT, web_searches=settings.searches))
    return Rate(
        step=step,
        room=settings.bounds.most,
        least=compute_least_room(settings.bounds.room),
        overhead=OVERHEAD + settings.searches * SEARCH_RESULTS,
        input_usd=(sent or 0.0) / _PROMPT if known else None,
        output_usd=((received or 0.0) - (nothing or 0.0)) / _PROMPT if known else None,
        call_usd=(search or 0.0) - (nothing or 0.0) if known else 0.0,
    )

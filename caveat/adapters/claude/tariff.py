"""What calls take at most: by role before anything is asked, and by what is asked after that."""

import json
from collections.abc import Mapping
from math import ceil
from typing import Any

from caveat.adapters.claude.limits import Bounds, Limits
from caveat.adapters.claude.models import Models
from caveat.adapters.claude.prices import PriceTable, Tokens
from caveat.contracts.envelope import Usage
from caveat.contracts.spending import Rate, Step, Tariff
from caveat.rules.budget import TOKEN

OVERHEAD = 1_500
"""Tokens of a call beside its material: the longest role's instructions and schema are some 800,
the topic has at most 2,000 characters."""

RESULTS = 25_000
"""Tokens that one web search puts into its model's prompt: ten results of a long passage each have
about 20,000."""

SPARING = 4
"""The part of its room that an answer can do with: rooms are four to ten times what is said."""

_PROMPT = 100_000
"""Tokens of a long prompt, whose rates hold where short ones are cheaper."""


def tariff(models: Models, limits: Limits, prices: PriceTable) -> Tariff:
    """Say what a call of each role takes at most."""
    roles: tuple[tuple[Step, str, Bounds, int], ...] = (
        (Step.PLAN, models.planning, limits.planning, OVERHEAD),
        (Step.SEARCH, models.search, limits.search, OVERHEAD + RESULTS),
        (Step.ANALYSE, models.analysis, limits.analysis, OVERHEAD),
        (Step.DETECT, models.detection, limits.detection, OVERHEAD),
        (Step.DEBATE, models.debate, limits.debate, OVERHEAD),
        (Step.SYNTHESISE, models.synthesis, limits.synthesis, OVERHEAD),
        (Step.WRITE, models.writing, limits.writing, OVERHEAD),
    )
    return Tariff(rates=tuple(_rate(*role, prices) for role in roles))


def _rate(step: Step, model: str, bounds: Bounds, overhead: int, prices: PriceTable) -> Rate:
    nothing = prices.cost(model, Tokens(fresh=_PROMPT))
    sent = prices.cost(model, Tokens(written_5m=_PROMPT))
    received = prices.cost(model, Tokens(fresh=_PROMPT, output=_PROMPT))
    known = nothing is not None and sent is not None and received is not None
    searches = int(step is Step.SEARCH)
    search = prices.cost(model, Tokens(fresh=_PROMPT, web_searches=searches))
    return Rate(
        step=step,
        room=bounds.room,
        least=sparing(bounds.room),
        overhead=overhead,
        input_usd=(sent or 0.0) / _PROMPT if known else None,
        output_usd=((received or 0.0) - (nothing or 0.0)) / _PROMPT if known else None,
        call_usd=(search or 0.0) - (nothing or 0.0) if known else 0.0,
    )


def sparing(room: int) -> int:
    """Return the least room that an answer can do with, tokens."""
    return ceil(room / SPARING)


def most(parameters: Mapping[str, Any], model: str, room: int, prices: PriceTable) -> Usage:
    """Say what one request takes at most.

    Args:
        parameters: of the request.
        model: who is asked.
        room: tokens of the answer.
        prices: the price table.
    """
    written = json.dumps(parameters, ensure_ascii=False).encode("utf-8", "replace")
    searches = sum(tool.get("max_uses", 1) for tool in parameters.get("tools", ()))
    sent = ceil(len(written) / TOKEN) + searches * RESULTS
    # Whatever of it is written to the cache costs more; nobody knows beforehand what.
    tokens = Tokens(written_5m=sent, output=room, web_searches=searches)
    return Usage(
        model_calls=1,
        input_tokens=sent,
        output_tokens=room,
        cost_usd=prices.cost(model, tokens),
    )

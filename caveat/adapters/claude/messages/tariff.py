"""What calls take at most: by role before anything is asked, and by what is asked after that."""

import json
from collections.abc import Mapping
from math import ceil
from typing import Any

from caveat.adapters.claude.messages.prices import Prices, Tokens
from caveat.adapters.claude.roles.role import Role
from caveat.adapters.claude.roles.table import ROLES, Models
from caveat.contracts.envelope import Usage
from caveat.contracts.spending import Rate, Step, Tariff
from caveat.rules.run.budget import TOKEN

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


def tariff(models: Models, prices: Prices) -> Tariff:
    """Say what a call of each role takes at most."""
    booked = ((role, role.step) for role in ROLES.values() if role.step is not None)
    return Tariff(
        rates=tuple(_rate(role, step, models.of(role.name), prices) for role, step in booked)
    )


def _rate(role: Role, step: Step, model: str, prices: Prices) -> Rate:
    nothing = prices.cost(model, Tokens(fresh=_PROMPT))
    sent = prices.cost(model, Tokens(written_5m=_PROMPT))
    received = prices.cost(model, Tokens(fresh=_PROMPT, output=_PROMPT))
    known = nothing is not None and sent is not None and received is not None
    search = prices.cost(model, Tokens(fresh=_PROMPT, web_searches=role.searches))
    return Rate(
        step=step,
        room=role.bounds.room,
        least=sparing(role.bounds.room),
        overhead=OVERHEAD + role.searches * RESULTS,
        input_usd=(sent or 0.0) / _PROMPT if known else None,
        output_usd=((received or 0.0) - (nothing or 0.0)) / _PROMPT if known else None,
        call_usd=(search or 0.0) - (nothing or 0.0) if known else 0.0,
    )


def sparing(room: int) -> int:
    """Return the least room that an answer can do with, tokens."""
    return ceil(room / SPARING)


def most(parameters: Mapping[str, Any], model: str, room: int, prices: Prices) -> Usage:
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
        model_calls=1, input_tokens=sent, output_tokens=room, cost_usd=prices.cost(model, tokens)
    )

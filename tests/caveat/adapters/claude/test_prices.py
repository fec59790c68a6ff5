"""What calls cost: known to the cent, or said to be unknown."""

import re
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from anthropic.types import Message, Usage

from caveat.adapters.claude.messages.prices import Prices, Tokens, compute_usage
from caveat.roles.models import Models
from caveat.workers.settings import Settings

SHIPPED = Prices()


def message(model: str, usage: Mapping[str, object]) -> Message:
    """As the SDK makes it: unchecked, whatever the server sent."""
    built: Any = Message
    counted: Any = Usage
    made: Message = built.model_construct(model=model, usage=counted.model_construct(**usage))
    return made


@pytest.mark.parametrize(
    ("model", "tokens", "cost"),
    [
        ("claude-opus-5-5", Tokens(fresh=1_000_000, output=1_000_000), 24.0),
        ("claude-sonnet-5-5", Tokens(fresh=1_000_000, output=1_000_000), 12.0),
        ("claude-sonnet-5-5", Tokens(written=1_000_000), 2.5),
        ("claude-sonnet-5-5", Tokens(read=1_000_000), 0.1),
        ("claude-sonnet-5-5", Tokens(web_searches=3), 0.03),
        ("claude-haiku-5-5", Tokens(fresh=100_000), 0.01),
        ("claude-haiku-5-5", Tokens(fresh=60_000, read=60_000), 0.033),
        ("llama-4", Tokens(fresh=1), None),
    ],
)
def test_costs(model: str, tokens: Tokens, cost: float | None) -> None:
    assert SHIPPED.compute_cost(model, tokens) == (None if cost is None else pytest.approx(cost))


def test_cached_tokens_count_as_input() -> None:
    usage = compute_usage(
        message(
            "claude-sonnet-5-5",
            {
                "input_tokens": 10,
                "output_tokens": 5,
                "cache_creation_input_tokens": 200,
                "cache_read_input_tokens": 3_000,
            },
        ),
        "claude-sonnet-5-5",
        SHIPPED,
    )
    assert (usage.model_calls, usage.input_tokens, usage.output_tokens) == (1, 3_210, 5)
    assert usage.cost_usd == pytest.approx((10 + 200 * 1.25 + 3_000 * 0.05) * 2e-6 + 5 * 10e-6)


@pytest.mark.parametrize(
    ("cloud", "model", "tokens", "cost"),
    [
        ("aws", "global.anthropic.claude-sonnet-5-5", Tokens(fresh=1_000_000), 2.0),
        ("google", "claude-opus-5-5", Tokens(fresh=100_000, output=100_000), 2.4),
        ("azure", "claude-opus-5-5", Tokens(written=100_000, read=100_000), 0.52),
        ("azure", "a-deployment-of-mine", Tokens(fresh=1), None),
        ("google", "claude-opus-5-5", Tokens(fresh=1, web_searches=1), None),
    ],
)
def test_clouds_have_prices_of_their_own(
    cloud: str, model: str, tokens: Tokens, cost: float | None
) -> None:
    known = Prices(cloud).compute_cost(model, tokens)
    assert known == (None if cost is None else pytest.approx(cost))


def test_a_cloud_is_paid_by_its_own_name_of_a_model() -> None:
    """Its answers bear the maker's, whose price another one is."""
    answer = message("claude-sonnet-5-5", {"input_tokens": 1_000_000, "output_tokens": 0})
    asked = "global.anthropic.claude-sonnet-5-5"
    assert compute_usage(answer, asked, Prices("aws")).cost_usd == pytest.approx(2.0)
    deployed = compute_usage(answer, "a-deployment-of-mine", Prices("azure"))
    assert deployed.cost_usd == pytest.approx(2.0)


TEXT = (Path(__file__).parents[4] / "docs" / "claude.md").read_text("utf-8")
LINES = TEXT.splitlines()
PRICES = Prices()


MILLION = 1_000_000


@pytest.mark.parametrize("model", Models().names)
def test_every_default_has_its_price(model: str) -> None:
    sent, both = (
        PRICES.compute_cost(model, Tokens(fresh=MILLION, output=received))
        for received in (0, MILLION)
    )
    assert sent is not None
    assert both is not None
    assert f"| `{model}` | {sent:.2f} | {both - sent:.2f} |" in LINES


def test_the_price_of_a_search_and_whose_prices_they_are() -> None:
    assert (
        f"A thousand web searches cost {PRICES.compute_cost('claude-opus-5-5', SEARCHES):.2f} "
        in TEXT
    )
    assert (
        f"genai-prices](https://github.com/pydantic/genai-prices) {version('genai-prices')}" in TEXT
    )


SEARCHES = Tokens(web_searches=1_000)


def test_every_setting_is_one() -> None:
    names = {f"CAVEAT_{name.upper()}" for name in Settings.model_fields}
    names |= {str(field.validation_alias) for field in Settings.model_fields.values()}
    named = set(re.findall(r"\b(?:CAVEAT|ANTHROPIC)_[A-Z_]+\b", TEXT))
    assert named
    assert named <= names

"""What docs/claude.md says of models, prices and settings is what the code does."""

import re
from importlib.metadata import version
from pathlib import Path

import pytest

from caveat.adapters.claude.messages.prices import Prices, Tokens
from caveat.roles.models import Models
from caveat.workers.settings import Settings

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

"""What docs/claude.md says of models, prices and settings is what the code does."""

import re
from importlib.metadata import version
from pathlib import Path

import pytest

from caveat.adapters.claude.messages.prices import Prices, Tokens
from caveat.contracts.plan import Depth
from caveat.roles.models import SETTINGS, Models
from caveat.rules.run.estimate import Range, RoleName, estimate
from caveat.rules.run.extent import Extent
from caveat.workers.settings import Settings

TEXT = (Path(__file__).parents[4] / "docs" / "claude.md").read_text("utf-8")
LINES = TEXT.splitlines()
PRICES = Prices()


class CallPrices:
    """The default models at the shipped prices."""

    models = Models()
    prices = PRICES

    def price_call(self, role: RoleName, sent: int, received: int) -> float | None:
        tokens = Tokens(fresh=sent, output=received, web_searches=int(role is RoleName.SEARCH))
        return self.prices.compute_cost(self.models.by_role[role], tokens)


def expected(depth: Depth, *, searches: bool) -> str:
    cost = estimate(Extent(depth, searches=searches), CallPrices()).cost_usd
    assert isinstance(cost, Range)
    return f"{cost.low:.2f} to {cost.high:.2f}"


@pytest.mark.parametrize("role", SETTINGS)
def test_every_role_and_its_default(role: str) -> None:
    (line,) = [line for line in LINES if line.startswith(f"| `{role}` |")]
    assert line.endswith(f"| `{SETTINGS[role].model}` |")


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


@pytest.mark.parametrize("depth", list(Depth))
def test_what_a_run_is_expected_to_cost(depth: Depth) -> None:
    """Where this fails, the estimate or a price changed: the page gets the new line."""
    alone, searching = expected(depth, searches=False), expected(depth, searches=True)
    assert f"| {depth} | {alone} | {searching} |" in LINES


def test_every_setting_is_one() -> None:
    names = {f"CAVEAT_{name.upper()}" for name in Settings.model_fields}
    names |= {str(field.validation_alias) for field in Settings.model_fields.values()}
    named = set(re.findall(r"\b(?:CAVEAT|ANTHROPIC)_[A-Z_]+\b", TEXT))
    assert named
    assert named <= names

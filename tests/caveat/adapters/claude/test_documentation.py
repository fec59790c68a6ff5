"""What docs/claude.md says of models, prices and settings is what the code does."""

import re
from pathlib import Path

import pytest

from caveat.adapters.claude.messages.prices import Price, PriceTable, Tokens, price_table
from caveat.adapters.claude.roles.table import ROLES, Models
from caveat.contracts.plan import Depth
from caveat.rules.run.estimate import Range, RoleName, estimate
from caveat.rules.run.extent import Extent
from caveat.workers.settings import Settings

TEXT = (Path(__file__).parents[4] / "docs" / "claude.md").read_text("utf-8")
LINES = TEXT.splitlines()
PRICES = price_table()


class Tariff:
    """The default models at the shipped prices."""

    models = Models()
    prices: PriceTable = PRICES

    def cost(self, role: RoleName, sent: int, received: int) -> float | None:
        tokens = Tokens(fresh=sent, output=received, web_searches=int(role is RoleName.SEARCH))
        return self.prices.cost(self.models.of(role), tokens)


def expected(depth: Depth, *, searches: bool) -> str:
    cost = estimate(Extent(depth, searches=searches), Tariff()).cost_usd
    assert isinstance(cost, Range)
    return f"{cost.low:.2f} to {cost.high:.2f}"


@pytest.mark.parametrize("role", ROLES)
def test_every_role_and_its_default(role: str) -> None:
    (line,) = [line for line in LINES if line.startswith(f"| `{role}` |")]
    assert line.endswith(f"| `{ROLES[role].model}` |")


@pytest.mark.parametrize("price", PRICES.model, ids=lambda price: f"{price.name}-{price.up_to}")
def test_every_price(price: Price) -> None:
    same = [row for row in PRICES.model if row.name == price.name]
    otherwise = "any" if len(same) == 1 else "longer"
    prompt = otherwise if price.up_to is None else f"up to {price.up_to:,} tokens"
    assert f"| `{price.name}` | {prompt} | {price.input:.2f} | {price.output:.2f} |" in LINES


def test_the_other_prices_and_their_day() -> None:
    assert f"Prices of {PRICES.as_of}, US dollars per million tokens:" in LINES
    assert f"A thousand web searches cost {PRICES.web_search.per_thousand:.2f} " in TEXT
    assert f"costs {PRICES.cache_write.five_minutes} times the price of input" in TEXT
    usual, haiku = PRICES.model[0].cache_read, PRICES.model[-1].cache_read
    assert f"read from it {usual} times (`{PRICES.model[-1].name}`: {haiku:.2f})" in TEXT


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


@pytest.mark.parametrize(
    "link", [link for link in re.findall(r"\]\(([^)]+)\)", TEXT) if "://" not in link]
)
def test_every_link_leads_somewhere(link: str) -> None:
    path, _, heading = link.partition("#")
    target = (Path(__file__).parents[4] / "docs" / (path or "claude.md")).resolve()
    headings = re.findall(r"^#+ (.+)$", target.read_text(), re.MULTILINE) if heading else []
    named = {re.sub(r"[^\w\- ]", "", each.casefold()).replace(" ", "-") for each in headings}
    assert not heading or heading in named

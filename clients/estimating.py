"""What a run is expected to cost, before it starts, and how much of it a bound allows."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from caveat.clients.problems import BadInput
from caveat.contracts.plan import ResearchRequest
from caveat.failures import PortFailure
from caveat.rendering.amounts import format_count, format_money
from caveat.rules.lines import join_names
from caveat.rules.run.budget import is_bounded
from caveat.rules.run.estimate import Estimate, Range, RoleName, estimate, narrow_extent
from caveat.rules.run.extent import Extent, find_smallest_extent
from caveat.teams.catalogue import TeamCatalogue
from caveat.workers.settings import Settings

if TYPE_CHECKING:  # a run without a model needs neither, and every run is estimated
    from caveat.adapters.claude.messages.prices import Prices
    from caveat.roles.models import Models

_WEB_SEARCH = "claude"  # the search engine that asks a model, by its name in the settings

_LONGEST = 100_000
"""Tokens: longer than any prompt that is expected (720 claims of 125 tokens and their sources), so
that a model has a price only where it has one for every prompt."""


@dataclass(frozen=True)
class ModelRates:
    """What the models of the settings cost, one call of a role at a time."""

    models: "Models"
    prices: "Prices"  # what they cost; nothing is taken to come from a cache

    def price_call(self, role: RoleName, sent: int, received: int) -> float | None:
        """Price one call of a role, US dollars; None where its model's price is not known."""
        from caveat.adapters.claude.messages.prices import Tokens  # noqa: PLC0415  # loads only where used

        searches = int(role is RoleName.SEARCH)
        tokens = Tokens(fresh=sent, output=received, web_searches=searches)
        return self.prices.compute_cost(self.models.by_role[role], tokens)


@dataclass(frozen=True)
class Forecast:
    request: ResearchRequest
    scope: Extent
    prices: ModelRates | None  # what models cost; None where none is called

    @property
    def estimate(self) -> Estimate:
        return estimate(self.scope, self.prices, is_bounded=is_bounded(self.request.budget))

    def describe(self) -> str:
        if self.prices is None:
            return "No language model is called: the run costs nothing."
        expected = self.estimate
        price = _format_dollars(expected.cost_usd)
        if expected.cost_usd is None:
            unpriced = join_names(self.list_unpriced_models())
            price = f"at a cost that is not known, as {unpriced} has no price"
        return (
            f"Expected of {_describe_scope(self.scope)}: {_format_range(expected.calls)} calls "
            f"to language models, {_format_range(expected.tokens)} tokens, {price}."
        )

    def build_facts(self) -> dict[str, Any]:
        """Say what is expected, as JSON; each range from its low to its high end."""
        expected = self.estimate
        cost = expected.cost_usd
        return {
            "depth": self.scope.depth.value,
            "sources": self.scope.sources,
            "model_calls": [round(expected.calls.low), round(expected.calls.high)],
            "tokens": [round(expected.tokens.low), round(expected.tokens.high)],
            "cost_usd": [round(cost.low, 4), round(cost.high, 4)] if cost else None,
        }

    def fit_to_bound(self, bound: float) -> tuple["Forecast", str | None]:
        """Make the run small enough for a bound, US dollars, and say what was made of it."""
        if unpriced := self.list_unpriced_models():
            raise BadInput(
                f"The price of {join_names(unpriced)} is not known, so Caveat cannot keep "
                "--max-cost: name a price in prices.toml (docs/claude.md), or leave --max-cost out."
            )
        scope = narrow_extent(self.scope, self.prices, bound)
        if scope is None:
            least = self._replace_scope(find_smallest_extent(self.scope))
            raise BadInput(
                f"--max-cost {bound:.2f} is too little even for {least.describe_size()}."
            )
        if scope == self.scope:
            return self, None
        smaller = self._replace_scope(scope)
        return smaller, (
            f"For --max-cost {bound:.2f} this is {smaller.describe_size()} and not "
            f"{self.describe_size()}; it stops gathering before that is spent."
        )

    def describe_size(self) -> str:
        """Say how large the run is, and what it is expected to cost."""
        return f"{_describe_scope(self.scope)} ({_format_dollars(self.estimate.cost_usd)})"

    def list_unpriced_models(self) -> tuple[str, ...]:
        """Name the models whose price is not known, of those that the run needs."""
        if self.prices is None:
            return ()
        unused = {
            *(() if self.scope.searches else (RoleName.SEARCH,)),
            *((RoleName.PLANNING,) if self.scope.specialists else ()),
        }
        names = (
            self.prices.models.by_role[role]
            for role in RoleName
            if role not in unused and self.prices.price_call(role, _LONGEST, 1) is None
        )
        return tuple(dict.fromkeys(names))

    def _replace_scope(self, scope: Extent) -> "Forecast":
        changes = {"depth": scope.depth, "max_sources": scope.max_sources}
        return Forecast(self.request.model_copy(update=changes), scope, self.prices)


def build_forecast(request: ResearchRequest, settings: Settings, teams: TeamCatalogue) -> Forecast:
    """Say what is expected of a request that the workers of these settings carry out."""
    team = teams.read_team(request.team)
    # A model searches where it is named, and by default for runs without a corpus.
    searches = _WEB_SEARCH in settings.search if settings.search else not request.corpus
    scope = Extent(
        depth=request.depth,
        max_sources=request.max_sources,
        specialists=len(team.specialists) or None,
        searches=settings.uses_claude and searches,
        debates=team.debate,
    )
    if not settings.uses_claude:
        return Forecast(request, scope, None)
    from caveat.workers.models import read_models, read_prices  # noqa: PLC0415  # loads what only workers need

    try:
        return Forecast(request, scope, ModelRates(read_models(settings), read_prices(settings)))
    except PortFailure as refused:
        raise BadInput(f"The prices cannot be used: {refused}") from None


def _describe_scope(scope: Extent) -> str:
    article = "a" if scope.depth[0] not in "aeiou" else "an"
    noun = scope.depth.value if scope.depth == "overview" else f"{scope.depth} run"
    return f"{article} {noun} of at most {format_count(scope.sources, 'source')}"


def _format_range(span: Range) -> str:
    """Write two digits of each end: an estimate has no more."""
    return " to ".join(f"{float(f'{end:.2g}'):,.0f}" for end in (span.low, span.high))


def _format_dollars(span: Range | None) -> str:
    if span is None:
        return "nobody knows what"
    return f"{format_money(span.low)} to {format_money(span.high)}"

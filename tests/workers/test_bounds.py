"""Whole runs with Claude under a budget: the provider charges for no more than it allows."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from math import ceil
from pathlib import Path
from random import Random
from typing import Any

import pytest
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.envelope import Usage
from caveat.contracts.outcome import Ending, NamedEnd, Outcome
from caveat.contracts.report import Report
from caveat.rules.audit.checks import audit
from caveat.workers.settings import Settings
from tests.fakes.claude_cast import RATES, Cast
from tests.fakes.claude_corpus import TOPIC, write_corpus
from tests.fakes.claude_house import keyed, wired
from tests.fakes.kept import kept_texts
from tests.fakes.messages_api import Breaks, Fails, Recorded, Says, Scripted, Stalls, stand_in
from tests.fakes.patience import PATIENCE_S
from tests.fakes.runs import outcome_of, start_run
from tests.fakes.scholar import role_of

LETTERS = 4  # characters of a token, as far as this provider counts


@dataclass
class Till:
    """A model that counts tokens as providers do, charges for them, and now and then goes wrong."""

    chance: Random  # what goes wrong
    trouble: float = 0.15  # share of the calls in which something does
    breaks: str = ""  # a role whose answers all break off
    stalls: str = ""  # a role that is never answered
    cast: Cast = field(default_factory=Cast)
    # what was charged, a call each, and what for
    bills: list[tuple[str, Usage]] = field(default_factory=list)

    def __call__(self, request: Recorded) -> Scripted:
        if role_of(request) == self.stalls:
            return Stalls()
        if role_of(request) == self.breaks:
            return Breaks(after=3, of=self._charged(request, Says("Half"), broken=True))
        if self.chance.random() >= self.trouble:
            said = self.cast(request)
            assert isinstance(said, Says)
            return self._charged(request, said)
        match self.chance.randrange(3):
            case 0:
                return Fails(529, "overloaded_error", headers={"retry-after-ms": "20"})
            case 1:
                return Breaks(after=3, of=self._charged(request, Says("Half"), broken=True))
            case _:
                return self._charged(request, Says("This is no JSON."))

    def charged(self) -> Usage:
        return sum((usage for _, usage in self.bills), Usage())

    def _charged(self, request: Recorded, said: Says, *, broken: bool = False) -> Says:
        sent = ceil(len(json.dumps(request.body, ensure_ascii=False)) / LETTERS)
        wanted, most = ceil(len(said.text) / LETTERS), request.body["max_tokens"]
        received = 1 if broken else min(wanted, most)
        rate_in, rate_out = RATES[request.body["model"]]
        cost = (sent * rate_in + received * rate_out) / 1e6
        usage = Usage(model_calls=1, input_tokens=sent, output_tokens=received, cost_usd=cost)
        self.bills.append((role_of(request), usage))
        end = "max_tokens" if wanted > most else said.stop_reason
        counted = {"input_tokens": sent, "output_tokens": received}
        text = said.text if wanted <= most else said.text[: most * LETTERS]
        return replace(said, content=text, usage=counted, stop_reason=end)


@dataclass(frozen=True)
class House:
    environment: WorkflowEnvironment
    queue: str
    settings: Settings
    corpus: Path
    till: Till

    async def ended(self, budget: dict[str, Any]) -> Report | NamedEnd:
        handle = await start_run(
            self.environment.client,
            self.queue,
            topic=TOPIC,
            corpus=[str(self.corpus)],
            depth="overview",
            arbitration_timeout=2,
            budget=budget,
        )
        outcome = await asyncio.wait_for(outcome_of(handle), PATIENCE_S)
        return outcome.report if isinstance(outcome, Outcome) else outcome


@pytest.fixture
async def house(
    environment: WorkflowEnvironment, task_queue: str, settings: Settings, tmp_path: Path
) -> AsyncIterator[House]:
    till = Till(Random(task_queue))
    async with stand_in(model=till) as api:
        chosen = keyed(settings, api)
        async with wired(environment.client, chosen, task_queue):
            yield House(environment, task_queue, chosen, write_corpus(tmp_path / "corpus"), till)


async def holds(house: House, ended: Report | NamedEnd) -> None:
    """The run says what it was charged, and its report is as sound as any."""
    charged = house.till.charged()
    spent = ended.metrics if isinstance(ended, Report) else ended
    assert spent.model_calls == charged.model_calls
    assert spent.tokens == charged.input_tokens + charged.output_tokens
    assert spent.cost_usd == pytest.approx(charged.cost_usd)
    if isinstance(ended, Report):
        assert audit(ended, await kept_texts(ended, house.settings)).passed


@pytest.mark.parametrize("bound", [2, 3, 8, 20])
async def test_no_more_calls_are_made_than_are_allowed(house: House, bound: int) -> None:
    ended = await house.ended({"model_calls": bound})
    assert house.till.charged().model_calls <= bound
    await holds(house, ended)
    if bound < 3:
        assert isinstance(ended, NamedEnd)
        assert ended.ending is Ending.BUDGET_TOO_SMALL
        assert f"A budget of {bound} model calls is too small" in ended.message
        assert not house.till.bills


@pytest.mark.parametrize("bound", [1_000, 20_000, 50_000])
async def test_no_more_tokens_are_taken_than_are_allowed(house: House, bound: int) -> None:
    ended = await house.ended({"tokens": bound})
    charged = house.till.charged()
    assert charged.input_tokens + charged.output_tokens <= bound
    await holds(house, ended)


@pytest.mark.parametrize("bound", [0.01, 0.2, 1.0])
async def test_no_more_is_paid_than_is_allowed(house: House, bound: float) -> None:
    ended = await house.ended({"cost_usd": bound})
    assert (house.till.charged().cost_usd or 0) <= bound
    await holds(house, ended)

"""`caveat models check`: what the server of the models can do."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from rich.console import Console

from caveat.adapters.claude.checking import LONGEST, QUESTIONS, Checked, Checking
from caveat.adapters.claude.messages.capabilities import Capabilities
from caveat.adapters.claude.messages.connection import ModelConnection
from caveat.adapters.claude.messages.prices import Prices, Tokens
from caveat.clients.cli.console import print_json, say, stderr, stdout
from caveat.clients.cli.session import run
from caveat.clients.cli.tables import finding_table, show
from caveat.clients.problems import BadInput, NoResult, OutOfReach
from caveat.contracts.envelope import Usage
from caveat.contracts.failure import FailureType
from caveat.contracts.spending import Spending
from caveat.failures import PortFailure
from caveat.problem import Problem
from caveat.rendering.amounts import counted, money, spent_words
from caveat.rules.run.budget import TOKEN
from caveat.workers.models import address, models, note, prices
from caveat.workers.reasoners import connection
from caveat.workers.settings import Settings, load

_QUIET_S = 2.0  # seconds after which a person is told what is being asked

_WITHOUT = {
    "streaming": "answers are waited for as a whole",
    "system": "instructions open the first turn",
    "prompt_caching": "nothing is marked for a cache",
    "usage": "what runs cost is unknown, and budgets in dollars or tokens hold nothing up",
    "stop_reasons": "an answer as long as its room counts as cut off",
    "structured_outputs": "the schema stands in the prompt, and answers are looked through for it",
    "thinking": "models answer without thinking first",
    "counting": "budgets bound a prompt by its length",
    "catalogue": "every model is taken to do what this one does",
    "batches": "--batch cannot be used",
    "longest": "sources are read in smaller pieces; long syntheses may fail",
}
"""What Caveat does without a feature."""


@dataclass
class _Asked:
    """What is being asked, for whoever waits."""

    console: Console
    what: str = ""

    @asynccontextmanager
    async def told(self) -> AsyncIterator[None]:
        """Say every two seconds what has changed since."""
        telling = asyncio.create_task(self._tell())
        try:
            yield
        finally:
            telling.cancel()

    async def _tell(self) -> None:
        said, began = "", time.monotonic()
        while True:
            await asyncio.sleep(_QUIET_S)
            if self.what != said:
                said = self.what
                say(self.console, f"{time.monotonic() - began:.0f} s: asking {said} …")


def check(*, dry_run: bool, as_json: bool) -> None:
    """Carry the command out."""
    settings = load()
    if not settings.uses_claude:
        raise BadInput(
            "No language model is set up: set ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL for a server "
            "of your own, or CAVEAT_PROVIDER for a cloud."
        )
    run(_checked(settings, is_dry=dry_run, as_json=as_json))


async def _checked(settings: Settings, *, is_dry: bool, as_json: bool) -> None:
    names = tuple(dict.fromkeys(models(settings).by_role.values()))
    where = address(settings) or "https://api.anthropic.com"
    say(stderr(), _announced(names, where, prices(settings)))
    reached = connection(settings)
    if reached is None:  # the settings were asked before
        raise BadInput("No language model is set up.")
    asked = _Asked(stderr())
    async with reached.client, asked.told():
        found = [await _one(reached, name, asked) for name in names]
    can = _together(found)
    if not is_dry:
        note(settings, can)
    if as_json:
        print_json(_facts(found, can, where, None if is_dry else str(settings.capabilities)))
        return
    _tell(found, settings, can, is_dry=is_dry)


async def _one(reached: ModelConnection, name: str, asked: _Asked) -> Checked:
    def begins(what: str) -> None:
        asked.what = f"{name} {what}"

    try:
        return await Checking(reached, name, begins).check()
    except PortFailure as failed:
        raise _problem(failed) from None


def _problem(failed: PortFailure) -> Problem:
    failure = failed.failure
    spent = f" ({_spent(failed.usage)} until then)" if failed.usage.model_calls else ""
    sentence = f"{failure.message.rstrip('.')}{spent}: {_REMEDIES[failure.failure_type]}"
    unreached = failure.failure_type in _UNREACHED
    return OutOfReach(sentence) if unreached else NoResult(sentence)


_UNREACHED = frozenset(
    {FailureType.AUTH_ERROR, FailureType.RATE_LIMITED, FailureType.TIMEOUT, FailureType.UNAVAILABLE}
)

_REMEDIES = {
    FailureType.AUTH_ERROR: "correct the key or the credentials and check again.",
    FailureType.NOT_FOUND: "name models that it has in CAVEAT_MODELS.",
    FailureType.RATE_LIMITED: "check again in a minute.",
    FailureType.TIMEOUT: "see whether it works at all, and check again.",
    FailureType.UNAVAILABLE: "see whether it runs and whether the address is right.",
    FailureType.PERMANENT: "it cannot be used as it is; nothing was written down.",
}


def _announced(names: Sequence[str], where: str, costs: Prices) -> str:
    # A server that reads less is asked again for less: all that is less than as much again.
    tokens = Tokens(fresh=2 * LONGEST // TOKEN, output=QUESTIONS * 400)
    each = [costs.cost(name, tokens) for name in names]
    known = [price for price in each if price is not None]
    price = f"at most {money(sum(known))}" if len(known) == len(each) else "at a price not known"
    calls = counted(QUESTIONS * len(names), "call")
    return f"Asking {', '.join(names)} at {where}: about {calls}, {price}."


def _together(found: Sequence[Checked]) -> Capabilities:
    """Say what holds for every model: one connection serves them all."""
    can = found[0].capabilities
    for other in found[1:]:
        both = {
            each.name: getattr(can, each.name) and getattr(other.capabilities, each.name)
            for each in fields(can)
            if isinstance(each.default, bool)
        }
        lengths = [one for one in (can.longest, other.capabilities.longest) if one is not None]
        can = replace(can, **both, longest=min(lengths, default=None))
    return can


def _tell(found: Sequence[Checked], settings: Settings, can: Capabilities, *, is_dry: bool) -> None:
    console = stdout()
    for one in found:
        say(console, one.model, "bold")
        told = [(each, "" if each.has else _WITHOUT[each.feature]) for each in one.findings]
        show(console, finding_table(told))
    spent = sum((one.usage for one in found), Usage())
    say(console, f"It took {_spent(spent)}.")
    if is_dry:
        say(console, "Nothing was written down.")
        return
    say(console, f"Written to {settings.capabilities}; workers read it when they start.")
    chosen = settings.structured_outputs
    if chosen is not None and chosen != can.structured_outputs:
        word = str(chosen).lower()
        say(stderr(), f"CAVEAT_STRUCTURED_OUTPUTS={word} comes before it: unset it.", "yellow")


def _spent(usage: Usage) -> str:
    tokens = usage.input_tokens + usage.output_tokens
    spending = Spending(model_calls=usage.model_calls, tokens=tokens, cost_usd=usage.cost_usd)
    return spent_words(spending)


def _facts(
    found: Sequence[Checked], can: Capabilities, where: str, file: str | None
) -> dict[str, Any]:
    return {
        "server": where,
        "capabilities": asdict(can),
        "models": {one.model: [asdict(each) for each in one.findings] for one in found},
        "usage": sum((one.usage for one in found), Usage()).model_dump(mode="json"),
        "file": file,
    }

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
from caveat.clients.cli.console import get_stderr, get_stdout, print_json, say
from caveat.clients.cli.session import run
from caveat.clients.cli.tables import build_finding_table, show
from caveat.clients.problems import BadInput, NoResult, OutOfReach
from caveat.contracts.envelope import Usage
from caveat.contracts.failure import FailureType
from caveat.contracts.spending import Spending
from caveat.failures import PortFailure
from caveat.problem import Problem
from caveat.rendering.amounts import format_count, format_money, format_spending
from caveat.rules.run.budget import TOKEN
from caveat.workers.models import find_server_address, note, read_models, read_prices
from caveat.workers.reasoners import connect_models
from caveat.workers.settings import Settings, load

_QUIET_S = 2.0  # seconds after which a person is told what is being asked

_WITHOUT = {
    "messages": "calls go to /v1/chat/completions of the OpenAI form, as a whole",
    "streaming": "answers are waited for as a whole",
    "system": "instructions open the first turn",
    "prompt_caching": "nothing is marked for a cache",
    "usage": "what runs cost is unknown, and budgets in dollars or tokens hold nothing up",
    "stop_reasons": "an answer as long as its room counts as cut off",
    "structured_outputs": "the schema stands in the prompt, and answers are looked through for it",
    "thinking": "models answer without thinking first",
    "catalogue": "every model is taken to do what this one does",
    "longest": "sources are read in smaller pieces; long syntheses may fail",
}
"""What Caveat does without a feature."""


@dataclass
class _Asked:
    console: Console
    what: str = ""

    @asynccontextmanager
    async def report_progress(self) -> AsyncIterator[None]:
        """Say every two seconds what has changed since."""
        telling = asyncio.create_task(self._tell())
        try:
            yield
        finally:
            telling.cancel()

    async def _tell(self) -> None:
        told, began = "", time.monotonic()
        while True:
            await asyncio.sleep(_QUIET_S)
            if self.what != told:
                told = self.what
                say(self.console, f"{time.monotonic() - began:.0f} s: asking {told} …")


def check(*, dry_run: bool, as_json: bool) -> None:
    settings = load()
    if not settings.uses_claude:
        raise BadInput(
            "No language model is set up: set ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL for a server "
            "of your own, or CAVEAT_PROVIDER for a cloud."
        )
    run(_check_models(settings, is_dry=dry_run, as_json=as_json))


async def _check_models(settings: Settings, *, is_dry: bool, as_json: bool) -> None:
    names = tuple(dict.fromkeys(read_models(settings).by_role.values()))
    where = find_server_address(settings) or "https://api.anthropic.com"
    say(get_stderr(), _format_announcement(names, where, read_prices(settings)))
    reached = connect_models(settings)
    if reached is None:  # the settings were asked before
        raise BadInput("No language model is set up.")
    question = _Asked(get_stderr())
    async with reached.client, question.report_progress():
        checks = [await _check_model(reached, name, question) for name in names]
    # What holds for every model: one connection serves them all.
    can = checks[0].capabilities
    for other in checks[1:]:
        both = {
            each.name: getattr(can, each.name) and getattr(other.capabilities, each.name)
            for each in fields(can)
            if isinstance(each.default, bool)
        }
        lengths = [one for one in (can.longest, other.capabilities.longest) if one is not None]
        can = replace(can, **both, longest=min(lengths, default=None))
    if not is_dry:
        note(settings, can)
    if as_json:
        print_json(_build_facts(checks, can, where, None if is_dry else str(settings.capabilities)))
        return
    _tell(checks, settings, can, is_dry=is_dry)


async def _check_model(reached: ModelConnection, name: str, question: _Asked) -> Checked:
    def note_question(what: str) -> None:
        question.what = f"{name} {what}"

    try:
        return await Checking(reached, name, note_question).check()
    except PortFailure as failed:
        raise _build_problem(failed) from None


def _build_problem(failed: PortFailure) -> Problem:
    failure = failed.failure
    spent = f" ({_format_usage(failed.usage)} until then)" if failed.usage.model_calls else ""
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


def _format_announcement(names: Sequence[str], where: str, costs: Prices) -> str:
    # A server that reads less is asked again for less: all that is less than as much again.
    tokens = Tokens(fresh=2 * LONGEST // TOKEN, output=QUESTIONS * 400)
    each = [costs.compute_cost(name, tokens) for name in names]
    known = [price for price in each if price is not None]
    price = (
        f"at most {format_money(sum(known))}" if len(known) == len(each) else "at a price not known"
    )
    calls = format_count(QUESTIONS * len(names), "call")
    return f"Asking {', '.join(names)} at {where}: about {calls}, {price}."


def _tell(
    checks: Sequence[Checked], settings: Settings, can: Capabilities, *, is_dry: bool
) -> None:
    console = get_stdout()
    for one in checks:
        say(console, one.model, "bold")
        told = [(each, "" if each.has else _WITHOUT[each.feature]) for each in one.findings]
        show(console, build_finding_table(told))
    spent = sum((one.usage for one in checks), Usage())
    say(console, f"It took {_format_usage(spent)}.")
    if is_dry:
        say(console, "Nothing was written down.")
        return
    say(console, f"Written to {settings.capabilities}; workers read it when they start.")


def _format_usage(usage: Usage) -> str:
    tokens = usage.input_tokens + usage.output_tokens
    spending = Spending(model_calls=usage.model_calls, tokens=tokens, cost_usd=usage.cost_usd)
    return format_spending(spending)


def _build_facts(
    checks: Sequence[Checked], can: Capabilities, where: str, file: str | None
) -> dict[str, Any]:
    return {
        "server": where,
        "capabilities": asdict(can),
        "models": {one.model: [asdict(each) for each in one.findings] for one in checks},
        "usage": sum((one.usage for one in checks), Usage()).model_dump(mode="json"),
        "file": file,
    }

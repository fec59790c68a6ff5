"""`caveat models check`: what the server of the models can do."""

from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from functools import partial

from rich.text import Text

from caveat.adapters.claude.checking import LONGEST, QUESTIONS, Checking
from caveat.adapters.claude.messages.connection import ModelConnection
from caveat.adapters.claude.messages.prices import Tokens
from caveat.clients.cli.console import get_stderr, get_stdout, print_json, say
from caveat.clients.cli.session import run
from caveat.clients.cli.tables import Entry, show
from caveat.contracts.envelope import FailureType, Usage
from caveat.contracts.phase import Spending
from caveat.failures import PortFailure
from caveat.problem import BadInput, NoResult, OutOfReach
from caveat.rendering.amounts import format_count, format_money, format_spending
from caveat.rules.run.budget import TOKEN
from caveat.workers.models import find_prices, find_server_address, note, read_models
from caveat.workers.reasoners import connect_models
from caveat.workers.settings import load

_WITHOUT = {
    "messages": "calls go to /v1/chat/completions of the OpenAI form, as a whole",
    "prompt_caching": "nothing is marked for a cache",
    "stop_reasons": "an answer as long as its room counts as cut off",
    "structured_outputs": "the schema stands in the prompt, and answers are looked through for it",
    "thinking": "models answer without thinking first",
    "catalogue": "every model is taken to do what this one does",
    "longest": "sources are read in smaller pieces; long syntheses may fail",
}
"""What Caveat does without a feature."""


def check(*, dry_run: bool, as_json: bool) -> None:
    settings = load()
    reached = connect_models(settings) if settings.uses_claude else None
    if reached is None:
        raise BadInput(
            "No language model is set up: set ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL for a server "
            "of your own, or CAVEAT_PROVIDER for a cloud."
        )
    names = tuple(dict.fromkeys(read_models(settings).by_role.values()))
    where = find_server_address(settings) or settings.provider or "https://api.anthropic.com"
    # Each prompt is twice as long as the one before it, so that all are twice the longest.
    tokens = Tokens(fresh=2 * LONGEST // TOKEN, output=QUESTIONS * 400)
    costs = find_prices(settings)
    known = [cost for name in names if (cost := costs.compute_cost(name, tokens)) is not None]
    is_known = len(known) == len(names)
    price = f"at most {format_money(sum(known))}" if is_known else "at a price not known"
    calls = format_count(QUESTIONS * len(names), "call")
    say(get_stderr(), f"Asking {', '.join(names)} at {where}: about {calls}, {price}.")
    checks = run(_check_models(reached, names))
    # What holds for every model: one connection serves them all.
    can = checks[0].capabilities
    for other in checks[1:]:
        both = {
            feature.name: getattr(can, feature.name) and getattr(other.capabilities, feature.name)
            for feature in fields(can)
            if isinstance(feature.default, bool)
        }
        lengths = [one for one in (can.longest, other.capabilities.longest) if one is not None]
        can = replace(can, **both, longest=min(lengths, default=None))
    if not dry_run:
        note(settings, can)
    spent = sum((model.usage for model in checks), Usage())
    if as_json:
        facts = {
            "server": where,
            "capabilities": asdict(can),
            "models": {one.model: list(map(asdict, one.findings)) for one in checks},
            "usage": spent.model_dump(mode="json"),
            "file": None if dry_run else str(settings.capabilities),
        }
        print_json(facts)
        return
    for model in checks:
        say(get_stdout(), model.model, "bold")
        show(
            get_stdout(),
            [
                Entry(
                    (finding.feature.replace("_", " "),),
                    (Text("has yes", "green") if finding.has else Text("has no", "yellow"),),
                    (
                        finding.said,
                        "" if finding.has else f"Without it, {_WITHOUT[finding.feature]}.",
                    ),
                )
                for finding in model.findings
            ],
        )
    say(get_stdout(), f"It took {_format_usage(spent)}.")
    written = f"Written to {settings.capabilities}; workers read it when they start."
    say(get_stdout(), "Nothing was written down." if dry_run else written)


async def _check_models(reached: ModelConnection, names: Sequence[str]) -> list[Checking]:
    def tell(name: str, what: str) -> None:
        say(get_stderr(), f"Asking {name} {what} …")

    try:
        async with reached.client:
            return [await Checking(reached, name, partial(tell, name)).check() for name in names]
    except PortFailure as failed:
        failure = failed.failure
        spent = f" ({_format_usage(failed.usage)} until then)" if failed.usage.model_calls else ""
        sentence = f"{failure.message.rstrip('.')}{spent}: {_REMEDIES[failure.failure_type]}"
        is_answer = failure.failure_type in {FailureType.NOT_FOUND, FailureType.PERMANENT}
        raise (NoResult if is_answer else OutOfReach)(sentence) from None


_REMEDIES = {
    FailureType.AUTH_ERROR: "correct the key or the credentials and check again.",
    FailureType.NOT_FOUND: "name models that it has in CAVEAT_MODELS.",
    FailureType.RATE_LIMITED: "check again in a minute.",
    FailureType.TIMEOUT: "see whether it works at all, and check again.",
    FailureType.UNAVAILABLE: "see whether it runs and whether the address is right.",
    FailureType.PERMANENT: "it cannot be used as it is; nothing was written down.",
}


def _format_usage(usage: Usage) -> str:
    tokens = usage.input_tokens + usage.output_tokens
    spending = Spending(model_calls=usage.model_calls, tokens=tokens, cost_usd=usage.cost_usd)
    return format_spending(spending)

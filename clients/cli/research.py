"""The command that begins a run, `caveat research`, and what it has in common with a schedule.

Until everything that was asked is settled, nothing of Temporal is loaded: the embedded server is
launched then, and starts while that is.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caveat.clients.cli.console import print_json, say, stderr, stdout
from caveat.clients.cli.output import Output
from caveat.clients.cli.patience import patience_of
from caveat.clients.requests import (
    Options,
    afforded,
    apart,
    estimated,
    new_run_id,
    requested,
    routed,
    typed_options,
)
from caveat.contracts.plan import ResearchRequest
from caveat.problem import ExitCode
from caveat.workers.keys import keyring
from caveat.workers.settings import Settings, load

if TYPE_CHECKING:
    from caveat.clients.cli.order import RunOrder
    from caveat.clients.runs import Runs


def research(  # noqa: PLR0913  # each is an option
    topic: Sequence[str],
    *,
    formats: str,
    brief: bool,
    out: str | None,
    estimate: bool,
    provisional: bool,
    wait: bool,
    partial: bool,
    as_json: bool,
    **asked: Any,
) -> int:
    """Carry the command out and return its exit code."""
    options = typed_options(topic, formats=f"{formats},brief.md" if brief else formats, **asked)
    if estimate:
        _tell_estimate(options, as_json=as_json)
        return ExitCode.DONE
    patience = patience_of(provisional=provisional, wait=wait)
    settings = load()
    run_id, request, folder = _wanted(options, out, settings)
    from caveat.clients.cli.order import RunOrder, carry_out  # noqa: PLC0415  # runs alone need it

    order = RunOrder(run_id, request, folder, patience=patience, partial=partial)

    async def settled(_: "Runs") -> "RunOrder":
        return order

    return carry_out(settled, settings, as_json=as_json)


def _tell_estimate(options: Options, *, as_json: bool) -> None:
    expected = estimated(options, load())
    if as_json:
        print_json(expected)
    else:
        say(stdout(), expected["sentence"])


def _wanted(
    options: Options, out: str | None, settings: Settings
) -> tuple[str, ResearchRequest, Path]:
    """Settle everything before a server is needed: the run's id, what is asked, and where to."""
    request = requested(options, settings)
    run_id = new_run_id(request.topic, keyring(settings.keys_file))
    folder = Output(settings).folder(out, run_id)
    request = _afforded(apart(request, folder), settings)
    return run_id, routed(request, settings), folder


def scheduled_request(options: Options, settings: Settings) -> ResearchRequest:
    """Settle what a schedule asks; whichever worker begins a run of it decides who reasons."""
    request = _afforded(requested(options, settings), settings)
    return request.model_copy(update={"reasoner": settings.reasoner})


def _afforded(request: ResearchRequest, settings: Settings) -> ResearchRequest:
    """Say what the run is expected to cost, or what its bound made of it."""
    request, sentence = afforded(request, settings)
    if sentence:
        say(stderr(), sentence)
    return request

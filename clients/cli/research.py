"""The command that begins a run, `caveat research`, and what it has in common with a schedule.

Until everything that was asked is settled, nothing of Temporal is loaded: the embedded server is
launched then, and starts while that is.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caveat.clients.cli.console import get_stderr, get_stdout, print_json, say
from caveat.clients.cli.output import Output
from caveat.clients.cli.patience import parse_patience
from caveat.clients.requests import (
    Options,
    create_run_id,
    estimate_run,
    exclude_folder,
    limit_cost,
    parse_options,
    route_request,
    validate_request,
)
from caveat.contracts.plan import ResearchRequest
from caveat.problem import ExitCode
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
    options = parse_options(topic, formats=f"{formats},brief.md" if brief else formats, **asked)
    if estimate:
        _tell_estimate(options, as_json=as_json)
        return ExitCode.DONE
    patience = parse_patience(provisional=provisional, wait=wait)
    settings = load()
    run_id, request, folder = _prepare_run(options, out, settings)
    from caveat.clients.cli.order import RunOrder, carry_out  # noqa: PLC0415  # runs alone need it

    order = RunOrder(run_id, request, folder, patience=patience, partial=partial)

    async def prepare_order(_: "Runs") -> "RunOrder":
        return order

    return carry_out(prepare_order, settings, as_json=as_json)


def _tell_estimate(options: Options, *, as_json: bool) -> None:
    expected = estimate_run(options, load())
    if as_json:
        print_json(expected)
    else:
        say(get_stdout(), expected["sentence"])


def _prepare_run(
    options: Options, out: str | None, settings: Settings
) -> tuple[str, ResearchRequest, Path]:
    """Settle everything before a server is needed: the run's id, what is asked, and where to."""
    request = validate_request(options, settings)
    run_id = create_run_id(request.topic)
    folder = Output(settings).choose_folder(out, run_id)
    request = _announce_cost(exclude_folder(request, folder), settings)
    return run_id, route_request(request, settings), folder


def build_scheduled_request(options: Options, settings: Settings) -> ResearchRequest:
    """Settle what a schedule asks; whichever worker begins a run of it decides who reasons."""
    request = _announce_cost(validate_request(options, settings), settings)
    return request.model_copy(update={"reasoner": settings.reasoner})


def _announce_cost(request: ResearchRequest, settings: Settings) -> ResearchRequest:
    """Say what the run is expected to cost, or what its bound made of it."""
    request, sentence = limit_cost(request, settings)
    if sentence:
        say(get_stderr(), sentence)
    return request

"""Research from Python: one call over the embedded server, or over one of your own."""

from collections.abc import Callable
from typing import Any

from caveat.clients.cli.working import serve_orchestration, serve_route
from caveat.clients.following import Follower
from caveat.clients.options import build_fields
from caveat.clients.requests import prepare_request
from caveat.clients.run_description import create_run_id, describe_end
from caveat.clients.runs import Runs
from caveat.clients.servers import names_own_server
from caveat.contracts.outcome import NamedEnd, Outcome, Progress
from caveat.contracts.phase import Phase
from caveat.contracts.report import Report
from caveat.problem import NoResult, OutOfReach
from caveat.workers.connection import connect
from caveat.workers.settings import Settings, load
from caveat.workflows.names import build_route


async def research(
    topic: str,
    *,
    wait: bool = False,
    server: str | None = None,
    settings: Settings | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    **options: Any,
) -> Report:
    """Research a topic and return its report.

    Args:
        topic: the question.
        wait: whether to wait for people's rulings; else the provisional report comes back.
        server: address of a Temporal server of your own; the one that the environment names, else
            the embedded one, where there is none.
        settings: of this process; those of the environment where there are none.
        on_progress: called with where the run is, some times a second.
        options: those of `caveat research` (`corpus`, `depth`, `team`, `max_cost`, `deadline`,
            `language`, `formats`, `approve_plan`), and any other field of `ResearchRequest`.

    Raises:
        BadInput: the request is invalid.
        NoResult: the run ended without a report; the sentence says why.
        OutOfReach: no server could be reached, or no worker takes the run up.
    """
    settings = settings or load()
    is_here = server is None and not names_own_server()
    fields = build_fields({"topic": topic, **options})
    request, _ = prepare_request(fields, settings, is_here=is_here)
    run_id = create_run_id(request.topic)
    async with connect(settings, server) as connection, serve_orchestration(connection):
        runs = Runs(connection.client, settings)
        async with serve_route(connection, settings, build_route(request)):
            await connection.run_while_connected(runs.start(run_id, request))
            follower = Follower(
                runs,
                run_id,
                show=on_progress or (lambda _: None),
                remark=lambda _: None,  # the caller reads the exception
                pauses=lambda seen: not wait and seen.phase is Phase.AWAITING_RULINGS,
            )
            seen = await connection.run_while_connected(follower.follow())
            if isinstance(seen, Progress):
                report = await runs.query_report(run_id)
                if report is None:
                    raise NoResult(seen.provisional_problem or "There is no provisional report.")
                return report
    if seen is None:
        raise OutOfReach(follower.remarked or f"No worker takes up {run_id}.")
    if isinstance(seen, Outcome):
        return seen.report
    raise NoResult(describe_end(seen) if isinstance(seen, NamedEnd) else seen.message)

"""The commands that list what a server has, and what it is asked for those that show a run."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from caveat.clients.cli.console import get_stderr, get_stdout, print_json, say
from caveat.clients.cli.session import ask_server
from caveat.clients.cli.tables import build_inbox_table, build_run_table, show
from caveat.clients.publishing import Promises
from caveat.clients.run_description import (
    RunDescription,
    RunStatus,
    describe_unsettled,
    group_disputes,
)
from caveat.clients.servers import build_ui_link
from caveat.clients.service import Service
from caveat.contracts.outcome import Outcome
from caveat.rendering.amounts import format_count
from caveat.workers.connection import Connection
from caveat.workers.settings import Settings, load

T = TypeVar("T")


def _ask(question: Callable[[Service], Awaitable[T]], settings: Settings) -> T:
    async def run_question(connection: Connection) -> T:
        service = Service(connection, settings)
        answer = await question(service)
        if Promises(settings.promises_folder).open():
            from caveat.clients.cli.output import FinalReports  # noqa: PLC0415  # only where one is due

            await FinalReports(settings, get_stderr()).deliver_from_server(service.runs)
        return answer

    return ask_server(run_question, settings)


def runs(*, limit: int, as_json: bool) -> None:
    listed = _ask(lambda service: service.runs.list_latest(limit + 1), load())
    lines = listed[:limit]
    if as_json:
        print_json([line.model_dump(mode="json") for line in lines])
    elif lines:
        show(get_stdout(), build_run_table(lines))
        waiting: dict[str, list[str]] = {}  # by what they wait for, which is said once
        for line in lines:
            if line.standstill is not None:
                say(get_stderr(), line.standstill, "yellow")
            elif line.waits_for is not None:
                waiting.setdefault(line.waits_for, []).append(line.run_id)
        for sentence, (first, *rest) in waiting.items():
            others = f" and {format_count(len(rest), 'other run')}" if rest else ""
            say(get_stderr(), f"{first}{others}: {sentence}", "yellow")
        if any(line.needs_review for line in lines):
            say(get_stderr(), "`caveat inbox` lists what needs review, and how to rule on it late.")
    else:
        say(get_stderr(), "There are no runs yet: `caveat research TOPIC --corpus DIR` starts one.")
    if len(listed) > limit:
        say(get_stderr(), f"There are more runs: `caveat runs --limit {2 * limit}` lists them.")


def inbox(*, as_json: bool) -> None:
    lines, unsettled = _ask(lambda service: service.list_unsettled(), load())
    if as_json:
        print_json(describe_unsettled(lines, unsettled))
        return
    if lines:
        show(get_stdout(), build_inbox_table(lines))
        say(get_stderr(), "`caveat rule ARBITRATION a|b|both|neither --because TEXT` answers one;")
        say(get_stderr(), "with more than two values: a letter, several (a,c), all or none.")
    else:
        say(get_stderr(), "Nothing waits for a person.")
    if unsettled:
        say(
            get_stdout(),
            "Needs review: the run has ended, and a ruling revises its report.",
            "bold",
        )
        for group in group_disputes(unsettled):
            say(get_stdout(), f"  {group[0].about}")
            for line in group:
                say(get_stdout(), f"    {line.arbitration}  {line.topic}")
        say(get_stderr(), "`caveat rule ARBITRATION …` takes a late ruling on one as well.")


def find_on_server(typed: str, settings: Settings, *, provisionally: bool) -> RunDescription:
    async def find_run(service: Service) -> RunDescription:
        run_id = await service.find_run(typed)
        stands = await service.find_detailed_state(run_id, with_report=provisionally)
        if isinstance(stands.closed, Outcome):
            revisions = await service.list_revisions(stands.closed.report)
            done = (line for line in revisions if line.status is RunStatus.COMPLETED)
            stands = replace(stands, revised_by=tuple(line.run_id for line in done))
        url = build_ui_link(service.connection, run_id, with_token=False)
        return replace(stands, url=url, link=build_ui_link(service.connection, run_id))

    return _ask(find_run, settings)

"""The commands that go on with what is on the server: `caveat resume`, `follow-up` and `rule`."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace as changed
from typing import Any

from caveat.clients import parsing
from caveat.clients.cli.conclusion import tell_end, tell_pending
from caveat.clients.cli.console import get_stderr, get_stdout, print_json, say
from caveat.clients.cli.order import RunOrder, carry_out, load_order
from caveat.clients.cli.session import ask_server
from caveat.clients.cli.working import serve_orchestration, serve_route
from caveat.clients.publishing import choose_report_folder
from caveat.clients.run_description import Closed
from caveat.clients.service import Service, TakenUp
from caveat.contracts.backend import Route
from caveat.contracts.outcome import Ending, NamedEnd
from caveat.problem import BadInput, OutOfReach
from caveat.rendering.amounts import format_count
from caveat.rendering.backends import START_WORKER
from caveat.rendering.commands import format_command
from caveat.workers.connection import Connection
from caveat.workers.settings import load


def resume(
    typed: str,
    *,
    approve: bool,
    by: str | None,
    out: str | None,
    wait: bool,
    as_json: bool,
    **changes: Sequence[str] | None,
) -> int:
    settings = load()
    if not approve and any(changes.values()):
        raise BadInput("--drop, --edit, --add and --answer decide on a plan: add --approve.")
    drop, edit, add, answer = (changes[each] or () for each in ("drop", "edit", "add", "answer"))
    edits = ((angle, text) for angle, _, text in (each.partition("=") for each in edit))
    decision = parsing.parse_approval(drop, edits, add, answer, by or parsing.name_person())
    _check(typed, out)

    async def prepare_order(service: Service) -> RunOrder:
        run_id = await service.find_run(typed)
        if approve:
            say(get_stderr(), await service.runs.approve(run_id, decision))
        return await load_order(service, run_id, out, waits=wait)

    return carry_out(prepare_order, settings, as_json=as_json)


def _check(typed: str, out: str | None, *what: str) -> None:
    """Refuse before a server is needed what names nothing, and a folder that takes no report."""
    parsing.parse_prefix(typed, *what)
    if out is not None:
        choose_report_folder(out, typed)


def follow_up(typed: str, *, everything: bool, out: str | None, wait: bool, as_json: bool) -> int:
    settings = load()
    _check(typed, out)

    async def prepare_order(service: Service) -> RunOrder:
        run_id = await service.find_run(typed)
        taken, scope = await service.prepare_follow_up(run_id, everything=everything)
        order = _build_order(taken, out, waits=wait)
        total = len(scope.retried) + scope.left
        tried = f"tries {len(scope.retried)} of {format_count(total, 'failed task')} again"
        does = tried if total else "goes on with what that found"
        say(get_stderr(), f"A follow-up of {run_id} {does}.")
        return order

    return carry_out(prepare_order, settings, as_json=as_json)


def ask(
    typed: str, words: Sequence[str], *, search: bool, out: str | None, wait: bool, as_json: bool
) -> int:
    settings = load()
    question = parsing.join_words(words)
    _check(typed, out)
    parsing.parse_question(question)

    async def prepare_order(service: Service) -> RunOrder:
        run_id = await service.find_run(typed)
        taken = await service.prepare_question(run_id, question, searches=search)
        return _build_order(taken, out, waits=wait)

    return carry_out(prepare_order, settings, as_json=as_json)


def rule(  # each is an option
    typed: str,
    ruling: str | None,
    *,
    because: str,
    replace: bool,
    withdraw: bool,
    by: str | None,
    out: str | None,
    as_json: bool,
) -> int:
    answer = parsing.parse_answer(ruling, because, by or parsing.name_person(), withdraws=withdraw)
    replaces, settings = replace or withdraw, load()
    _check(typed, out, "an arbitration", "caveat inbox")

    async def prepare_order(service: Service) -> RunOrder | None:
        arbitration = await service.find_arbitration(typed)
        run_id, _, contradiction_id = arbitration.rpartition("/")
        outcome = await service.give_ruling(arbitration, answer, replaces=replaces)
        if outcome.contradiction is not None:
            say(get_stderr(), f"{outcome.follows[:-1]} ({contradiction_id}).")
            for other in outcome.others:
                again = format_command("resume", other.rpartition("/")[0])
                say(get_stderr(), f"It also holds in {other}: `{again}` goes on there.")
            others = await service.list_remaining(arbitration)
            if others:
                still = f"still waits for {format_count(len(others), 'other contradiction')}:"
                say(get_stderr(), f"{run_id} {still}")
                tell_pending(get_stderr(), others)
                return None
            order = await load_order(service, run_id, out)
            written = f"the report of {run_id} is written to {order.folder}."
            say(get_stderr(), f"Nothing else waits for a person: {written}")
            return changed(order, is_ruled=True)
        say(get_stderr(), outcome.follows)
        for revision in outcome.revisions[1:]:
            again = format_command("resume", revision.run_id)
            say(get_stderr(), f"It also revises another report: `{again}` waits for it.")
        for revision in outcome.revisions[:1]:
            if revision.remark is not None:
                say(get_stderr(), revision.remark)
            return await load_order(service, revision.run_id, out)
        return None

    return carry_out(prepare_order, settings, as_json=as_json, keeps=True)


def _build_order(taken: TakenUp, out: str | None, **more: Any) -> RunOrder:
    folder = choose_report_folder(out, taken.run_id)
    if taken.remark is not None:
        say(get_stderr(), taken.remark)
    return RunOrder(taken.run_id, taken.request, folder, **more)


_PATIENCE_S = 30.0
"""For stopping: an activity hears of it within two seconds and has ten to end, and writing what
was found takes few more."""


def cancel(typed: str, *, as_json: bool) -> None:
    settings = load()

    async def find_and_cancel(connection: Connection) -> tuple[str, Closed]:
        service = Service(connection, settings)
        run_id, runs = await service.find_run(typed), service.runs
        if (line := await runs.cancel(run_id)).paused:
            raise OutOfReach(f"{line.standstill} It is cancelled then, and keeps what it found.")
        with suppress(TimeoutError):
            async with (
                serve_orchestration(connection),
                serve_route(connection, settings, Route()),
                asyncio.timeout(_PATIENCE_S),
            ):
                return run_id, await runs.wait_for_end(run_id)
        raise OutOfReach(
            f"{run_id} is being cancelled, and keeps what it found as soon as a worker for all "
            f"runs is there: {START_WORKER}."
        )

    run_id, closed = ask_server(find_and_cancel, settings)
    if not isinstance(closed, NamedEnd) or closed.ending is not Ending.CANCELLED:
        raise BadInput(f"{run_id} ended before it could be cancelled: `caveat status {run_id}`.")
    tell_end(get_stdout(), run_id, closed, as_json=as_json)
    if not as_json and closed.evidence is None:
        say(get_stdout(), "It had found nothing yet that could be kept.")
    elif not as_json:
        say(get_stdout(), f"`caveat follow-up {run_id}` goes on with what it found.")


_DELETION_S = 40.0  # a server notes every half a minute how far it has come, and forgets then


def delete(typed: str, *, as_json: bool) -> None:
    settings = load()

    async def find_and_delete(connection: Connection) -> tuple[str, bool, int]:
        service = Service(connection, settings)
        run_id = await service.find_run(typed)
        return run_id, *await service.delete(run_id, _DELETION_S)

    run_id, is_unlisted, held = ask_server(find_and_delete, settings)
    if as_json:
        print_json({"run_id": run_id, "deleted": True, "files_held": held})
        return
    later = "" if is_unlisted else " The server's list may show it for half a minute."
    say(get_stdout(), f"{run_id} is deleted.{later}")
    if held:
        files = format_count(held, "file")
        say(
            get_stdout(),
            f"Of its texts and answers {files} stay, which a run under way may cite: when none is, "
            "`caveat admin prune --days 1` removes them a day later.",
        )

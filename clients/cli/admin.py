"""The commands that show what could not be delivered, send it again, and hand out keys."""

import asyncio
import datetime as dt
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import asdict
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from caveat.clients.cli.console import get_stderr, get_stdout, is_animated, print_json, say
from caveat.clients.cli.session import ask_server, keep_quiet, run
from caveat.clients.cli.tables import Entry, format_local_time, show
from caveat.clients.pruning import Pruned, needs, prune
from caveat.contracts.message import AgentName, DeadLetter
from caveat.ports import Messages
from caveat.problem import BadInput, NoResult
from caveat.rendering.amounts import format_count
from caveat.rendering.visible import sanitize_line
from caveat.rendering.words import format_datetime
from caveat.rules.lines import join_names
from caveat.workers.connection import Connection
from caveat.workers.messages import create_messages, read_master_key
from caveat.workers.settings import load

T = TypeVar("T")


def dead_letters(*, as_json: bool) -> None:
    letters = _ask_carrier(lambda carrier: carrier.list_dead_letters())
    if as_json:
        print_json([letter.model_dump(mode="json") for letter in letters])
    elif letters:
        show(get_stdout(), map(_build_entry, letters))
        say(get_stderr(), "`caveat admin resend ID` sends one again.")
    else:
        say(get_stderr(), "No message is dead.")


def resend(letter_id: str, *, as_json: bool) -> None:
    async def find_and_resend(carrier: Messages) -> list[str]:
        dead = [each for each in await carrier.list_dead_letters() if each.id == letter_id]
        if not dead:
            raise NoResult(
                f"No dead message has the id {letter_id}: `caveat admin dead-letters` lists them."
            )
        for letter in dead:
            if letter.message is None:
                raise NoResult(f"{letter_id} is not a message and cannot be sent again.")
            await carrier.resend(letter)
        return sorted(letter.agent for letter in dead)

    agents = _ask_carrier(find_and_resend)
    if as_json:
        print_json({"id": letter_id, "agents": agents})
    else:
        say(get_stdout(), f"{letter_id} is sent to {join_names(agents)} again.")


def agent_key(agent: str) -> None:
    try:
        TypeAdapter[str](AgentName).validate_python(agent)
    except ValidationError:
        raise BadInput(
            f"“{sanitize_line(agent)}” is no agent's name: it begins with a letter, and has small "
            "letters, digits and dashes, 40 at most."
        ) from None
    say(get_stdout(), read_master_key(load()).format_keys(agent))


def _ask_carrier(question: Callable[[Messages], Awaitable[T]]) -> T:
    carrier = create_messages(load())

    async def ask_and_close() -> T:
        try:
            return await question(carrier)
        finally:
            await carrier.close()

    keep_quiet()
    return run(ask_and_close())


def _build_entry(letter: DeadLetter) -> Entry:
    message = letter.message
    kind = f"{message.kind} from {message.sender}" if message else "no message"
    died = f"died {format_local_time(letter.died)}" if letter.died else ""
    return Entry((letter.id,), (letter.agent, kind, died), (letter.reason,))


_ASKED = (
    "Caveat asked one server which runs go on, the one that the environment names. It does not "
    "know of runs that go on elsewhere and share this state folder, or its bucket."
)


def prune_files(*, days: int, dry_run: bool, as_json: bool) -> None:
    settings, console = load(), get_stderr()
    before = dt.datetime.now(dt.UTC) - dt.timedelta(days=days)

    async def find_and_prune(connection: Connection) -> Pruned:
        needed = await needs(connection.client, before)
        looking = console.status("Looking through what is kept …")
        with looking if is_animated(console) else nullcontext():
            return await asyncio.to_thread(prune, settings, before, needed, dry=dry_run)

    pruned = ask_server(find_and_prune, settings)
    # Folders may be those of several servers, and runs of one that was not asked may go on.
    say(console, _ASKED)
    if as_json:
        print_json({"dry_run": dry_run, **asdict(pruned)})
        return
    console = get_stdout()
    if not pruned.files:
        say(console, f"Nothing from before {format_datetime(before)} can go.")
        return
    for run_id in pruned.runs:
        say(console, f"  {run_id}")
    runs, files = format_count(len(pruned.runs), "run"), format_count(pruned.files, "file")
    verb = "Would remove" if dry_run else "Removed"
    evidence = f"{verb} the reports and evidence of {runs}"
    say(console, f"{evidence}, {files} and {pruned.bytes / 1e6:,.1f} MB in all.", "bold")

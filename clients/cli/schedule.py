"""The commands that have a topic researched again and again, list those topics, and stop it."""

import datetime as dt
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from rich.table import Table

from caveat.clients.cli.console import print_json, say, stderr, stdout
from caveat.clients.cli.research import scheduled_request
from caveat.clients.cli.session import asked
from caveat.clients.cli.tables import local
from caveat.clients.problems import BadInput
from caveat.clients.requests import Options
from caveat.clients.schedules import Scheduled, Schedules
from caveat.clients.servers import names_own_server
from caveat.clients.typed import duration_of
from caveat.problem import ExitCode
from caveat.rendering.amounts import span_words
from caveat.rendering.visible import visible_line
from caveat.workers.settings import Settings, load
from caveat.workers.signing import signer

T = TypeVar("T")

_LEAST = dt.timedelta(minutes=1)
"""Between two runs: one takes seconds to minutes, and what is asked more often is no schedule."""


def schedule(options: Options, every: str, *, as_json: bool) -> int:
    """Carry the command out and return its exit code."""
    settings = load()
    interval = duration_of(every, "--every")
    if interval < _LEAST:
        raise BadInput(f"--every takes from 1m to 30d, and “{every}” is not in between.")
    request = scheduled_request(options, settings)
    made = _asked(lambda schedules: schedules.create(request, interval), settings)
    if as_json:
        print_json(made.model_dump(mode="json"))
        return ExitCode.DONE
    say(stdout(), made.schedule)
    often = "day" if interval == dt.timedelta(days=1) else span_words(interval)
    who = "your workers run" if names_own_server() else "`caveat up` runs"
    say(
        stderr(),
        f"It is researched now, and again every {often}, while {who}: each report says what "
        "changed since the one before, and people are told when something did. "
        "`caveat schedules` lists it, `caveat unschedule` ends it.",
    )
    return ExitCode.DONE


def schedules(*, as_json: bool) -> int:
    """Carry the command out and return its exit code."""
    found = _asked(lambda schedules: schedules.all(), load())
    if as_json:
        print_json([each.model_dump(mode="json") for each in found])
    elif found:
        stdout().print(_table(found), crop=False)
    else:
        say(stderr(), "Nothing is scheduled: `caveat schedule TOPIC --every 1d` begins it.")
    return ExitCode.DONE


def unschedule(typed: str, *, as_json: bool) -> int:
    """Carry the command out and return its exit code."""

    async def ended(schedules: Schedules) -> Scheduled:
        found = await schedules.named(typed.strip())
        await schedules.delete(found.schedule)
        return found

    found = _asked(ended, load())
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        say(stdout(), f"{found.schedule} starts no more runs; those that it started stay.")
    return ExitCode.DONE


def _asked(question: Callable[[Schedules], Awaitable[T]], settings: Settings) -> T:
    return asked(lambda there: question(Schedules(there.client, signer(settings))), settings)


def _table(found: Sequence[Scheduled]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("schedule", "topic", "every", "latest run", "next due"):
        table.add_column(name, overflow="fold")
    for each in found:
        table.add_row(
            visible_line(each.schedule),
            visible_line(each.topic),
            span_words(each.every),
            visible_line(each.latest or ""),
            "paused" if each.paused else local(each.next) if each.next else "",
        )
    return table

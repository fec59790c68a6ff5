"""The commands that have a topic researched again and again, list those topics, and stop it."""

import datetime as dt
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from caveat.clients.cli.console import print_json, say, stderr, stdout
from caveat.clients.cli.research import scheduled_request
from caveat.clients.cli.session import asked
from caveat.clients.cli.tables import local, plain_table
from caveat.clients.problems import BadInput
from caveat.clients.requests import typed_options
from caveat.clients.schedules import Scheduled, Schedules
from caveat.clients.servers import names_own_server
from caveat.clients.typed import duration_of
from caveat.rendering.amounts import span_words
from caveat.workers.settings import Settings, load
from caveat.workers.signing import signer

T = TypeVar("T")

_HEADINGS = ("schedule", "topic", "every", "latest run", "next due")

_LEAST = dt.timedelta(minutes=1)
"""Between two runs: one takes seconds to minutes, and what is asked more often is no schedule."""


def schedule(topic: Sequence[str], *, every: str, as_json: bool, **asked: Any) -> None:
    """Carry the command out."""
    options = typed_options(topic, **asked)
    settings = load()
    interval = duration_of(every, "--every")
    if interval < _LEAST:
        raise BadInput(f"--every takes from 1m to 30d, and “{every}” is not in between.")
    request = scheduled_request(options, settings)
    made = _asked(lambda schedules: schedules.create(request, interval), settings)
    if as_json:
        print_json(made.model_dump(mode="json"))
        return
    say(stdout(), made.schedule)
    often = "day" if interval == dt.timedelta(days=1) else span_words(interval)
    who = "your workers run" if names_own_server() else "`caveat up` runs"
    say(
        stderr(),
        f"It is researched now, and again every {often}, while {who}: each report says what "
        "changed since the one before, and people are told when something did. "
        "`caveat schedules` lists it, `caveat unschedule` ends it.",
    )


def schedules(*, as_json: bool) -> None:
    """Carry the command out."""
    found = _asked(lambda schedules: schedules.all(), load())
    if as_json:
        print_json([each.model_dump(mode="json") for each in found])
    elif found:
        stdout().print(plain_table(_HEADINGS, map(_row, found)), crop=False)
    else:
        say(stderr(), "Nothing is scheduled: `caveat schedule TOPIC --every 1d` begins it.")


def unschedule(typed: str, *, as_json: bool) -> None:
    """Carry the command out."""

    async def ended(schedules: Schedules) -> Scheduled:
        found = await schedules.named(typed.strip())
        await schedules.delete(found.schedule)
        return found

    found = _asked(ended, load())
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        say(stdout(), f"{found.schedule} starts no more runs; those that it started stay.")


def _asked(question: Callable[[Schedules], Awaitable[T]], settings: Settings) -> T:
    return asked(lambda there: question(Schedules(there.client, signer(settings))), settings)


def _row(each: Scheduled) -> tuple[str, ...]:
    due = "paused" if each.paused else local(each.next) if each.next else ""
    return each.schedule, each.topic, span_words(each.every), each.latest or "", due

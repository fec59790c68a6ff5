"""The commands that have a topic researched again and again, list those topics, and stop it."""

import datetime as dt
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from caveat.clients.cli.console import get_stderr, get_stdout, print_json, say
from caveat.clients.cli.research import prepare_aloud, read_fields
from caveat.clients.cli.session import ask_server
from caveat.clients.cli.tables import Entry, format_local_time, show
from caveat.clients.parsing import parse_interval
from caveat.clients.schedules import Scheduled, Schedules
from caveat.clients.servers import names_own_server
from caveat.rendering.amounts import format_span
from caveat.workers.settings import Settings, load

T = TypeVar("T")


def add_schedule(
    topic: Sequence[str] | None, *, every: str, request: str | None, as_json: bool, **options: Any
) -> None:
    fields = read_fields(topic, request, options)
    settings = load()
    interval = parse_interval(every)
    # The worker that begins a run of it decides who reasons, unless that is asked for by name.
    decided = {"reasoner": settings.reasoner, "backend": None}
    wanted = prepare_aloud(fields, settings).model_copy(update=decided)
    made = _ask_schedules(lambda schedules: schedules.create(wanted, interval), settings)
    if as_json:
        print_json(made.model_dump(mode="json"))
        return
    say(get_stdout(), made.schedule)
    often = "day" if interval == dt.timedelta(days=1) else format_span(interval)
    who = "your workers run" if names_own_server() else "`caveat up` runs"
    when = f"It is researched now, and again every {often}, while {who}"
    told = "each report says what changed since the one before, and people are told when it did"
    ends = "`caveat schedule list` lists it, `caveat schedule remove` ends it"
    say(get_stderr(), f"{when}: {told}. {ends}.")


def list_schedules(*, as_json: bool) -> None:
    scheduled = _ask_schedules(lambda schedules: schedules.list_all(), load())
    if as_json:
        print_json([each.model_dump(mode="json") for each in scheduled])
    elif scheduled:
        show(get_stdout(), map(_build_entry, scheduled))
    else:
        say(get_stderr(), "Nothing is scheduled: `caveat schedule add TOPIC --every 1d` begins it.")


def remove_schedule(typed: str, *, as_json: bool) -> None:
    schedule = typed.strip()
    _ask_schedules(lambda schedules: schedules.delete(schedule), load())
    if as_json:
        print_json({"schedule": schedule, "removed": True})
    else:
        say(get_stdout(), f"{schedule} starts no more runs; those that it started stay.")


def _ask_schedules(question: Callable[[Schedules], Awaitable[T]], settings: Settings) -> T:
    return ask_server(lambda there: question(Schedules(there.client, settings)), settings)


def _build_entry(each: Scheduled) -> Entry:
    due = f"next due {format_local_time(each.next)}" if each.next else ""
    facts = (
        f"every {format_span(each.every)}",
        each.latest or "",
        "paused" if each.paused else due,
    )
    return Entry((each.schedule,), facts, (each.topic,))

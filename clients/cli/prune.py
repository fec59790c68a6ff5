"""`caveat admin prune`: remove what is old and belongs to no run that goes on."""

import asyncio
import datetime as dt

from caveat.clients.cli.console import get_stderr, get_stdout, is_animated, print_json, say
from caveat.clients.cli.session import keep_quiet, open_connection, run
from caveat.clients.problems import BadInput
from caveat.clients.pruning import Pruned, Swept, find_cutoff, needs, prune
from caveat.rendering.amounts import format_count
from caveat.rendering.words import format_datetime
from caveat.workers.settings import Settings, load

_LONGEST = 36_500  # days: a hundred years, and no date of it lies before the first

_SHARED = (
    "{bucket} was looked through too. What runs keep again there within a day is not written "
    "again, so that texts, payloads and answers stay a day longer than elsewhere."
)

_ASKED = (
    "Caveat asked one server which runs go on, the one that the environment names. It does not "
    "know of runs that go on elsewhere and share this state folder, or its bucket."
)


def prune_files(*, days: int, megabytes: int | None, dry_run: bool, as_json: bool) -> None:
    """Carry the command out."""
    if megabytes is not None and megabytes < 0:
        raise BadInput("--megabytes takes 0 or more.")
    if not 1 <= days <= _LONGEST:
        raise BadInput(f"--days takes 1 to {_LONGEST:,}, and {days:,} is not in between.")
    keep_quiet()
    settings = load()
    before = dt.datetime.now(dt.UTC) - dt.timedelta(days=days)
    if megabytes is not None:
        before = max(before, find_cutoff(settings, megabytes * 1_000_000))
    found = run(_run_prune(settings, before, dry=dry_run))
    # Folders may be those of several servers, and runs of one that was not asked may go on.
    say(get_stderr(), _ASKED)
    if settings.blobs is not None:
        say(get_stderr(), _SHARED.format(bucket=settings.blobs))
    if as_json:
        print_json(_build_facts(found, dry=dry_run))
    else:
        _tell(found, before, dry=dry_run)


async def _run_prune(settings: Settings, before: dt.datetime, *, dry: bool) -> Pruned:
    console = get_stderr()
    async with open_connection(settings, console) as connection:
        needed = await connection.run_while_connected(needs(connection.client, before))
        working = asyncio.to_thread(prune, settings, before, needed, dry=dry)
        if not is_animated(console):
            return await working
        with console.status("Looking through what is kept …"):
            return await working


def _tell(found: Pruned, before: dt.datetime, *, dry: bool) -> None:
    console = get_stdout()
    if not found.total.files:
        say(console, f"Nothing that no run needs is from before {format_datetime(before)}.")
        return
    for run_id in found.runs:
        say(console, f"  {run_id}")
    for kind, swept in found.kept.items():
        if swept.files:
            say(console, f"{kind}: {format_count(swept.files, 'file')}, {_format_size(swept)}")
    verb = "Would remove" if dry else "Removed"
    say(
        console,
        f"{verb} the reports and evidence of {format_count(len(found.runs), 'run')}, "
        f"{format_count(found.total.files, 'file')} and {_format_size(found.total)} in all.",
        "bold",
    )


def _build_facts(found: Pruned, *, dry: bool) -> dict[str, object]:
    kept = {kind: {"files": each.files, "bytes": each.bytes} for kind, each in found.kept.items()}
    return {"dry_run": dry, "runs": list(found.runs), **kept}


def _format_size(swept: Swept) -> str:
    return f"{swept.bytes / 1e6:,.1f} MB"

"""Where a run stands: what the server, the run itself and memory say of it."""

import asyncio
from dataclasses import replace

from caveat.clients.problems import NoSuchRun
from caveat.clients.publishing import kept_evidence
from caveat.clients.runs import Runs
from caveat.clients.standings import Closed, RunStatus, Standing, end_of, remembered, wedged_words
from caveat.contracts.outcome import Ending, NamedEnd, RunRecord
from caveat.failures import PortFailure
from caveat.workers.settings import Settings


async def recalled(settings: Settings, unknown: NoSuchRun, run_id: str) -> RunRecord:
    """Recall a run that the server does not know."""
    # Without a database of its own, a run leaves a trace only where the folder exists; looking
    # must not make one.
    if settings.memory_url is None and not settings.state_dir.is_dir():
        raise unknown
    from caveat.workers.wiring import memory  # noqa: PLC0415  # loads every adapter, rarely needed

    record = await memory(settings).recall(run_id)
    if record is None:
        raise unknown
    return record


async def standing(runs: Runs, settings: Settings, run_id: str) -> Standing:
    """Find out where a run stands; from memory when the server has forgotten it."""
    try:
        line = await runs.line(run_id)
    except NoSuchRun as unknown:
        return remembered(await recalled(settings, unknown, run_id))
    if line.status is RunStatus.RUNNING:
        return Standing(line)
    return Standing(line, closed=await _whole(await runs.closed(run_id), settings, run_id))


async def _whole(closed: Closed, settings: Settings, run_id: str) -> Closed:
    """Add to the end of a cancelled run what only its evidence says, where that is at hand."""
    if not isinstance(closed, NamedEnd) or closed.ending is not Ending.CANCELLED:
        return closed
    try:
        kept = await kept_evidence(settings, run_id)
    except PortFailure:
        return closed
    return end_of(kept, closed.ending).model_copy(update={"evidence": closed.evidence})


async def standing_in_detail(runs: Runs, settings: Settings, run_id: str) -> Standing:
    """As `standing`, and ask a running run for its progress, which takes up to two seconds."""
    stands = await standing(runs, settings, run_id)
    if stands.closed is not None:
        return stands
    if stands.line.standstill is not None:
        return replace(stands, waits=stands.line.standstill)
    progress, waits = await asyncio.gather(runs.progress(run_id), runs.waits(run_id))
    if progress is None and await runs.is_refused(run_id):
        waits = wedged_words(run_id)
    elif waits is None:
        waits = await runs.tries_again(run_id)
    return replace(stands, progress=progress, waits=waits)

"""Where a run stands: what the server, the run itself and memory say of it."""

from dataclasses import replace

from caveat.clients.problems import NoSuchRun
from caveat.clients.publishing import read_kept_evidence
from caveat.clients.run_description import (
    Closed,
    RunDescription,
    RunStatus,
    build_end,
    build_recalled_state,
    read_kept_report,
)
from caveat.clients.runs import Runs
from caveat.contracts.outcome import Ending, NamedEnd, RunRecord
from caveat.failures import PortFailure
from caveat.workers.settings import Settings


async def recall_run(settings: Settings, unknown: NoSuchRun, run_id: str) -> RunRecord:
    """Recall a run that the server does not know."""
    # Without a database of its own, a run leaves a trace only where the folder exists; looking
    # must not make one.
    if settings.memory_url is None and not settings.state_dir.is_dir():
        raise unknown
    from caveat.workers.wiring import open_memory  # noqa: PLC0415  # loads every adapter, rarely needed

    record = await open_memory(settings).recall(run_id)
    if record is None:
        raise unknown
    return record


async def find_run_state(runs: Runs, settings: Settings, run_id: str) -> RunDescription:
    """Find out where a run stands; from memory when the server has forgotten it."""
    try:
        line = await runs.fetch_line(run_id)
    except NoSuchRun as unknown:
        return build_recalled_state(await recall_run(settings, unknown, run_id))
    if line.status is RunStatus.RUNNING:
        return RunDescription(line)
    return RunDescription(
        line, closed=await _complete_end(await runs.wait_for_end(run_id), settings, run_id)
    )


async def _complete_end(closed: Closed, settings: Settings, run_id: str) -> Closed:
    """Add to the end of a cancelled run what only its evidence says, where that is at hand."""
    if not isinstance(closed, NamedEnd) or closed.ending is not Ending.CANCELLED:
        return closed
    try:
        kept = await read_kept_evidence(settings, run_id)
    except PortFailure:
        return closed
    return build_end(kept, closed.ending).model_copy(update={"evidence": closed.evidence})


async def find_detailed_state(
    runs: Runs, settings: Settings, run_id: str, *, with_report: bool = False
) -> RunDescription:
    """As `find_run_state`, and ask a running run for its progress: two seconds at most.

    Args:
        with_report: whether its provisional report is wanted too, from the run or from files.
    """
    stands = await find_run_state(runs, settings, run_id)
    if stands.closed is not None:
        return stands
    progress, standstill = await runs.examine(stands.line)
    report = await runs.query_report(run_id) if with_report and progress is not None else None
    if with_report and report is None:
        report = read_kept_report(settings, run_id)
    waits = standstill.sentence if standstill else None
    return replace(stands, progress=progress, report=report, waits=waits)

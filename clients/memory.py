"""What is remembered of runs that the server has forgotten."""

from caveat.contracts.outcome import RunRecord
from clients.problems import NoSuchRun
from workers.settings import Settings


async def recalled(settings: Settings, unknown: NoSuchRun, run_id: str) -> RunRecord:
    """Recall a run that the server does not know.

    Raises:
        NoSuchRun: nobody else knows it either.
        PortFailure: the memory cannot be read.
    """
    # Without a database of its own, a run leaves a trace only where the folder exists; looking
    # must not make one.
    if settings.memory_url is None and not settings.state_dir.is_dir():
        raise unknown
    from workers.wiring import memory  # noqa: PLC0415  # loads every adapter, rarely needed

    record = await memory(settings).recall(run_id)
    if record is None:
        raise unknown
    return record

"""Telling people: a notice goes out whichever process carries out the step."""

from collections.abc import Sequence

from temporalio import workflow

from workflows.delegation import delegate
from workflows.endings import RunEnded
from workflows.options import NOTIFY, NOTIFY_ELSEWHERE, Lane
from workflows.routing import queue_of

with workflow.unsafe.imports_passed_through():
    from activities.notifying import Herald
    from caveat.contracts.backend import Route
    from caveat.contracts.envelope import SubagentResult
    from caveat.contracts.notice import LONGEST, Delivery, NoticeKind
    from caveat.contracts.outcome import Artifact, Ending
    from caveat.contracts.report import Report
    from caveat.contracts.tasks import NotificationTask


async def tell(task: NotificationTask, route: Route) -> SubagentResult[Delivery]:
    """Have people told by whoever works on the run, else by a worker that knows a receiver.

    Returns:
        How it ended; a failure where there is such a worker and it could not deliver.
    """
    receivers = queue_of(workflow.info().task_queue, Lane.TELL, Route())
    asked = task.model_copy(update={"receivers": receivers})
    here = await delegate(Herald.notify, asked, NOTIFY, route)
    if here.result is None or not here.result.passed_on:
        return here
    return await delegate(Herald.notify, task, NOTIFY_ELSEWHERE, Route())


def finished(report: Report, files: Sequence[Artifact]) -> tuple[NoticeKind, str]:
    """Say that a run has its report, how far that can be trusted, and where it lies."""
    where = f": {files[0].path}" if files else "."
    return (
        NoticeKind.DONE,
        f"The report of {report.run_id} is there, with a confidence of "
        f"{report.confidence.value:.2f}{where}"[:LONGEST],
    )


def ended_by_name(
    run_id: str, ended: RunEnded, evidence: Artifact | None
) -> tuple[NoticeKind, str]:
    """Say how a run ended that has no report, and where its evidence lies."""
    is_cancelled = ended.ending is Ending.CANCELLED
    kept = f" What it found is in {evidence.path}" if evidence else ""
    words = "was cancelled." if is_cancelled else f"ended as {ended.ending}: {ended.message}"
    kind = NoticeKind.CANCELLED if is_cancelled else NoticeKind.FAILED
    return kind, f"{run_id} {words}{kept}"[:LONGEST]

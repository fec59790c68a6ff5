"""What an ended run lacks although no task failed for it."""

from caveat.contracts.outcome import NamedEnd, Outcome, RunRecord
from caveat.contracts.report import Limitation, Report
from clients.standings import Broken, Standing

REMEDY = "A new run with more room, a larger budget or a later deadline, brings what was left out."


def missing_without_failure(stands: Standing | RunRecord) -> tuple[str, ...]:
    """Say what a budget or a deadline left out, or why a run ended; a sentence each."""
    if isinstance(stands, RunRecord):
        return ()
    match stands.closed:
        case Outcome(report=report):
            return _of_report(report)
        case NamedEnd() | Broken() as end:
            return (end.message,)
        case None:
            return ()


def _of_report(report: Report) -> tuple[str, ...]:
    failed = {each.task_id for each in report.failures}
    missing = [each for each in report.limitations if failed.isdisjoint(each.task_ids)]
    return (*map(_sentence, missing), *((REMEDY,) if missing else ()))


def _sentence(missing: Limitation) -> str:
    return f"{missing.area}: {missing.why.rstrip('.')}. {missing.consequence}"

"""What an ended run lacks although no task failed for it."""

from caveat.contracts.outcome import NamedEnd, Outcome, RunRecord
from caveat.contracts.report import Limitation, Report
from caveat.rules.limitations import not_looked_at
from clients.standings import Broken, Standing

REMEDY = (
    "A follow-up takes up what was left out; a new run with more room, a larger budget or a later "
    "deadline, brings it at once."
)


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
    beyond_time_and_money = not_looked_at(report.unread)
    with_room = any(each not in beyond_time_and_money for each in missing)
    return (*map(_sentence, missing), *((REMEDY,) if with_room else ()))


def _sentence(missing: Limitation) -> str:
    return f"{missing.area}: {missing.why.rstrip('.')}. {missing.consequence}"

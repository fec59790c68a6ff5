"""What is said at the end of a run."""

import io

from rich.console import Console

from caveat.contracts.envelope import AgentType
from caveat.contracts.report import ReportedFailure
from caveat.failures import unavailable
from clients.cli.conclusion import report_facts, tell_afterwards
from tests.fakes.reports import a_report

FORGOTTEN = ReportedFailure(
    task_id="remember",
    agent_type=AgentType.ARCHIVIST,
    task_description="Remember the run",
    attempts=4,
    failure=unavailable("The database is away.", resource="memory").failure,
)


def told(*failures: ReportedFailure) -> str:
    out = io.StringIO()
    tell_afterwards(Console(file=out, width=200), failures)
    return out.getvalue()


def test_what_failed_after_the_report_is_told() -> None:
    first, *table = told(FORGOTTEN).splitlines()
    assert first == "1 task failed after that:"
    assert any("The database is away." in line for line in table)
    assert told() == ""


def test_machines_are_told_of_all_failures() -> None:
    report = a_report()
    before = report_facts(report, ())["failures"]
    assert report_facts(report, (), (FORGOTTEN,))["failures"] == before + 1

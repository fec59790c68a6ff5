import datetime as dt
import io

import pytest
from rich.console import Console

from caveat.contracts.envelope import AgentType
from caveat.contracts.report import ReportedFailure
from caveat.failures import PortFailure, not_found, unavailable
from clients.cli.tables import failure_table, run_table
from clients.runs import RunLine, RunStatus

GONE = not_found("The page is gone.", resource="page")
BUSY = unavailable("The archive is busy.", resource="archive")


def drawn(failure: PortFailure, width: int, *, recovered: bool = False) -> list[str]:
    failed = ReportedFailure(
        task_id="a1-read-2",
        agent_type=AgentType.READER,
        task_description="Read “Planck 2018”",
        attempts=4,
        failure=failure.failure,
        recovered=recovered,
    )
    stream = io.StringIO()
    Console(file=stream, width=width).print(failure_table([failed]))
    return stream.getvalue().splitlines()


@pytest.mark.parametrize(
    ("failure", "recovered", "says"),
    [(GONE, False, "no"), (BUSY, False, "yes"), (BUSY, True, "recovered")],
)
def test_a_failure_says_what_why_and_whether_it_is_worth_retrying(
    failure: PortFailure, recovered: bool, says: str
) -> None:
    heading, line = drawn(failure, 160, recovered=recovered)
    at = heading.index("worth retrying")
    assert line[at:].strip() == says
    assert "Read “Planck 2018”" in line
    assert failure.failure.message in line
    assert f"{failure.failure.failure_type} ({failure.failure.category})" in line


def test_eighty_columns_show_every_column() -> None:
    lines = drawn(BUSY, 80)
    assert max(map(len, lines)) <= 80
    words = " ".join(" ".join(lines).split())
    for word in ("a1-read-2", "archive", "unavailable", "4", "yes"):
        assert word in words


def test_the_id_of_a_run_is_whole_in_a_narrow_terminal() -> None:
    line = RunLine(
        run_id="research-how-fast-does-the-universe-expand-a1b2c3",
        topic="How fast does the universe expand?",
        status=RunStatus.RUNNING,
        started=dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
    )
    stream = io.StringIO()
    Console(file=stream, width=60).print(run_table([line]))
    rows = stream.getvalue().splitlines()[1:]
    assert "".join(row.split()[0] for row in rows if row[:1].strip()) == line.run_id

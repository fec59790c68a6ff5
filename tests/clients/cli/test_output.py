"""The final report follows the provisional one, whoever rules and wherever."""

import asyncio
import io
import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from rich.console import Console

from caveat.adapters.files import reports
from caveat.clients.cli.boundary import run_app
from caveat.clients.cli.output import FinalReports, Output
from caveat.clients.problems import NoSuchRun
from caveat.clients.publishing import Promises
from caveat.clients.run_description import Closed, RunLine, RunStatus
from caveat.contracts.outcome import Ending, NamedEnd, Outcome
from caveat.contracts.plan import Format
from caveat.contracts.report import Report, ReportStatus
from caveat.failures import invalid
from caveat.problem import ExitCode
from caveat.workers.settings import Settings
from tests.fakes.kept import NOW, keep
from tests.fakes.reports import a_report

FORMATS = (Format.MARKDOWN, Format.JSON)
FINAL = a_report()
PROVISIONAL = a_report(status=ReportStatus.PROVISIONAL)


@dataclass
class Server:
    """Knows how runs ended, by their ids; None for one that goes on."""

    runs: dict[str, Closed | None] = field(default_factory=dict)

    async def fetch_line(self, run_id: str) -> RunLine:
        if run_id not in self.runs:
            raise NoSuchRun(run_id)
        ended = self.runs[run_id] is not None
        status = RunStatus.COMPLETED if ended else RunStatus.RUNNING
        return RunLine(run_id=run_id, topic="", status=status, started=NOW)

    async def wait_for_end(self, run_id: str) -> Closed | None:
        return self.runs[run_id]


@pytest.fixture(autouse=True)
def settings(no_server: Settings) -> Settings:
    return no_server


def told(settings: Settings, server: Server, times: int = 1) -> str:
    out = io.StringIO()
    delivery = FinalReports(settings, Console(file=out, width=300))

    async def all_of_it() -> None:
        for _ in range(times):
            await delivery.deliver_from_server(server)  # type: ignore[arg-type]  # as much of it as is asked

    asyncio.run(all_of_it())
    return out.getvalue()


def status(folder: Path) -> str:
    found: str = json.loads((folder / "report.json").read_text())["status"]
    return found


def passed_on(settings: Settings, folder: Path, report: Report = PROVISIONAL) -> Path:
    Output(settings).write(report, FORMATS, folder)
    assert status(folder) == "provisional"
    return folder


def test_the_final_report_replaces_every_provisional_one(
    settings: Settings, tmp_path: Path
) -> None:
    folders = [passed_on(settings, tmp_path / name) for name in ("out", "copy")]
    server = Server({FINAL.run_id: None})
    assert told(settings, server) == ""
    assert [status(folder) for folder in folders] == ["provisional"] * 2
    server.runs[FINAL.run_id] = Outcome(report=FINAL)
    said = told(settings, server)
    assert [status(folder) for folder in folders] == ["final"] * 2
    assert all(f"The final report of {FINAL.run_id} is in {folder}" in said for folder in folders)
    assert {path.name for path in folders[0].iterdir()} == {"report.md", "report.json"}
    assert told(settings, server) == ""


def test_what_a_person_changed_is_kept_and_the_final_report_goes_beside(
    settings: Settings, tmp_path: Path
) -> None:
    folder = passed_on(settings, tmp_path / "out")
    remarks = (folder / "report.md").read_text() + "\nI doubt the second value.\n"
    (folder / "report.md").write_text(remarks)
    beside = folder / FINAL.run_id
    said = told(settings, Server({FINAL.run_id: Outcome(report=FINAL)}))
    assert (folder / "report.md").read_text() == remarks
    assert status(folder) == "provisional"
    assert status(beside) == "final"
    assert f"is in {beside}" in said
    assert Promises(settings.promises_folder).open() == []


def test_a_run_that_fails_leaves_the_provisional_report_and_says_so_once(
    settings: Settings, tmp_path: Path
) -> None:
    folder = passed_on(settings, tmp_path / "out")
    end = NamedEnd(ending=Ending.AUDIT_FAILED, message="The report did not pass its audit.")
    said = told(settings, Server({FINAL.run_id: end}), times=2)
    assert said.count("ended without a final report") == 1
    assert "did not pass its audit" in said
    assert status(folder) == "provisional"


def test_the_next_command_delivers_without_a_server(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = passed_on(settings, tmp_path / "out")
    keep(settings, FINAL)
    assert run_app(["status", FINAL.run_id]) == ExitCode.DONE
    assert f"The final report of {FINAL.run_id} is in" in capsys.readouterr().err
    assert status(folder) == "final"


def test_a_format_that_cannot_be_written_costs_no_other(
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def refuse(report: Report) -> bytes:
        raise invalid("The report could not be set as PDF.", resource=report.run_id)

    monkeypatch.setitem(reports._CONTENT, Format.PDF, refuse)
    keep(settings, FINAL)
    folder = tmp_path / "out"
    typed = ["report", FINAL.run_id, "--out", str(folder), "--format", "pdf", "--format", "md,json"]
    assert run_app(typed) == ExitCode.FAILED
    assert {path.name for path in folder.iterdir()} == {"report.md", "report.json"}
    shown = capsys.readouterr()
    assert "could not be set as PDF" in shown.err
    assert "report.md" in shown.out
    assert run_app([*typed[:4], "--format", "pdf"]) == ExitCode.FAILED

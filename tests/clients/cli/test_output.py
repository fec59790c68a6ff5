"""What a command writes of a report."""

from pathlib import Path

import pytest

from caveat.adapters.files import reports
from caveat.clients.cli.boundary import run_app
from caveat.contracts.plan import Format
from caveat.contracts.report import Report
from caveat.failures import invalid
from caveat.problem import ExitCode
from caveat.workers.settings import Settings
from tests.fakes.kept import keep
from tests.fakes.reports import a_report

FINAL = a_report()


@pytest.fixture(autouse=True)
def settings(no_server: Settings) -> Settings:
    return no_server


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

"""Runs that have ended are answered from their files: no server is asked, and none is started."""

import json
from pathlib import Path

import pytest

from caveat.clients.cli.boundary import run_app
from caveat.clients.run_description import read_kept_state
from caveat.contracts.contradiction import ContradictionState
from caveat.contracts.outcome import Ending
from caveat.contracts.report import Revision
from caveat.problem import ExitCode
from caveat.workers.settings import Settings
from tests.fakes.kept import keep
from tests.fakes.reports import AWAITED, a_report


@pytest.fixture(autouse=True)
def settings(no_server: Settings) -> Settings:
    return no_server


def test_a_run_with_a_report(
    settings: Settings, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    report = a_report(failures=())
    run_id = keep(settings, report)
    assert run_app(["status", run_id]) == ExitCode.DONE
    said = capsys.readouterr().out
    assert f"{run_id}: completed" in said
    assert f"{len(report.claims)} claims used" in said
    assert run_app(["report", run_id, "--format", "md", "--out", "reports"]) == ExitCode.DONE
    assert "reports/report.md" in capsys.readouterr().out
    assert run_app(["report", run_id, "--json"]) == ExitCode.DONE
    assert json.loads(capsys.readouterr().out)["run_id"] == run_id
    run_app(["audit", run_id, "--json"])
    audited = json.loads(capsys.readouterr().out)
    # Neither a seal nor the texts of the run are kept here, so its quotes count as not compared.
    assert (audited["quotes"], audited["uncompared"]) == (0, len(report.claims))
    assert audited["uncompared"] > 0
    assert not (tmp_path / "state" / "server").exists()


def test_a_run_that_ended_by_name(
    settings: Settings, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    took = {"model_calls": 12, "tokens": 34_000, "cost_usd": 0.21}
    ended = {"ending": Ending.INSUFFICIENT_EVIDENCE, "reason": "Nothing was found.", "report": None}
    run_id = keep(settings, a_report(), **ended, **took)
    assert run_app(["report", run_id]) == ExitCode.FAILED
    assert "Insufficient evidence: Nothing was found." in capsys.readouterr().out
    assert run_app(["status", run_id]) == ExitCode.DONE
    said = capsys.readouterr().out
    assert "Nothing was found." in said
    assert "\n12 model calls · 34,000 tokens · $0.21" in said
    assert not (tmp_path / "state" / "server").exists()


@pytest.mark.parametrize("command", ["status", "report"])
def test_the_revision_of_a_report_is_named_and_nothing_needs_review_any_more(
    settings: Settings, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    late = AWAITED.model_copy(
        update={"state": ContradictionState.PROVISIONAL, "requires_human_review": True}
    )
    revised = keep(settings, a_report(contradictions=(late,)))
    run_app([command, revised])
    assert "Revised by" not in "".join(capsys.readouterr())
    newer = f"{revised[:-6]}ffffff"
    change = Revision(of=revised, changes=("It says more.",))
    keep(settings, a_report(run_id=newer, revision=change))
    run_app([command, revised])
    said = "".join(capsys.readouterr())
    assert f"Revised by {newer}: `caveat report {newer}` reads the newest." in said
    stands = read_kept_state(settings, revised)
    assert stands is not None
    assert stands.line.needs_review == 0


@pytest.mark.parametrize("command", ["status", "report"])
def test_a_run_that_was_cancelled_has_not_failed(
    settings: Settings, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    ended = {"ending": Ending.CANCELLED, "reason": "It was cancelled.", "report": None}
    run_id = keep(settings, a_report(), **ended)
    run_app([command, run_id])
    said = capsys.readouterr().out.lower()
    assert "failed" not in said
    assert "cancelled: it was cancelled" not in said
    run_app([command, run_id, "--json"])
    assert json.loads(capsys.readouterr().out)["status"] == "cancelled"


@pytest.mark.parametrize(
    "change",
    [{"started": None}, {"run_id": "research-other-aaaaaa"}],
    ids=["evidence of an earlier version", "evidence of another run"],
)
def test_where_files_do_not_suffice(settings: Settings, change: dict[str, object]) -> None:
    assert read_kept_state(settings, keep(settings, a_report(), **change)) is None


@pytest.mark.parametrize("run_id", ["research-hubble", "../../etc", "latest", "", "research-x-1"])
def test_an_id_that_may_recur_is_asked_of_the_server(run_id: str, settings: Settings) -> None:
    keep(settings, a_report(run_id="research-hubble"))
    assert read_kept_state(settings, run_id) is None

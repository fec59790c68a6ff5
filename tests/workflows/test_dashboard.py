import datetime as dt

from caveat.contracts.envelope import AgentType
from caveat.contracts.progress import AssignmentProgress, Phase, Progress
from caveat.contracts.report import ReportedFailure
from caveat.failures import not_found
from workflows.dashboard import GAP, SHOWN_FAILURES, dashboard


def failed(number: int, message: str = "It is gone.") -> ReportedFailure:
    return ReportedFailure(
        task_id=f"t{number}",
        agent_type=AgentType.READER,
        task_description=f"Read “page {number}”",
        attempts=1,
        failure=not_found(message, resource="x").failure,
    )


def progress(**changes: object) -> Progress:
    return Progress.model_validate(
        {
            "run_id": "research-x",
            "topic": "Topic",
            "phase": Phase.INVESTIGATING,
            "started": dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
            **changes,
        }
    )


def test_a_page_title_cannot_break_the_table() -> None:
    line = AssignmentProgress(id="a1", title="a | b\n# [c](javascript:x) `d` <script>", note="*n*")
    (row,) = [
        line
        for line in dashboard(progress(assignments=(line,))).splitlines()
        if line.startswith("| a ")
    ]
    assert row.replace("\\|", "").count("|") == 8
    assert "<script" not in row.replace("\\<", "")
    assert "[c](" not in row.replace("\\[", "").replace("\\]", "")
    assert GAP in row


def test_the_newest_failures_are_shown() -> None:
    shown = dashboard(progress(failures=tuple(failed(number) for number in range(15))))
    assert shown.count("It is gone.") == SHOWN_FAILURES
    assert "page 14" in shown
    assert "page 4”" not in shown


def test_a_named_end_is_said() -> None:
    shown = dashboard(progress(phase=Phase.FAILED, problem="No passage was found.", documents=3))
    assert "**failed** · 3 documents · No passage was found." in shown

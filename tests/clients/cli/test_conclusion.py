"""What is said at the end of a run."""

import io

from rich.console import Console

from caveat.clients.cli.conclusion import (
    report_facts,
    tell_afterwards,
    tell_next,
    tell_pending,
    tell_report,
    tell_revisions,
)
from caveat.contracts.contradiction import ContradictionState
from caveat.contracts.envelope import AgentType
from caveat.contracts.report import ReportedFailure
from caveat.contracts.source import Unread, UnreadSort
from caveat.failures import unavailable
from tests.fakes.reports import AWAITED, a_report

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


def test_whoever_is_asked_sees_which_value_has_which_letter() -> None:
    first, second = AWAITED.sides
    sides = (
        first.model_copy(update={"value": "610 MW"}),
        second.model_copy(update={"value": "560 MW"}),
    )
    out = io.StringIO()
    tell_pending(Console(file=out, width=200), [AWAITED.model_copy(update={"sides": sides})])
    assert "\n  A (610 MW) or B (560 MW)\n" in out.getvalue()


def test_what_needs_review_is_named_at_the_end_with_the_way_to_rule_late() -> None:
    late = AWAITED.model_copy(
        update={"state": ContradictionState.PROVISIONAL, "requires_human_review": True}
    )
    out = io.StringIO()
    report = a_report(contradictions=(late,))
    tell_next(Console(file=out, width=200), report, "http://here", is_written=True)
    assert out.getvalue().startswith(f"  caveat rule {late.arbitration} ")


def test_machines_are_told_of_all_failures() -> None:
    report = a_report()
    before = report_facts(report, ())["failures"]
    assert report_facts(report, (), (FORGOTTEN,))["failures"] == before + 1


def concluded(**metrics: object) -> str:
    report = a_report()
    changed = report.metrics.model_copy(update=metrics)
    out = io.StringIO()
    tell_report(Console(file=out, width=200), report.model_copy(update={"metrics": changed}), ())
    return out.getvalue()


def test_what_models_cost_is_told() -> None:
    said = concluded(model_calls=68, tokens=1_204_000, cost_usd=2.756)
    assert "68 model calls · 1,204,000 tokens · $2.76" in said


def test_a_cost_that_nobody_knows_is_not_nothing() -> None:
    assert "1 model call · 12 tokens · cost not known, because a model" in concluded(
        model_calls=1, tokens=12, cost_usd=None
    )


def test_of_a_run_without_models_no_cost_is_told() -> None:
    said = concluded(model_calls=0, tokens=0, cost_usd=0.0)
    assert "$" not in said
    assert "model call" not in said


def test_machines_are_told_what_it_cost() -> None:
    report = a_report()
    metrics = report.metrics.model_copy(update={"model_calls": 3, "tokens": 900, "cost_usd": None})
    facts = report_facts(report.model_copy(update={"metrics": metrics}), ())
    assert (facts["model_calls"], facts["tokens"], facts["cost_usd"]) == (3, 900, None)


def test_what_was_not_looked_at_is_told() -> None:
    unread = (
        Unread(sort=UnreadSort.OWN_REPORT, count=1, examples=("reports/r/report.md",)),
        Unread(sort=UnreadSort.FORMAT, ending=".docx", count=12),
    )
    out = io.StringIO()
    tell_report(Console(file=out, width=200), a_report(unread=unread), ())
    assert "1 report of Caveat's own was set aside.\nNot looked at: 12 .docx.\n" in out.getvalue()
    assert report_facts(a_report(unread=unread), ())["unread"][1]["count"] == 12


def test_passages_stand_before_what_they_lack_with_the_three_sources_that_carry_them() -> None:
    report = a_report()
    out = io.StringIO()
    tell_report(Console(file=out, width=200), report, ())
    heading, *said = out.getvalue().splitlines()
    assert heading == "Closest passages. They are no answer, because no language model was used."
    assert said[0].startswith("• ")
    assert report.answered_because in said
    assert len([line for line in said if line.startswith("[")]) == 3


def test_who_revised_a_report_is_named_with_the_way_to_read_it() -> None:
    out = io.StringIO()
    tell_revisions(Console(file=out, width=200), ("research-a-111111", "research-a-222222"))
    assert out.getvalue() == (
        "Revised by research-a-111111 and research-a-222222: "
        "`caveat report research-a-222222` reads the newest.\n"
    )

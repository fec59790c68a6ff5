"""What is said at the end of a run."""

import io
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console

from caveat.clients.cli.conclusion import (
    report_facts,
    tell_next,
    tell_pending,
    tell_report,
    tell_revisions,
)
from caveat.contracts.contradiction import ContradictionState
from caveat.contracts.outcome import Artifact
from caveat.contracts.report import Report
from caveat.contracts.source import Unread, UnreadSort
from tests.fakes.reports import AWAITED, a_disputed_report, a_report
from tests.fakes.screen import Screen


def said(tell: Callable[..., None], *what: Any, **more: Any) -> str:
    out = io.StringIO()
    tell(Console(file=out, width=200), *what, **more)
    return out.getvalue()


def test_whoever_is_asked_sees_which_value_has_which_letter() -> None:
    first, second = AWAITED.sides
    sides = (
        first.model_copy(update={"value": "610 MW"}),
        second.model_copy(update={"value": "560 MW"}),
    )
    pending = said(tell_pending, [AWAITED.model_copy(update={"sides": sides})])
    assert "\n  A (610 MW) or B (560 MW)\n" in pending


def test_what_needs_review_is_named_at_the_end_with_the_way_to_rule_late() -> None:
    late = AWAITED.model_copy(
        update={"state": ContradictionState.PROVISIONAL, "requires_human_review": True}
    )
    report = a_report(contradictions=(late,))
    lines = said(tell_next, report, "http://here", is_written=True)
    assert lines.startswith(f"  caveat rule {late.arbitration} ")


@pytest.mark.parametrize(
    ("metrics", "told", "untold"),
    [
        ((68, 1_204_000, 2.756), "68 model calls · 1,204,000 tokens · $2.76", "not known"),
        ((1, 12, None), "1 model call · 12 tokens · cost not known, because a model", "$"),
        ((0, 0, 0.0), "sources read", "model call"),
    ],
)
def test_what_models_cost_is_told(
    metrics: tuple[int, int, float | None], told: str, untold: str
) -> None:
    report = a_report()
    update = dict(zip(("model_calls", "tokens", "cost_usd"), metrics, strict=True))
    changed = report.model_copy(update={"metrics": report.metrics.model_copy(update=update)})
    conclusion = said(tell_report, changed, ())
    assert told in conclusion
    assert untold not in conclusion
    assert report_facts(changed, ()) | update == report_facts(changed, ())


def test_what_was_not_looked_at_is_told() -> None:
    unread = (
        Unread(sort=UnreadSort.OWN_REPORT, count=1, examples=("reports/r/report.md",)),
        Unread(sort=UnreadSort.FORMAT, ending=".docx", count=12),
    )
    conclusion = said(tell_report, a_report(unread=unread), ())
    assert "1 report of Caveat's own was set aside.\nNot looked at: 12 .docx.\n" in conclusion
    assert report_facts(a_report(unread=unread), ())["unread"][1]["count"] == 12


def test_passages_stand_before_what_they_lack_with_the_three_sources_that_carry_them() -> None:
    report = a_report()
    heading, *lines = said(tell_report, report, ()).splitlines()
    assert heading == "Closest passages. They are no answer, because no language model was used."
    assert lines[0].startswith("• ")
    assert report.answered_because in lines
    assert len([line for line in lines if line.startswith("[")]) == 3


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("report", [a_report(), a_disputed_report()])
@pytest.mark.parametrize("answer", [None, "The answer is long [c1]. " * 60])
def test_the_whole_end_of_a_run_is_seen_on_a_small_screen(
    report: Report, answer: str | None
) -> None:
    changes = {"answered": True, "answer": answer, "answered_because": ""} if answer else {}
    terminal, screen = Terminal(), Screen(80, 24)
    console = Console(file=terminal, width=80, height=24)
    told = report.model_copy(update=changes)
    paths = [f"/reports/{'r' * 60}/report.{each}" for each in ("md", "pdf")]
    files = [Artifact(format="md", path=each, sha256="0" * 64, size=1) for each in paths]
    tell_report(console, told, files)
    tell_next(console, told, "http://127.0.0.1:8234", is_written=True, is_latest=True)
    screen.write(terminal.getvalue().replace("\n", "\r\n"))
    lines = screen.text.splitlines()
    assert lines[0].startswith("Answered." if answer else "Closest passages.")
    assert len(lines) <= 23
    assert all(any(each.startswith(word) for each in lines) for word in ("Confidence ", "[1] "))


def test_who_revised_a_report_is_named_with_the_way_to_read_it() -> None:
    assert said(tell_revisions, ("research-a-111111", "research-a-222222")) == (
        "Revised by research-a-111111 and research-a-222222: "
        "`caveat report research-a-222222` reads the newest.\n"
    )

"""Two reports, a run and an arbitration, line by line as they were looked at and found right.

`python -m tests.caveat.rendering.test_golden` writes the files anew: read what it changes.
"""

import io
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from caveat.clients.cli.conclusion import tell_conclusion
from caveat.clients.cli.tables import build_failure_table, show
from caveat.contracts.contradiction import Rejection
from caveat.contracts.outcome import AssignmentProgress, AssignmentState, Outcome, Progress
from caveat.contracts.phase import Phase
from caveat.contracts.report import Effort, Remedy, Report, ReportStatus, Revision
from caveat.contracts.synthesis import Calculation, MissingPart, Operand, Verdict, Weighing
from caveat.rendering.details import render_arbitration_details, render_run_details
from caveat.rendering.html.document import render_document
from caveat.rendering.markdown import render, render_documents
from caveat.rendering.table import render_csv
from caveat.rules.report.answering import DIRECT
from caveat.rules.report.assembly import derive_report
from tests.fakes.arbitrations import a_hearing
from tests.fakes.reports import (
    ASKED,
    AWAITED,
    BOTH_HOLD,
    FAILURES,
    FIGURES,
    NOBODY_CAME,
    a_disputed_report,
    a_report,
)

GOLDEN = Path(__file__).with_name("golden")


def make_answered() -> Report:
    """Make a revision that a model wrote, with every part that a report can have."""
    report = a_disputed_report(AWAITED, BOTH_HOLD, NOBODY_CAME)
    first, second, *others = report.claims
    dispute = report.contradictions[0]
    row = {"quote": "Hybrid\t14.5\t43", "location": "Modes › All figures in knots › Speed, Minutes"}
    foreign = {"quote": "Die Brücke ist ein Werk der Stadt.", "text": "The town built the bridge."}
    more = (first, second.model_copy(update=row))
    operands = tuple(
        Operand(name=name, claim_id=first.id, value=value)
        for name, value in (("a", "12"), ("b", "9"))
    )
    changes: dict[str, Any] = {
        "verdict": Verdict.PARTLY,
        "claims": (*more, others[0].model_copy(update=foreign), *others[1:]),
        "summary": f"{report.summary} It fell by 33 per cent [{first.id}].",
        "sections": report.sections[:2],
        "revision": Revision(of="research-1", changes=("2 claims are *new*.", "It is surer.")),
        "weighings": (
            Weighing(contradiction_id=dispute.id, side="a", text=f"It is newer [{first.id}]."),
        ),
        "missing": (MissingPart(part="why they differ", why="No document says so."),),
        "calculations": (
            Calculation(expression="(a - b) / b", operands=operands, result="33 per cent"),
        ),
    }
    return derive_report(report.model_copy(update=changes))


def make_quoted() -> Report:
    """Make a provisional report without a model, in which much went wrong."""
    report = a_disputed_report(AWAITED)
    first, second, *_ = report.sections
    quotes = "\n".join(f"- “{claim.quote}” [{claim.id}]" for claim in report.claims[:5])
    figures = FIGURES[:4]
    sides = tuple(
        side.model_copy(update={"claim": figure.claim_id, "value": figure.value})
        for side, figure in zip(AWAITED.sides, figures, strict=False)
    )
    unasked = AWAITED.model_copy(update={"sides": sides, "arbitration": None, "deadline": None})
    reader = FAILURES[1]
    remedied = (
        reader.model_copy(update={"remedy": each, "recovered": good})
        for each in (None, *Remedy)
        for good in (True, False)
    )
    changes: dict[str, Any] = {
        "status": ReportStatus.PROVISIONAL,
        "reasoner": report.reasoner.model_copy(update={"uses_language_model": False}),
        "summary": "\n".join(quotes.splitlines()[:3]),
        "stated": figures,
        "contradictions": (unasked,),
        "disputed": (unasked.id,),
        "debate": None,
        "sections": (
            first.model_copy(update={"title": DIRECT, "summary": quotes}),
            second.model_copy(
                update={"summary": "", "claims": (), "figures": (), "effort": Effort(attempted=1)}
            ),
        ),
        "failures": (*FAILURES, reader.model_copy(update={"attempts": 0}), *remedied),
    }
    return report.model_copy(update=changes)


def draw(write: Callable[[Console], None], width: int) -> str:
    out = io.StringIO()
    write(Console(file=out, width=width, markup=False, highlight=False))
    return out.getvalue()


def conclude(report: Report) -> str:
    told = Outcome(report=report)
    return draw(lambda out: tell_conclusion(out, out, told, (), "http://127.0.0.1:1"), 100)


def detail_run() -> str:
    progress = Progress(
        run_id="research-x",
        topic="Topic",
        phase=Phase.INVESTIGATING,
        started=ASKED,
        assignments=(
            AssignmentProgress(id="a1", title="Waiting"),
            AssignmentProgress(
                id="a2", title="Read", state=AssignmentState.READING, read=5, to_read=8
            ),
            AssignmentProgress(
                id="a3", title="Lost", state=AssignmentState.FAILED, failures=2, note="No index."
            ),
        ),
        contradictions=a_disputed_report().contradictions,
        failures=FAILURES,
        rejections=(Rejection(received=ASKED, reason="It names no contradiction.", given="x|y"),),
        rejected=9_000,
    )
    return render_run_details(progress)


ANSWERED, QUOTED = make_answered(), make_quoted()
FORMS: dict[str, Callable[[], str]] = {
    "answered.md": lambda: render(ANSWERED),
    "answered.html": lambda: render_document(ANSWERED).partition("</style>")[2],
    "answered.txt": lambda: conclude(ANSWERED),
    "documents.csv": lambda: render_csv(ANSWERED).removeprefix("\ufeff"),
    "documents.md": lambda: render_documents(a_report()),
    "quoted.md": lambda: render(QUOTED),
    "quoted.txt": lambda: conclude(QUOTED),
    "failures.txt": lambda: draw(lambda out: show(out, build_failure_table(FAILURES)), 180),
    "hearing.md": lambda: render_arbitration_details(a_hearing(), "r/contradiction-1", "default"),
    "run.md": detail_run,
}


def form(name: str) -> str:
    lines = FORMS[name]().replace("\r\n", "\n").splitlines()
    return "\n".join(line.rstrip() for line in lines if line.strip()) + "\n"


@pytest.mark.parametrize("name", FORMS)
def test_what_is_shown_is_what_was_found_right(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setenv("TZ", "UTC")  # a terminal shows moments in its own time
        time.tzset()
        shown = form(name)
    time.tzset()
    assert shown == (GOLDEN / name).read_text(encoding="utf-8")


if __name__ == "__main__":
    for name in FORMS:
        (GOLDEN / name).write_text(form(name), encoding="utf-8")

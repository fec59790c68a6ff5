"""What stands on a terminal: lists, contradictions, the way of a run and its end."""

import datetime as dt
import io
import json
import re
import time
import unicodedata
from typing import Any

import pytest
from rich.console import Console
from rich.text import Text

from caveat.clients.cli.conclusion import tell_conclusion
from caveat.clients.cli.console import print_json, say
from caveat.clients.cli.runs import _print_file, runs
from caveat.clients.cli.tables import Entry, build_inbox_table, build_run_table, show
from caveat.clients.cli.views import LineView, create_view
from caveat.clients.run_description import RunLine, RunStatus, Waiting
from caveat.contracts.envelope import AgentType
from caveat.contracts.outcome import (
    Artifact,
    AssignmentProgress,
    AssignmentState,
    Outcome,
    Progress,
)
from caveat.contracts.phase import Phase
from caveat.contracts.plan import Format
from caveat.contracts.report import Report
from caveat.failures import timed_out
from caveat.rendering.markdown import render
from caveat.rendering.visible import is_control
from tests.fakes.reports import a_disputed_report, a_report, reported

RUNS = [
    RunLine(
        run_id="research-how-fast-does-the-universe-expand-a1b2c3",
        topic="How fast does the universe expand, and why do measurements disagree?",
        status=RunStatus.RUNNING,
        phase="awaiting_rulings",
        started=dt.datetime(2026, 1, 1).astimezone(),
    ),
    RunLine(
        run_id="research-tides-000000",
        topic="Tides\x1b[31m",
        status=RunStatus.COMPLETED,
        phase="done",
        confidence=0.436,
        started=dt.datetime(2026, 1, 2).astimezone(),
    ),
]
WAITING = [
    Waiting(
        arbitration=f"research-how-fast-does-the-universe-expand-{run}/contradiction-1",
        topic=topic,
        about="Hubble constant: 67.4 km/s/Mpc in one, 73.0 km/s/Mpc in the other",
        values="A (67.4 km/s/Mpc) or B (73.0 km/s/Mpc)",
        statements=(frozenset({"planck"}), frozenset({"riess"})),
        opened=dt.datetime(2026, 1, 1).astimezone(),
        deadline=dt.datetime(2026, 1, 1, 6).astimezone(),
    )
    for run, topic in (("a1b2c3", "How fast does the universe expand?"), ("d4e5f6", "How old?"))
]
EIGHTY = """\
research-how-fast-does-the-universe-expand-a1b2c3
  waiting · waiting for a ruling · started 2026-01-01 00:00
  How fast does the universe expand, and why do measurements disagree?
research-tides-000000
  completed · confidence 0.44 · started 2026-01-02 00:00
  Tides [31m
research-how-fast-does-the-universe-expand-a1b2c3/contradiction-1
research-how-fast-does-the-universe-expand-d4e5f6/contradiction-1
  answer until 2026-01-01 06:00
  Hubble constant: A (67.4 km/s/Mpc) or B (73.0 km/s/Mpc)
  How fast does the universe expand?
  How old?
"""


CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\].*?(?:\x07|\x1b\\)|\r", re.DOTALL)


class Terminal(io.StringIO):
    """What is written to, as a terminal is."""

    def isatty(self) -> bool:
        return True

    @property
    def text(self) -> str:
        """What was written, without what a terminal obeys."""
        return CONTROL.sub("", self.getvalue())


@pytest.mark.parametrize("terminal", [True, False])
def test_terminals_show_their_own_time(terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    stream = Terminal() if terminal else io.StringIO()
    say(Console(file=stream, width=100), "It waits until 1 January 2026, 18:00 UTC to try again.")
    monkeypatch.undo()
    time.tzset()
    own = "It waits until 2 January 2026, 03:00 JST to try again."
    assert (own in stream.getvalue()) is terminal


def test_a_moment_that_never_was_is_shown_as_it_is_written() -> None:
    for moment in ("31 February 2024, 10:00 UTC", "3 Sept 2024, 10:00 UTC"):
        stream = Terminal()
        say(Console(file=stream, width=100), f"It says {moment}.")
        assert moment in stream.getvalue()


def printed(width: int, *lists: list[Entry]) -> str:
    stream = io.StringIO()
    for entries in lists:
        show(Console(file=stream, width=width), entries)
    return "".join(line.rstrip() + "\n" for line in stream.getvalue().splitlines())


@pytest.mark.parametrize("width", [80, 120])
def test_names_are_whole_at_every_width(width: int) -> None:
    shown = printed(width, build_run_table(RUNS), build_inbox_table(WAITING))
    assert shown == EIGHTY
    named = {line for line in shown.splitlines() if not line.startswith(" ")}
    assert named == {*(run.run_id for run in RUNS), *(each.arbitration for each in WAITING)}


@pytest.mark.parametrize(("there", "said"), [(3, True), (2, False)])
def test_runs_that_are_not_listed_are_said(
    there: int, *, said: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("caveat.clients.cli.runs._ask", lambda *_: RUNS[:1] * there)
    runs(limit=2, as_json=True)
    out, err = capsys.readouterr()
    assert len(json.loads(out)) == 2
    assert ("`caveat runs --limit 4`" in err) is said


CONTROLS = [
    sign
    for sign in map(chr, [*range(0x110), *range(0x2000, 0x2070), 0xFEFF, 0xE0041, 0xD800])
    if unicodedata.category(sign) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
]


def test_json_says_all_and_a_terminal_obeys_none_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    said = {f"{name}": f"a{sign}é😀" for name, sign in enumerate(CONTROLS)}
    print_json(said)
    printed = capsys.readouterr().out
    assert json.loads(printed) == said
    assert not {sign for sign in printed if is_control(sign)} - {"\n"}
    assert "é😀" in printed


def console(stream: io.StringIO, **more: Any) -> Console:
    return Console(file=stream, **{"width": 100, "highlight": False, "markup": False, **more})


def progress(*lines: AssignmentProgress, phase: Phase = Phase.INVESTIGATING) -> Progress:
    return Progress(
        run_id="r",
        topic="t",
        phase=phase,
        started=dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
        documents=14,
        assignments=lines,
    )


READING = AssignmentProgress(
    id="a1", title="Distance ladders", state=AssignmentState.READING, read=5, to_read=8
)


def test_without_a_terminal_new_lines_are_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    with create_view(console(stream)) as shown:
        assert isinstance(shown, LineView)
        for _ in range(3):
            shown.show(progress(READING))
        shown.show(progress(READING.model_copy(update={"read": 6})))
        later = time.monotonic() + 47
        monkeypatch.setattr(time, "monotonic", lambda: later)
        for phase in (Phase.INVESTIGATING, Phase.AWAITING_RULINGS):
            shown.show(progress(phase=phase))
        monkeypatch.setattr(time, "monotonic", lambda: later + 47)
        shown.show(progress(phase=Phase.AWAITING_RULINGS))
    assert [line[5:] for line in stream.getvalue().splitlines()] == [
        "step 3 of 8: searching and reading · 14 documents",
        "a1 Distance ladders: reading 5 of 8",
        "a1 Distance ladders: reading 6 of 8",
        "step 3 of 8: searching and reading · 14 documents",
        "waiting for a ruling · 14 documents",
    ]


def said(report: Report) -> str:
    out = io.StringIO()
    console = Console(file=out, width=200)
    tell_conclusion(console, console, Outcome(report=report), (), "http://127.0.0.1:1")
    return out.getvalue()


def test_documents_that_could_not_be_read_are_named() -> None:
    lost = [
        reported(timed_out("slow"), AgentType.LIBRARIAN, task_description=f"Read {name}.html")
        for name in "abcdefg"
    ]
    report = a_report().model_copy(update={"failures": tuple(lost)})
    assert "Could not be read: a.html, b.html, c.html, d.html, e.html and 2 others." in said(report)
    made_good = [each.model_copy(update={"recovered": True}) for each in lost]
    assert "Could not be read" not in said(report.model_copy(update={"failures": tuple(made_good)}))


@pytest.mark.parametrize("report", [a_report(), a_disputed_report()])
@pytest.mark.parametrize("answer", [None, "The answer is long [c1]. " * 60])
def test_small_screens_end_with_disputes_and_commands(report: Report, answer: str | None) -> None:
    changes = {"answered": True, "answer": answer, "answered_because": ""} if answer else {}
    terminal = Terminal()
    console = Console(file=terminal, width=80, height=24)
    told = Outcome(report=report.model_copy(update=changes))
    paths = [f"/reports/{'r' * 60}/report.{each}" for each in ("md", "pdf")]
    files = [Artifact(format="md", path=each, sha256="0" * 64, size=1) for each in paths]
    tell_conclusion(console, console, told, files, "http://127.0.0.1:8234", is_latest=True)
    lines = terminal.text.rstrip().splitlines()
    assert " sources read · " in lines[0]  # how it went stands before what was found
    assert any(line.startswith(("Answered.", "Closest passages.")) for line in lines)
    if report.disputed:
        opens = next(at for at, line in enumerate(lines) if line.startswith("Sources disagree"))
        assert len(lines) - 24 < opens
        assert lines[-1].startswith("  caveat rule latest/")
    else:
        assert len(lines) <= 24
    assert "Confidence " in terminal.text
    assert any(each.startswith("[1] ") for each in lines)


def test_a_terminal_keeps_captions_and_ends_at_the_sources(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written = render(a_disputed_report())
    assert "<summary>" in written
    assert "## Appendix" in written
    assert r"[\[1\]](#source-1)" in written
    console = Console(force_terminal=True, width=100)
    monkeypatch.setattr("caveat.clients.cli.runs.get_stdout", lambda: console)
    monkeypatch.setattr("caveat.clients.cli.runs.is_seen", lambda _: True)
    _print_file(written.encode(), Format.MARKDOWN)
    shown = Text.from_ansi(capsys.readouterr().out).plain
    for caption in re.findall("<summary>(.*?)</summary>", written.partition("## Appendix")[0]):
        assert caption in shown
    assert "Sources" in shown
    assert "Appendix" not in shown
    assert "[[" not in shown

import datetime as dt
import io
import json
import unicodedata

import pytest
from rich.console import Console

from caveat.clients.cli.console import print_json
from caveat.clients.cli.runs import runs
from caveat.clients.cli.tables import Listing, failure_table, inbox_table, run_table, show
from caveat.clients.standings import RunLine, RunStatus, Waiting
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.failures import PortFailure, not_found, unavailable
from caveat.rendering.visible import is_control
from tests.fakes.reports import reported

GONE = not_found("The page is gone.", resource="page")
BUSY = unavailable("The archive is busy.", resource="archive")
UNPAID = PortFailure(
    Failure(
        category=FailureCategory.BUSINESS,
        failure_type=FailureType.PERMANENT,
        message="Nothing is left to pay with.",
        provider="anthropic",
    )
)


FAILED_AT = dt.datetime(2026, 1, 3, 4, 5).astimezone()


def drawn(failure: PortFailure, width: int, *, recovered: bool = False) -> list[str]:
    what = "Read “Planck 2018”"
    failed = reported(
        failure,
        task_id="a1-read-2",
        task_description=what,
        recovered=recovered,
        failed_at=FAILED_AT,
    )
    stream = io.StringIO()
    show(Console(file=stream, width=width), failure_table([failed]))
    return stream.getvalue().splitlines()


@pytest.mark.parametrize(
    ("failure", "recovered", "says"),
    [(GONE, False, "no"), (BUSY, False, "yes"), (UNPAID, False, "yes"), (BUSY, True, "recovered")],
)
def test_a_failure_says_what_why_and_whether_it_is_worth_retrying(
    failure: PortFailure, recovered: bool, says: str
) -> None:
    heading, line = drawn(failure, 180, recovered=recovered)
    at, when = heading.index("worth retrying"), heading.index("failed at")
    assert line[at:when].strip() == says
    assert line[when:].strip() == "2026-01-03 04:05"
    assert "Read “Planck 2018”" in line
    assert failure.failure.message in line
    assert f"{failure.failure.failure_type} ({failure.failure.category})" in line


def test_eighty_columns_show_every_column() -> None:
    lines = drawn(BUSY, 80)
    assert max(map(len, lines)) <= 80
    words = " ".join(" ".join(lines).split())
    for word in ("a1-read-2", "archive", "unavailable", "4", "yes", "2026-01-03 04:05"):
        assert word in words


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
        arbitration="research-how-fast-does-the-universe-expand-a1b2c3/contradiction-1",
        topic="How fast does the universe expand?",
        about="Hubble constant: 67.4 ± 0.5 km/s/Mpc or 73.0 ± 1.0 km/s/Mpc",
        values="A or B",
        opened=dt.datetime(2026, 1, 1).astimezone(),
        deadline=dt.datetime(2026, 1, 1, 6).astimezone(),
    )
]
FORTY = """\
research-how-fast-does-the-universe-expand-a1b2c3
  running · waiting for a ruling ·
  2026-01-01 00:00
  How fast does the universe expand, and
  why do measurements disagree?
research-tides-000000
  completed · confidence 0.44 ·
  2026-01-02 00:00
  Tides [31m
research-how-fast-does-the-universe-expand-a1b2c3/contradiction-1
  answer until 2026-01-01 06:00
  Hubble constant: 67.4 ± 0.5 km/s/Mpc
  or 73.0 ± 1.0 km/s/Mpc: A or B
  How fast does the universe expand?
"""
EIGHTY = """\
research-how-fast-does-the-universe-expand-a1b2c3
  running · waiting for a ruling · 2026-01-01 00:00
  How fast does the universe expand, and why do measurements disagree?
research-tides-000000
  completed · confidence 0.44 · 2026-01-02 00:00
  Tides [31m
research-how-fast-does-the-universe-expand-a1b2c3/contradiction-1
  answer until 2026-01-01 06:00
  Hubble constant: 67.4 ± 0.5 km/s/Mpc or 73.0 ± 1.0 km/s/Mpc: A or B
  How fast does the universe expand?
"""


def printed(width: int, *listings: Listing) -> str:
    stream = io.StringIO()
    for listing in listings:
        show(Console(file=stream, width=width), listing)
    return "".join(line.rstrip() + "\n" for line in stream.getvalue().splitlines())


@pytest.mark.parametrize(("width", "text"), [(40, FORTY), (80, EIGHTY), (120, EIGHTY)])
def test_names_are_whole_at_every_width(width: int, text: str) -> None:
    shown = printed(width, run_table(RUNS), inbox_table(WAITING))
    assert shown == text
    named = {line for line in shown.splitlines() if not line.startswith(" ")}
    assert named == {*(run.run_id for run in RUNS), WAITING[0].arbitration}


@pytest.mark.parametrize(("there", "said"), [(3, True), (2, False)])
def test_runs_that_are_not_listed_are_said(
    there: int, *, said: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("caveat.clients.cli.asking.latest_runs", lambda *_: RUNS[:1] * there)
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

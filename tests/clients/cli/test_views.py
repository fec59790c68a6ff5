import datetime as dt
import io
from typing import Any

import pytest
from rich.console import Console

from caveat.clients.cli.runs import status
from caveat.clients.cli.views import LineView, LiveView, view
from caveat.clients.standings import FoundRun, RunLine, RunStatus, Standing
from caveat.contracts.phase import Phase
from caveat.contracts.progress import AssignmentProgress, AssignmentState, Progress
from caveat.rendering.visible import visible_line
from caveat.workers.settings import Settings
from tests.fakes.kept import NOW


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


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


def test_without_a_terminal_a_line_is_printed_only_when_it_is_new() -> None:
    stream = io.StringIO()
    with view(console(stream)) as shown:
        assert isinstance(shown, LineView)
        for _ in range(3):
            shown.show(progress(READING))
        shown.show(progress(READING.model_copy(update={"read": 6})))
    assert stream.getvalue().splitlines() == [
        "0:00 step 3 of 8: searching and reading · 14 documents",
        "0:00 a1 Distance ladders: reading 5 of 8",
        "0:00 a1 Distance ladders: reading 6 of 8",
    ]


async def test_on_a_terminal_the_last_frame_stays() -> None:
    stream = Terminal()
    with view(console(stream, force_terminal=True, legacy_windows=False)) as shown:
        assert isinstance(shown, LiveView)
        shown.show(progress(READING))
    last = stream.getvalue().split("\x1b[2K")[-1]
    assert "step 3 of 8: searching and reading · 14 documents · 0:00" in last
    assert "reading 5 of 8" in last


async def test_a_long_title_gives_way_to_the_id_and_to_how_far_an_angle_is() -> None:
    stream, title = (
        Terminal(),
        "A title that is longer than there is room for on eighty columns, all of it",
    )
    line = READING.model_copy(update={"title": title})
    with view(console(stream, width=80, force_terminal=True, legacy_windows=False)) as shown:
        shown.show(progress(line))
    drawn = stream.getvalue().split("\x1b[2K")[-1]
    assert line.id in drawn
    assert "reading 5 of 8" in drawn


async def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn() -> str:
        stream = Terminal()
        with view(console(stream, force_terminal=True, legacy_windows=False)) as shown:
            shown.show(progress(READING))
        return stream.getvalue()

    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[36m" in drawn()
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[36m" not in drawn()


def test_a_dumb_terminal_is_not_drawn_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(view(console(Terminal(), force_terminal=True)), LineView)


def test_what_strangers_write_cannot_move_the_cursor() -> None:
    hostile = "Title\x1b[2J\x9b31m\u202egnp.exe\nnext"
    stream = io.StringIO()
    with view(console(stream)) as shown:
        shown.show(progress(READING.model_copy(update={"title": hostile})))
    assert visible_line(hostile) == "Title [2J 31mgnp.exe next"
    assert not set("\x1b\x9b\u202e") & set(stream.getvalue())
    assert len(stream.getvalue().splitlines()) == 2


@pytest.mark.parametrize("stream", [Terminal(), io.StringIO()], ids=["terminal", "file"])
def test_what_opens_the_web_ui_is_shown_on_terminals_alone(
    stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, no_server: Settings
) -> None:
    assert no_server
    stands = Standing(
        RunLine(run_id="research-a", topic="t", status=RunStatus.RUNNING, started=NOW)
    )
    found = FoundRun("research-a", stands, "http://127.0.0.1:1/a", "http://127.0.0.1:1/a?token=b")
    monkeypatch.setattr("caveat.clients.cli.runs.look_up", lambda *_: found)
    monkeypatch.setattr("sys.stdout", stream)
    status("research-a", as_json=False)
    assert "http://127.0.0.1:1/a" in stream.getvalue()
    assert ("?token=b" in stream.getvalue()) is stream.isatty()

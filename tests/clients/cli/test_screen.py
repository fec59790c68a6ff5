"""What stands on the screen of a real terminal, at three sizes."""

import os
import re
import sys
from pathlib import Path

import pytest
from rich.console import Console

from caveat.clients.cli.console import say
from tests.fakes.home import DEADLINE_S, TOPIC, Home
from tests.fakes.screen import Screen, Sitting, Terminal

SIZES = [(120, 40), (80, 24)]

DRAWING = """\
import asyncio, datetime as dt, logging
from caveat.clients.cli.console import get_stderr, say
from caveat.clients.cli.session import keep_quiet
from caveat.clients.cli.views import create_view
from caveat.contracts.outcome import *
keep_quiet()
lines = tuple(
    AssignmentProgress(id=f"a{n}", title=f"Angle {n}", state="reading", to_read=9, read=n % 9)
    for n in range(1, 31)
)

async def drawn():
    with create_view(get_stderr()) as shown:
        for number in range(1, 13):
            shown.show(Progress(
                run_id="r", topic="t", phase="investigating", documents=number,
                started=dt.datetime.now(dt.UTC), assignments=lines,
            ))
            await asyncio.sleep(0.15)
            logging.getLogger("caveat.notices").warning("Notice %d is whole.", number)
            say(get_stderr(), f"Remark {number} is whole.")

asyncio.run(drawn())
"""


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_what_is_said_meanwhile_stands_whole_above_the_drawing(
    size: tuple[int, int], tmp_path: Path
) -> None:
    drawing = Sitting(
        [sys.executable, "-c", DRAWING], size=size, environment=os.environ, folder=tmp_path
    )
    assert drawing.end(DEADLINE_S) == 0
    said, drawn = drawing.screen.text.splitlines()[:24], drawing.screen.text.splitlines()[24:]
    assert said == [
        f"{what} {number} is whole." for number in range(1, 13) for what in ("Notice", "Remark")
    ]
    assert "step 3 of 8: searching and reading · 12 documents" in drawn[0]
    assert re.search(r"\d+ of 270 read", drawn[1])
    shown = [line.split()[0] for line in drawn[2:] if line.startswith("  a")]
    assert shown == [f"a{number}" for number in range(1, len(shown) + 1)]
    assert len(drawn) <= size[1]


RUN = "research-what-is-the-value-of-the-hubble-constant-0f900b"


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize(
    "hint",
    [
        f"The rest of it follows: `caveat resume {RUN} --wait` waits for all of it.",
        f"  caveat rule {RUN}/contradiction-1 a|b|both|neither --because TEXT",
        f"  caveat report {'r' * 54}  reads it here",
    ],
)
def test_a_line_that_people_copy_is_broken_at_words_and_stays_one_line(
    hint: str, size: tuple[int, int]
) -> None:
    terminal, screen = Terminal(), Screen(*size)
    say(Console(file=terminal, width=size[0]), hint)
    screen.write(terminal.getvalue().replace("\n", "\r\n"))
    _, *rest = lines = screen.text.splitlines()
    assert [word for line in lines for word in line.split()] == hint.split()
    assert not any(line.startswith(" ") for line in rest)
    assert terminal.getvalue().count("\n") == 1


@pytest.fixture
def home(disputed_home: Home) -> Home:
    return disputed_home


def asked(home: Home) -> Sitting:
    """Begin a run that asks, and wait until it does."""
    begun = Sitting(
        [sys.executable, "-m", "caveat.clients.cli.main", "research", TOPIC, "--corpus", "papers"],
        size=(80, 24),
        environment=home.environment,
        folder=home.folder,
    )
    begun.wait_for("Which holds?", DEADLINE_S)
    question = begun.screen.text.partition("contradiction-1: ")[2].splitlines()
    assert len(question) <= 24
    return begun


@pytest.mark.system
def test_a_ruling_at_the_question_leads_to_the_final_report(home: Home) -> None:
    run = asked(home)
    run.type("perhaps\r")
    run.wait_for("no ruling", DEADLINE_S)
    run.type("both\r")
    run.wait_for("Why?", DEADLINE_S)
    run.type("Different epochs.\r")
    assert run.end(DEADLINE_S) == 0
    (written,) = (home.folder / "reports").glob("*/report.md")
    assert "Final report" in written.read_text(encoding="utf-8")


@pytest.mark.system
def test_later_returns_with_the_provisional_report(home: Home) -> None:
    run = asked(home)
    run.type("later\r")
    assert run.end(DEADLINE_S) == 0
    left_with_provisional(run, home)
    lines = run.screen.text.splitlines()
    assert all(len(line) <= 80 for line in lines)


def left_with_provisional(run: Sitting, home: Home) -> None:
    (written,) = (home.folder / "reports").glob("*/report.md")
    assert f"reports/{written.parent.name}: report.md, report.pdf, report.json" in " ".join(
        run.screen.text.split()
    )
    assert "Provisional: the final report follows the last ruling." in run.screen.text
    assert (
        "\n  caveat rule latest/contradiction-1 a|b|both|neither --because TEXT" in run.screen.text
    )
    assert "Provisional report" in written.read_text(encoding="utf-8")

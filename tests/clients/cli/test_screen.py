"""A person at a real terminal rules at the question, or later."""

import sys

import pytest

from tests.fakes.home import DEADLINE_S, TOPIC, Home
from tests.fakes.screen import Sitting


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
    question = begun.text.partition("contradiction-1: ")[2].splitlines()
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


def left_with_provisional(run: Sitting, home: Home) -> None:
    (written,) = (home.folder / "reports").glob("*/report.md")
    assert f"reports/{written.parent.name}: report.md, report.pdf, report.json" in " ".join(
        run.text.split()
    )
    assert "Provisional: the final report follows the last ruling." in run.text
    assert "\n  caveat rule latest/contradiction-1 a|b|both|neither --because TEXT" in run.text
    assert "Provisional report" in written.read_text(encoding="utf-8")

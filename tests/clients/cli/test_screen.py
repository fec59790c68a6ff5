"""A person at a real terminal reads the report first, and rules then."""

import sys

import pytest

from tests.fakes.home import DEADLINE_S, TOPIC, Home
from tests.fakes.screen import Sitting


@pytest.mark.system
def test_a_terminal_shows_the_provisional_report_and_how_to_rule(disputed_home: Home) -> None:
    home = disputed_home
    run = Sitting(
        [sys.executable, "-m", "caveat.clients.cli.main", "research", TOPIC, "--corpus", "papers"],
        size=(80, 24),
        environment=home.environment,
        folder=home.folder,
    )
    assert run.end(DEADLINE_S) == 0
    (written,) = (home.folder / "reports").glob("*/report.md")
    assert f"reports/{written.parent.name}: report.md, report.pdf, report.json" in " ".join(
        run.text.split()
    )
    assert "Provisional: the final report follows the last ruling." in run.text
    assert "\n  caveat rule latest/contradiction-1 a|b|both|neither --because TEXT" in run.text
    assert "Provisional report" in written.read_text(encoding="utf-8")

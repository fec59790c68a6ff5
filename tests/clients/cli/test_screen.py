"""A person at a real terminal reads the report first, and rules then."""

import re
import shlex
import subprocess
import sys

import pytest

from tests.fakes.commands import ran
from tests.fakes.home import TOPIC, Home


@pytest.mark.system
def test_a_terminal_shows_the_provisional_report_and_how_to_rule(disputed_home: Home) -> None:
    home = disputed_home
    command = (sys.executable, "-m", "caveat.clients.cli.main", "research", TOPIC)
    typed = f"stty cols 80 rows 24; {shlex.join(command)} --corpus papers"
    done = ran(
        *("script", "--quiet", "--return", "--command", typed, "/dev/null"),
        cwd=home.folder,
        env=home.environment | {"TERM": "xterm-256color"},
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\].*?(?:\x07|\x1b\\)|\r", "", done.stdout)
    (written,) = (home.folder / "reports").glob("*/report.md")
    files = f"reports/{written.parent.name}: report.md, report.pdf, report.json"
    assert files in " ".join(shown.split())
    assert "Provisional: the final report follows the last ruling." in shown
    assert "\n  caveat rule latest/contradiction-1 a|b|both|neither --because TEXT" in shown
    assert "Provisional report" in written.read_text(encoding="utf-8")

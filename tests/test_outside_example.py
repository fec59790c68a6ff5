"""What docs/agents.md and examples/outside-agents show works as it is shown."""

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from caveat.teams.team import TeamCatalogue
from tests.fakes.brokers import URL, delete_agent, is_there
from tests.fakes.free_ports import free_port
from tests.fakes.home import DEADLINE_S

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "outside-agents"
pytestmark = [
    pytest.mark.system,
    pytest.mark.xdist_group("outside-example"),  # one process makes its fixtures
]


def test_the_team_of_the_example_is_the_shipped_one_with_three_seats_elsewhere() -> None:
    shipped = TeamCatalogue().read_team("investment")
    desks = TeamCatalogue((EXAMPLE / "teams",)).read_team("investment-desks")
    elsewhere = {each.name for each in desks.specialists if each.agent}
    assert elsewhere == {"valuation", "news", "financial"}
    inside = [
        each.model_copy(update={"agent": None, "patience": 3600}) for each in desks.specialists
    ]
    assert tuple(inside) == shipped.specialists
    assert desks.quorum == shipped.quorum


@dataclass(frozen=True)
class Played:
    """How a scenario left, what it said, its report if there is one, and where that lies."""

    left: int
    said: str
    report: dict[str, Any] | None
    folder: Path


SCENARIOS = (
    ("whole", "dies", "whole"),
    ("partial75", "silent", "whole"),
    ("partial60", "silent", "whole"),
    ("whole", "whole", "refuses"),
)
"""How valuation, news and financial work. A desk that is waited for takes 8 s, twice."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str, str, str], Played]]:
    """Replay the scenarios, one at a time: their desks have the same names on one broker.

    Each is asked for once, so that whoever asks again is a test that is tried once more.
    """
    if not is_there():
        pytest.skip("no RabbitMQ on 127.0.0.1:5672")
    with ThreadPoolExecutor(1) as pool:

        def begun(how: tuple[str, ...]) -> Future[Played]:
            return pool.submit(play, tmp_path_factory.mktemp("desks"), how)

        plays = {how: begun(how) for how in SCENARIOS}
        yield lambda *how: (plays.pop(how, None) or begun(how)).result()


def machine(folder: Path) -> dict[str, str]:
    """A machine of its own, whose desks count as silent after 8 s and not after 20."""
    teams = folder / "teams"
    shutil.copytree(EXAMPLE / "teams", teams)
    team = teams / "investment-desks.toml"
    team.write_text(team.read_text().replace("patience = 20", "patience = 8"))
    kept = {name: value for name, value in os.environ.items() if "TEMPORAL" not in name}
    return kept | {
        "CAVEAT_BIN": str(Path(sys.executable).parent),
        "CAVEAT_MESSAGES": URL,
        "CAVEAT_CONFIG_DIR": str(teams.parent),
        "CAVEAT_STATE_DIR": str(folder / "state"),
        "CAVEAT_CACHE_DIR": str(folder / "cache"),
        "CAVEAT_PORT": str(free_port()),
    }


def play(folder: Path, how: tuple[str, ...]) -> Played:
    """Replay one scenario with the one command."""
    for desk in ("valuation", "news", "financial"):
        asyncio.run(delete_agent(desk))
    out = folder / "out"
    playing = subprocess.Popen(
        [EXAMPLE / "run.sh", *how, "--format", "md,json", "--out", out],
        env=machine(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        said, _ = playing.communicate(timeout=DEADLINE_S)
    except subprocess.TimeoutExpired:
        os.killpg(playing.pid, signal.SIGKILL)  # its desks would go on
        raise
    file = out / "report.json"
    report = json.loads(file.read_text()) if file.exists() else None
    return Played(playing.returncode, said, report, out)


def section(report: dict[str, Any], title: str) -> dict[str, Any]:
    (found,) = (each for each in report["sections"] if each["title"] == title)
    return dict(found)


def moved(report: dict[str, Any]) -> list[str]:
    """What lowered a report's confidence after it was set."""
    return [step["reason"] for step in report["confidence"]["ledger"][1:]]


def amounts(report: dict[str, Any], title: str) -> list[float]:
    return [step["amount"] for step in section(report, title)["confidence"]["ledger"]]


BY_WORDS = "without a language model it is moderate at most"
NO_NEWS = "nothing on “Recent news and guidance”"


@pytest.mark.parametrize(
    ("valuation", "news", "lowered", "weakened"),
    [
        ("whole", "dies", [NO_NEWS], False),
        ("partial75", "silent", [NO_NEWS], True),
        ("partial60", "silent", ["too much of “Valuation” failed for it to count", NO_NEWS], True),
    ],
)
def test_news_times_out_and_valuation_is_whole_or_partial(
    played: Callable[[str, str, str], Played],
    valuation: str,
    news: str,
    lowered: list[str],
    *,
    weakened: bool,
) -> None:
    done = played(valuation, news, "whole")
    report = done.report
    assert report is not None, done.said
    assert done.left == 0, done.said
    assert moved(report) == [BY_WORDS, *lowered]
    limited = report["confidence"]["ledger"][1]["after"]
    assert limited <= 0.60
    assert report["confidence"]["value"] == pytest.approx(limited - 0.10 * len(lowered))
    assert (0.9 in amounts(report, "Valuation")) is weakened
    assert section(report, "Valuation")["claims"]
    assert not section(report, "Recent news and guidance")["claims"]
    failures = {each["task_description"]: each for each in report["failures"]}
    silence = failures.pop("Have news look into “Recent news and guidance”")
    assert silence["failure"]["failure_type"] == "timeout"
    assert silence["completeness"] == 0
    if weakened:
        partly = failures.pop("Have valuation look into “Valuation”")
        share = float(valuation.removeprefix("partial")) / 100
        assert partly["completeness"] == pytest.approx(share)
        assert f"{share:.0%} of it is kept" in (done.folder / "report.md").read_text()
    assert not failures


def test_without_critical_financial_the_run_ends(played: Callable[[str, str, str], Played]) -> None:
    done = played("whole", "whole", "refuses")
    said = done.said
    assert (done.left, done.report) == (1, None)
    assert "Critical agent failed: “Financial results” failed" in said
    assert "The financial desk does not cover this company." in said
    (evidence,) = re.findall(r"The evidence is kept in (.*)", said)
    kept = json.loads(Path(evidence).read_text())
    assert any(each["claims"] for each in kept["findings"]), "what the others found is kept"

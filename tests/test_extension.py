"""What other packages offer: examples/extension as a wheel beside Caveat's, and broken ones."""

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.commands import ran
from tests.fakes.free_ports import free_port
from tests.fakes.wheels import NoEnvironment, Wheel, add, install

pytestmark = pytest.mark.system
PROJECT = Path(__file__).parents[1] / "examples" / "extension"
TOPIC = "How long is the pier of Ostend?"
LOGBOOKS = {
    "harbour.txt": "The pier of Ostend is 1,240 metres long, and older than any other.\n",
    "pilot.txt": "The pier of Ostend measures 1,240 metres, and ships pass it on both sides.\n",
    "ferry.txt": "The pier of Ostend is long, and 3 ferries a day leave from the end of it.\n",
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Wheel:
    folder = tmp_path_factory.mktemp("extension")
    try:
        made = install(folder / "caveat")
    except NoEnvironment as error:
        pytest.skip(f"No virtual environment can be made here: {error}")
    source = folder / "source"
    # Not where it lies: a build leaves nothing behind in it.
    subprocess.run(["cp", "-r", PROJECT, source], check=True)
    add(made, source, folder)
    return made


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "logbooks").mkdir()
    for name, text in LOGBOOKS.items():
        (tmp_path / "logbooks" / name).write_text(text, encoding="utf-8")
    (tmp_path / "quick.json").write_text('{"arbitration_timeout": "1s"}', encoding="ascii")
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return kept | {
        "CAVEAT_STATE_DIR": str(tmp_path / "state"),
        "CAVEAT_CACHE_DIR": str(tmp_path / "cache"),
        "CAVEAT_PORT": str(free_port()),
        "TEMPORAL_CONFIG_FILE": str(tmp_path / "no-profile.toml"),
        "LOGBOOK_FOLDER": str(tmp_path / "logbooks"),
    }


CHOSEN = {
    "CAVEAT_REASONER": "harbour",
    "CAVEAT_SEARCH": "logbook",
    "HARBOUR_MASTER": "Ada of Ostend",
}


def caveat(
    wheel: Wheel, environment: dict[str, str], cwd: Path, *arguments: str
) -> subprocess.CompletedProcess[str]:
    return ran(wheel.folder / "bin" / "caveat", *arguments, cwd=cwd, env=environment)


def test_a_run_has_both_in_use(wheel: Wheel, environment: dict[str, str], tmp_path: Path) -> None:
    done = caveat(
        *(wheel, environment | CHOSEN, tmp_path, "research", TOPIC, "--corpus", "logbooks"),
        *("--depth", "overview", "--out", "out", "--request", "quick.json", "--wait"),
    )
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert report["reasoner"]["name"] == "harbour"
    assert "quotes sentences that state a number" in report["reasoner"]["disclosure"]
    assert all(re.search(r"\d", claim["quote"]) for claim in report["claims"])
    assert "1,240 metres" in json.dumps(report["claims"])
    evidence = evidence_of(tmp_path, report["run_id"])
    backend = evidence["backend"]
    assert (backend["reasoner"], backend["engines"]) == ("harbour", ["logbook"])
    assert backend["credentials"]
    assert "Ada" not in json.dumps(evidence)
    checked = caveat(wheel, environment, tmp_path, "audit", "out/report.json")
    assert checked.returncode == 0, checked.stdout + checked.stderr

    # A run is one reasoner's, and of one account: nobody else can make what it is worked on by.
    assert makes(wheel, environment, CHOSEN["HARBOUR_MASTER"], backend) == "True"
    assert makes(wheel, environment, "Somebody else", backend) == "False"


MAKES = """
import sys
from caveat.contracts.backend import Backend
from caveat.workers.backends import match_settings
from caveat.workers.settings import load
print(match_settings(Backend.model_validate_json(sys.argv[1]), load()) is not None)
"""


def makes(wheel: Wheel, environment: dict[str, str], master: str, backend: dict[str, Any]) -> str:
    """Whether a process with this master's account could go on with a run of that backend."""
    account = environment | {"HARBOUR_MASTER": master}
    asked = ran(wheel.python, "-c", MAKES, json.dumps(backend), env=account, check=True)
    return asked.stdout.strip()


def evidence_of(home: Path, run_id: str) -> dict[str, Any]:
    file = home / "state" / "reports" / run_id / "evidence.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


@pytest.fixture
def broken(wheel: Wheel) -> Iterator[Callable[[str, str], None]]:
    """Install a package by hand whose module says something, and remove it after the test."""
    (site,) = wheel.folder.glob("lib/python*/site-packages")
    made = [site / "caveat_broken.py", site / "caveat_broken-1.0.dist-info"]

    def install_(points: str, module: str) -> None:
        made[0].write_text(module, encoding="utf-8")
        made[1].mkdir(exist_ok=True)
        (made[1] / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: caveat-broken\nVersion: 1.0\n"
        )
        (made[1] / "entry_points.txt").write_text(points, encoding="utf-8")

    yield install_
    made[0].unlink()
    for each in made[1].iterdir():
        each.unlink()
    made[1].rmdir()


@pytest.mark.parametrize(
    ("name", "module", "said"),
    [
        ("bad", "import nowhere", "(ModuleNotFoundError: No module named 'nowhere')."),
        ("bad", "import sys; sys.exit(4)", "“bad” cannot be made (SystemExit: 4)."),
        ("bad", "make = lambda given: given.by_rules", "must have a card of that name"),
        ("harbour", "make = print", "2 packages offer “harbour”, not one; known are bad, claude"),
        ("none", "", "0 packages offer “none”, not one; known are bad, claude, extractive,"),
    ],
    ids=["import", "exit", "no card", "twice", "missing"],
)
def test_what_cannot_be_used_is_one_sentence(
    wheel: Wheel,
    environment: dict[str, str],
    tmp_path: Path,
    broken: Callable[[str, str], None],
    name: str,
    module: str,
    said: str,
) -> None:
    broken("[caveat.reasoners]\nbad=caveat_broken:make\nharbour=caveat_broken:make", module)
    done = caveat(
        *(wheel, environment | {"CAVEAT_REASONER": name}, tmp_path),
        *("research", TOPIC, "--corpus", "logbooks", "--out", "out"),
    )
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr


def test_help_imports_none(
    wheel: Wheel, environment: dict[str, str], tmp_path: Path, broken: Callable[[str, str], None]
) -> None:
    marker = tmp_path / "imported"
    points = "".join(
        f"[caveat.{kind}]\nbad=caveat_broken:make\n" for kind in ("reasoners", "search_engines")
    )
    broken(points, f"open({str(marker)!r}, 'w')")
    for arguments in (("--help",), ("research", "--help"), ("runs",)):
        assert caveat(wheel, environment, tmp_path, *arguments).returncode == 0
        assert not marker.exists()

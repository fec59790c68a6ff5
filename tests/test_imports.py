"""Each import contract of pyproject.toml is shown to bite."""

import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fakes.patience import PATIENCE_S

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LINTER = PROJECT["tool"]["importlinter"]
NAMES: dict[str, str] = {contract["id"]: contract["name"] for contract in LINTER["contracts"]}


@dataclass(frozen=True)
class Trespass:
    """A forbidden import, planted at the end of a module that exists."""

    contract: str
    module: str
    line: str

    @property
    def label(self) -> str:
        return f"{self.contract}: {self.line} in {self.module}"


TRESPASSES = [
    Trespass("house", "activities/sources.py", "import caveat.workflows.research.workflow"),
    Trespass("house", "workflows/research/workflow.py", "import caveat.workers.settings"),
    Trespass("house", "workers/worker.py", "import caveat.clients.cli.main"),
    Trespass("house", "caveat/adapters/sql/memory.py", "import caveat.activities.keeping"),
    Trespass("house", "caveat/rules/run/quorum.py", "import caveat.ports"),
    Trespass("house", "caveat/contracts/claim.py", "import caveat.rules.run.quorum"),
    Trespass("house", "caveat/ports.py", "import caveat.adapters.sql.memory"),
    Trespass("rooms", "caveat/rules/run/quorum.py", "import caveat.rules.report.revision"),
    Trespass("house", "caveat/quantities/units.py", "import caveat.rules.text"),
    Trespass("adapters", "caveat/adapters/web/library.py", "import caveat.adapters.corpus.index"),
    Trespass("adapters", "caveat/adapters/http/client.py", "import caveat.adapters.web.library"),
    Trespass("adapters", "caveat/adapters/claude/reasoner.py", "import caveat.adapters.extractive"),
    Trespass("no-temporal", "caveat/rules/run/quorum.py", "import temporalio"),
    Trespass("no-temporal", "caveat/adapters/sql/memory.py", "from temporalio import activity"),
    Trespass("no-adapters", "activities/sources.py", "import caveat.adapters.files.snapshots"),
    Trespass("no-adapters", "workflows/research/workflow.py", "import sqlalchemy"),
    # Reached through a module that may be imported.
    Trespass("no-adapters", "caveat/rules/run/quorum.py", "import yaml"),
    Trespass("wiring-alone", "workers/settings.py", "import caveat.adapters.sql.memory"),
]


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A copy of the packages, to plant imports in."""
    for package in ("caveat", "workflows", "activities", "workers", "clients"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, tmp_path / package, symlinks=True, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def lint(house: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo"],
        cwd=house,
        # The copy comes before the editable installation of this repository.
        env={**os.environ, "PYTHONPATH": str(house), "COLUMNS": "200", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def broken(output: str) -> list[str]:
    return [name for name in NAMES.values() if f"{name} BROKEN" in " ".join(output.split())]


def test_the_house_keeps_its_contracts(house: Path) -> None:
    done = lint(house)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(NAMES)} kept, 0 broken" in done.stdout


def test_every_contract_has_a_trespass() -> None:
    assert {trespass.contract for trespass in TRESPASSES} == set(NAMES)


@pytest.mark.parametrize("trespass", TRESPASSES, ids=lambda trespass: trespass.label)
def test_a_trespass_breaks_its_contract(house: Path, trespass: Trespass) -> None:
    with (house / trespass.module).open("a", encoding="utf-8") as module:
        module.write(f"\n{trespass.line}\n")
    done = lint(house)
    assert done.returncode == 1, done.stdout + done.stderr
    assert NAMES[trespass.contract] in broken(done.stdout)

"""What is installed is what is in the repository."""

import ast
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import Distribution, EntryPoint
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.fakes.patience import PATIENCE_S

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES: list[str] = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that a wheel of this tree is unpacked into, as an installation would."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=PATIENCE_S)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def files(folder: Path, package: str) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.joinpath(package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def run_installed(installed: Path, code: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, *arguments],
        cwd=installed.parent,
        env={"PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_every_package_in_the_repository_is_named() -> None:
    found = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"standins"}
    assert sorted(PACKAGES) == sorted(found)


def test_the_wheel_holds_these_packages_alone(installed: Path) -> None:
    folders = {path.name for path in installed.iterdir() if path.suffix != ".dist-info"}
    assert folders == set(PACKAGES)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_is_the_folder_on_disk(installed: Path, package: str) -> None:
    assert files(installed, package) == files(ROOT, package)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_says_that_it_is_typed(installed: Path, package: str) -> None:
    assert (installed / package / "py.typed").is_file()


@pytest.mark.parametrize("package", PACKAGES)
def test_every_folder_with_code_is_a_package(package: str) -> None:
    folders = {path.parent for path in (ROOT / package).rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


def hands_out_alone(init: Path) -> bool:
    """Whether a room's `__init__` is empty, or its face: words, imports and `__all__`."""
    face = (ast.Import, ast.ImportFrom)
    for each in ast.parse(init.read_text(encoding="utf-8")).body:
        is_word = isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
        is_list = isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == "__all__"
        if not (is_word or is_list or isinstance(each, face)):
            return False
    return True


@pytest.mark.parametrize("package", PACKAGES)
def test_an_init_holds_nothing_but_the_face_of_its_room(package: str) -> None:
    inits = list((ROOT / package).rglob("__init__.py"))
    assert inits
    assert [init for init in inits if not hands_out_alone(init)] == []


def test_teams_and_migrations_are_shipped(installed: Path) -> None:
    assert (installed / "caveat" / "teams" / "general.toml").is_file()
    migrations = installed / "caveat" / "adapters" / "sql" / "migrations"
    assert (migrations / "env.py").is_file()
    assert list((migrations / "versions").glob("r0001_*.py"))


RECALL = """
import asyncio, sys
from caveat.adapters.sql import memory
assert asyncio.run(memory.SqlMemory(sys.argv[1]).recall("none")) is None
print(memory.__file__)
"""


def test_an_installed_memory_migrates(installed: Path, tmp_path: Path) -> None:
    """From the wheel's own files, with no `alembic.ini` anywhere near."""
    used = run_installed(installed, RECALL, f"sqlite:///{tmp_path}/memory.db")
    assert Path(used).is_relative_to(installed)


def test_the_console_script_is_there(installed: Path) -> None:
    (metadata,) = installed.glob("*.dist-info")
    (script,) = Distribution.at(metadata).entry_points
    assert script == EntryPoint("caveat", "clients.cli.main:main", "console_scripts")
    code = f"from {script.module} import {script.attr}; print(callable({script.attr}))"
    assert run_installed(installed, code) == "True"


def pins(lock: str) -> dict[str, str]:
    """The requirements of a lock file by name, each on one line."""
    text = (ROOT / "requirements" / lock).read_text(encoding="utf-8").replace("\\\n", " ")
    return {canonicalize_name(line.split("==")[0]): line for line in text.splitlines()}


@pytest.mark.parametrize("lock", ["run.txt", "postgres.txt", "dev.txt"])
def test_a_lock_pins_by_hash_and_names_no_address(lock: str) -> None:
    assert [line for line in pins(lock).values() if "--hash=sha256:" not in line] == []
    assert [line for line in pins(lock).values() if "://" in line or "--index" in line] == []


@pytest.mark.parametrize(
    ("lock", "wanted"),
    [
        ("run.txt", PROJECT["project"]["dependencies"]),
        ("postgres.txt", PROJECT["project"]["optional-dependencies"]["postgres"]),
        ("dev.txt", PROJECT["project"]["optional-dependencies"]["dev"]),
    ],
)
def test_a_lock_fits_the_project(lock: str, wanted: list[str]) -> None:
    pinned = pins(lock)
    for requirement in map(Requirement, wanted):
        version = pinned[canonicalize_name(requirement.name)].split("==")[1].split()[0]
        assert requirement.specifier.contains(version), requirement


@pytest.mark.parametrize(("smaller", "larger"), [("run", "postgres"), ("postgres", "dev")])
def test_developers_run_what_is_shipped(smaller: str, larger: str) -> None:
    few, many = pins(f"{smaller}.txt"), pins(f"{larger}.txt")
    assert {name: many.get(name) for name in few} == few

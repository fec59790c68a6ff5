"""What is installed is what is in the repository."""

import os
import re
import shutil
import sys
import tomllib
import zipfile
from importlib.metadata import Distribution, EntryPoint
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.fakes.commands import ran

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ROOMS = ("workflows", "activities", "workers", "clients")
"""Folders beside `caveat` that hang in it: their names at the top belong to others."""


def build(source: Path, target: str, folder: Path, **variables: str) -> None:
    """Build a wheel or an sdist of a tree into a folder."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    ran(*command, cwd=source, env=os.environ | variables, check=True)


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that a wheel of this tree is unpacked into, as an installation would."""
    folder = tmp_path_factory.mktemp("wheel")
    build(ROOT, "wheel", folder)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def files(folder: Path) -> set[str]:
    """The files of the package, those behind its links too."""
    return {
        Path(place, name).relative_to(folder).as_posix()
        for place, _, names in os.walk(folder / "caveat", followlinks=True)
        for name in names
        if "__pycache__" not in place
    }


def run_installed(installed: Path, code: str, *arguments: str, folder: Path | None = None) -> str:
    """Run code with what is installed; a folder of one's own comes first, as with `python -c`."""
    done = ran(
        *(sys.executable, *(() if folder else ("-P",)), "-c", code, *arguments),
        cwd=folder or installed.parent,
        env={"PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_hangs_in_the_package(room: str) -> None:
    assert (ROOT / "caveat" / room).readlink() == Path("..", room)


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this tree is no clone")
def test_nothing_but_the_named_folders_is_committed() -> None:
    # A built wheel and the output folder of a trial were each committed once.
    committed = ran("git", "ls-files", cwd=ROOT, check=True).stdout.splitlines()
    folders = {folder for folder, below, _ in (name.partition("/") for name in committed) if below}
    assert folders == {
        *ROOMS, "caveat", "tests", "benchmarks", "docs", "examples", "docker", "requirements",
        ".ci", ".github",
    }  # fmt: skip
    assert not [name for name in committed if name.endswith((".whl", ".sqlite", ".lock"))]


def test_every_package_at_the_top_is_a_room() -> None:
    found = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert found == {"caveat", *ROOMS}


def test_a_forge_builds_a_readme_whose_links_are_absolute(tmp_path: Path) -> None:
    build(ROOT, "wheel", tmp_path, GITHUB_SERVER_URL="https://forge.test", GITHUB_REPOSITORY="a/b")
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
        metadata = archive.read(name).decode()
    relative = re.findall(r"\]\((?![a-z]+:|#)[^)]*\)", metadata)
    assert relative == []
    tree = f"v{PROJECT['project']['version']}"
    assert f"](https://forge.test/a/b/blob/{tree}/docs/tutorial.md)" in metadata
    assert f"](https://forge.test/a/b/raw/{tree}/docs/pictures/page-report.png)" in metadata
    assert "Project-URL: Homepage, https://forge.test/a/b\n" in metadata


def test_the_wheel_installs_one_name(installed: Path) -> None:
    folders = {path.name for path in installed.iterdir() if path.suffix != ".dist-info"}
    assert folders == {"caveat"}


def test_the_package_is_the_folder_on_disk(installed: Path) -> None:
    assert files(installed) == files(ROOT)
    assert (installed / "caveat" / "py.typed").is_file()


def test_a_wheel_from_the_sdist_is_the_same(installed: Path, tmp_path: Path) -> None:
    build(ROOT, "sdist", tmp_path)
    (sdist,) = tmp_path.glob("*.tar.gz")
    shutil.unpack_archive(sdist, tmp_path, filter="data")
    (source,) = (path for path in tmp_path.iterdir() if path.is_dir())
    build(source, "wheel", tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if name.startswith("caveat/")}
    assert held == files(installed)


@pytest.mark.parametrize("module", ["caveat.clients.cli.main", "caveat.workers.worker"])
def test_it_lives_beside_a_project_with_rooms_of_the_same_names(
    installed: Path, tmp_path: Path, module: str
) -> None:
    """As a user of Temporal has them, and as `llama-index-workflows` installs one."""
    for room in ROOMS:
        (tmp_path / f"{room}.py").write_text("OWNER = 'somebody else'\n")
    code = (
        "import sys, importlib; importlib.import_module(sys.argv[1]); import workflows, workers\n"
        "print(workflows.OWNER, workers.OWNER, sep=', ')"
    )
    said = run_installed(installed, code, module, folder=tmp_path)
    assert said == "somebody else, somebody else"


@pytest.mark.parametrize("package", ["caveat", *ROOMS])
def test_every_folder_with_code_is_a_package(package: str) -> None:
    folders = {path.parent for path in (ROOT / package).rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_the_console_script_is_there(installed: Path) -> None:
    (metadata,) = installed.glob("*.dist-info")
    (script,) = Distribution.at(metadata).entry_points
    assert script == EntryPoint("caveat", "caveat.clients.cli.main:main", "console_scripts")
    code = f"from {script.module} import {script.attr}; print(callable({script.attr}))"
    assert run_installed(installed, code) == "True"


IN_IMAGE = ("bedrock", "blobs", "confidential", "foundry", "postgres", "vertex")
"""Extras that workers of a fleet may need, as each of them is configured by variables alone."""


def pins(lock: str) -> dict[str, str]:
    """The requirements of a lock file by name, each on one line."""
    text = (ROOT / "requirements" / lock).read_text(encoding="utf-8").replace("\\\n", " ")
    return {canonicalize_name(line.split("==")[0]): line for line in text.splitlines()}


@pytest.mark.parametrize(
    "lock", ["run.txt", "image.txt", "dev.txt", "docs.txt", "moto.txt", "release.txt"]
)
def test_a_lock_pins_by_hash_and_names_no_address(lock: str) -> None:
    assert [line for line in pins(lock).values() if "--hash=sha256:" not in line] == []
    assert [line for line in pins(lock).values() if "://" in line or "--index" in line] == []


@pytest.mark.parametrize(
    ("lock", "wanted"),
    [
        ("run.txt", PROJECT["project"]["dependencies"]),
        *(("image.txt", PROJECT["project"]["optional-dependencies"][extra]) for extra in IN_IMAGE),
        ("dev.txt", PROJECT["project"]["optional-dependencies"]["dev"]),
    ],
)
def test_a_lock_fits_the_project(lock: str, wanted: list[str]) -> None:
    pinned = pins(lock)
    for requirement in map(Requirement, wanted):
        version = pinned[canonicalize_name(requirement.name)].split("==")[1].split()[0]
        assert requirement.specifier.contains(version), requirement


@pytest.mark.parametrize(("smaller", "larger"), [("run", "image"), ("image", "dev")])
def test_developers_run_what_is_shipped(smaller: str, larger: str) -> None:
    few, many = pins(f"{smaller}.txt"), pins(f"{larger}.txt")
    assert {name: many.get(name) for name in few} == few

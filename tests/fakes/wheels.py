"""Versions of Caveat as their users have them: a wheel in an environment of its own each."""

import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHIPPED = (
    *("caveat", "workflows", "activities", "workers", "clients", "docs", "examples"),
    *("hatch_build.py", "pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE"),
)

PATIENCE_S = 120.0  # seconds for a build, which takes four on an idle machine


@dataclass(frozen=True)
class Wheel:
    """What is installed of it."""

    folder: Path  # the environment

    @property
    def python(self) -> str:
        return str(self.folder / "bin" / "python")


class NoEnvironment(Exception):
    """No virtual environment can be made here."""


class NoCommit(Exception):
    """This is no checkout, or it has no such commit."""


def install(folder: Path, commit: str | None = None) -> Wheel:
    """Build and install this tree, or that of a commit."""
    environment = folder / "environment"
    _make_environment(environment)
    source = folder / "source"
    source.mkdir(parents=True)
    if commit is not None:
        archived = ("git", "archive", "--output", str(folder / "source.tar"), commit, *SHIPPED)
        try:
            subprocess.run(archived, cwd=ROOT, capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise NoCommit(commit) from error
        shutil.unpack_archive(folder / "source.tar", source, filter="data")
    else:
        for name in SHIPPED:
            _copy(ROOT / name, source / name)
    made = Wheel(environment)
    add(made, source, folder)
    return made


def _run(module: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def _make_environment(folder: Path) -> None:
    made = _run("venv", "--without-pip", str(folder), cwd=ROOT)
    if made.returncode != 0:
        raise NoEnvironment(made.stderr.strip()[-200:])
    (site,) = folder.glob("lib/python*/site-packages")
    # What Caveat needs, behind its own folder; a link to this tree that lies there is not followed.
    (site / "needed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, target, symlinks=True, ignore=ignored)
    else:
        shutil.copy(source, target)


def add(wheel: Wheel, project: Path, folder: Path) -> None:
    """Build a project, and install its wheel."""
    made = _run("hatchling", "build", "-t", "wheel", "-d", str(folder), cwd=project)
    assert made.returncode == 0, made.stderr
    (built,) = folder.glob("*.whl")
    pip = ("uv", "pip", "install", "--quiet", "--offline", "--no-deps", "--python", wheel.python)
    installed = _run(*pip, str(built), cwd=folder)
    assert installed.returncode == 0, installed.stderr

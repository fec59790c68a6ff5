"""Versions of Caveat as their users have them: a wheel in an environment of its own each."""

import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from caveat.workers.guard import die_with_parent

ROOT = Path(__file__).parents[2]

SHIPPED = (
    *("caveat", "workflows", "activities", "workers", "clients", "docs", "examples"),
    *("hatch_build.py", "pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE"),
)

PATIENCE_S = 120.0  # seconds for a build, which takes four on an idle machine
VERSION = "0.0.9"  # of the earlier version: below every one that was released


_BEGINS = "    async def run(self, *args: Any) -> Outcome:\n"
_DOCSTRING_ENDS = '        """\n'


@dataclass(frozen=True)
class Wheel:
    """What is installed of it."""

    folder: Path  # the environment

    @property
    def python(self) -> str:
        return str(self.folder / "bin" / "python")

    def begin(
        self, *arguments: str, cwd: Path, environment: Mapping[str, str]
    ) -> subprocess.Popen[str]:
        """Begin its command as a shell does; it dies with this process."""
        parent = os.getpid()
        own = {name: value for name, value in environment.items() if name != "PYTHONPATH"}
        return subprocess.Popen(
            [str(self.folder / "bin" / "caveat"), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=cwd,
            env=own,
            preexec_fn=lambda: die_with_parent(parent, signal.SIGKILL),  # noqa: PLW1509  # it only asks the kernel
        )

    def sleep_first(self) -> None:
        """Change it further: runs sleep before anything else, and no patch says so."""
        (module,) = self.folder.glob(
            "lib/python*/site-packages/caveat/workflows/research/workflow.py"
        )
        before, begins, rest = module.read_text(encoding="utf-8").partition(_BEGINS)
        docstring, ends, body = rest.partition(_DOCSTRING_ENDS)
        assert begins
        assert ends
        sleeping = "        await workflow.sleep(0.01)\n"
        module.write_text(before + begins + docstring + ends + sleeping + body, encoding="utf-8")


class NoEnvironment(Exception):
    """No virtual environment can be made here."""


class NoCommit(Exception):
    """This is no checkout, or it has no such commit."""


def install(folder: Path, *, is_earlier: bool = True, commit: str | None = None) -> Wheel:
    """Build and install this tree, or the version before every patch that is in its workflows.

    Args:
        commit: whose tree is taken as it is, in place of both.
    """
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
        if is_earlier:
            _set_back(source)
    made = _run("hatchling", "build", "-t", "wheel", "-d", str(folder), cwd=source)
    assert made.returncode == 0, made.stderr
    (wheel,) = folder.glob("*.whl")
    python = str(environment / "bin" / "python")
    pip = ("uv", "pip", "install", "--quiet", "--offline", "--no-deps", "--python", python)
    installed = _run(*pip, str(wheel), cwd=folder)
    assert installed.returncode == 0, installed.stderr
    return Wheel(environment)


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


def _set_back(source: Path) -> None:
    """Have its runs begin with a timer, and give it a version of its own."""
    project = source / "pyproject.toml"
    text, times = re.subn(
        r'^version = ".*"$',
        f'version = "{VERSION}"',
        project.read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
    assert times == 1
    project.write_text(text, encoding="utf-8")
    module = source / "workflows" / "research" / "workflow.py"
    text, times = re.subn(
        r"^( +)await self\._recall\(request\)$",
        r"\1await workflow.sleep(0.01)\n\g<0>",
        module.read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
    assert times == 1, "nothing is different"
    module.write_text(text, encoding="utf-8")


def add(wheel: Wheel, project: Path, folder: Path) -> None:
    """Build another project, and install its wheel beside Caveat's."""
    made = _run("hatchling", "build", "-t", "wheel", "-d", str(folder), cwd=project)
    assert made.returncode == 0, made.stderr
    (built,) = folder.glob("*.whl")
    pip = ("uv", "pip", "install", "--quiet", "--offline", "--no-deps", "--python", wheel.python)
    installed = _run(*pip, str(built), cwd=folder)
    assert installed.returncode == 0, installed.stderr

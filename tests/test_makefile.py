"""What people pass to make arrives as they typed it, and nothing in it is carried out."""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.fakes.commands import ran

ROOT = Path(__file__).parents[1]
ECHO = """#!{python}
import json, sys
print(json.dumps(sys.argv[1:]))
"""


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    """A virtual environment that counts as installed, whose `caveat` prints what it is given."""
    caveat = tmp_path / "venv" / "bin" / "caveat"
    caveat.parent.mkdir(parents=True)
    caveat.write_text(ECHO.format(python=sys.executable), encoding="utf-8")
    caveat.chmod(0o755)
    (tmp_path / "venv" / "run").touch()
    return tmp_path / "venv"


def given(venv: Path, **variables: str) -> list[str]:
    # As from a shell: the make that runs the tests would have this one say where it works.
    of_make = {"MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MFLAGS"}
    environment = {name: value for name, value in os.environ.items() if name not in of_make}
    changed = [f"{name}={value}" for name, value in variables.items()]
    made = ran("make", "research", f"VENV={venv}", *changed, cwd=ROOT, env=environment)
    assert made.returncode == 0, made.stderr
    arguments: list[str] = json.loads(made.stdout)
    return arguments


@pytest.mark.parametrize(
    "typed",
    [
        "What is `touch {witness}` for?",
        "$(touch {witness})",
        "$(shell touch {witness})",
        "$$(touch {witness})",
        "'; touch {witness}; '",
        '"; touch {witness}; "',
        "x\n\ttouch {witness}\ny",
        "costs $5, or ${{HOME}}?",
        "-e # \\ %s *",
        "--help",
    ],
)
@pytest.mark.parametrize("variable", ["TOPIC", "CORPUS", "OUT"])
def test_typed_words_are_no_command(variable: str, typed: str, venv: Path, tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    typed = typed.format(witness=witness)
    assert typed in given(venv, **{variable: typed})
    assert not witness.exists()


def test_without_a_folder_the_run_names_it(venv: Path) -> None:
    assert "--out" not in given(venv)
    assert given(venv, OUT="mine")[-4:-2] == ["--out", "mine"]

"""Every command of the documentation: the lines that begin with `$ caveat`, as they stand there."""

import re
import shlex
from pathlib import Path

import click
import pytest
from typer.main import get_command

from caveat.clients.cli import app
from tests.fakes.home import Home

ROOT = Path(__file__).parents[3]
PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
BLOCK = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)
PROMPT = re.compile(r"^\$ (?:.*&& )?caveat (.*)$", re.MULTILINE)
SERVES = {"up", "worker", "mcp"}  # until Ctrl-C; other tests serve
FOLLOWED = ("tutorial.md", "contradictions.md", "documents.md")
NOTES = {
    "contracts/lease.md": "The notice period of the lease is three months.",
    "offers/tariffs.md": "The night tariff is cheapest: a kilowatt hour costs 21 cents.",
    "notes.pdf": "no PDF at all",
}
KEY = "export ANTHROPIC_API_KEY"  # what stands behind it calls a model


def list_commands(page: Path, *, without_key: bool = False) -> list[list[str]]:
    text = "".join(BLOCK.findall(page.read_text(encoding="utf-8")))
    text = text.partition(KEY)[0] if without_key else text
    return [shlex.split(line, comments=True) for line in PROMPT.findall(text)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_documented_command_can_be_typed(page: Path) -> None:
    for name, *rest in list_commands(page):
        commands = get_command(app.app).commands  # type: ignore[attr-defined]  # it is a group
        command, arguments = commands[name], rest
        if isinstance(command, click.Group):
            command, arguments = command.commands[rest[0]], rest[1:]
        command.make_context(name, arguments)


@pytest.mark.system
@pytest.mark.parametrize("name", FOLLOWED)
def test_a_page_is_followed_to_the_letter(home: Home, name: str) -> None:
    page = next(page for page in PAGES if page.name == name)
    home.environment["HOME"] = str(home.folder)
    for path, text in NOTES.items():
        (home.folder / path).parent.mkdir(exist_ok=True)
        (home.folder / path).write_text(text, encoding="utf-8")
    first = ("research", "What is the Hubble constant?", "--corpus", "papers", "--provisional")
    assert home.caveat(*first).returncode == 0
    for command in list_commands(page, without_key=True):
        if command[0] not in SERVES:
            typed = [each.replace("~", str(home.folder)) for each in command]
            done = home.caveat(*typed)
            assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"

import resource
import shlex
import subprocess
import sys
from typing import Any

import pytest
from typer.main import get_command

from caveat.clients.cli import app
from caveat.clients.cli.app import EXAMPLES, GROUPS, Grouped
from caveat.clients.options import OPTIONS
from tests.fakes.commands import ran
from tests.fakes.patience import slowness

ENTRY = "import sys; from caveat.clients.cli.main import main; sys.argv[1:] = {arguments}; main()"


def caveat(*arguments: str) -> subprocess.CompletedProcess[str]:
    return ran(sys.executable, "-c", ENTRY.format(arguments=list(arguments)))


def processor_seconds(*arguments: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert caveat(*arguments).returncode == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.parametrize("arguments", [["--help"], ["research", "--help"]])
def test_help_comes_within_half_a_second(arguments: list[str]) -> None:
    # Of the processor, because other work on the machine is not ours to answer for.
    assert min(processor_seconds(*arguments) for _ in range(3)) < 0.5 * slowness()


def test_every_command_has_its_place_and_examples_that_can_be_typed() -> None:
    every = commands()
    assert set(EXAMPLES) == set(every)
    assert {name for names in GROUPS.values() for name in names} <= set(every)
    for path, examples in EXAMPLES.items():
        assert f"Examples:\n    {examples[0]}" in words_of(every[path])
        for example in examples:
            typed = shlex.split(example.partition("caveat ")[2].rstrip(")"))
            named = max(
                (each for each in every if typed[: len(each.split())] == each.split()), key=len
            )
            # Typer itself refuses what its command does not know.
            every[named].make_context(
                "caveat", typed[len(named.split()) :], resilient_parsing=False
            )


def commands() -> dict[str, Any]:
    """Every command with the words that are typed for it."""
    found: dict[str, Any] = {}
    group: Any = get_command(app.app)
    context = group.make_context("caveat", ["runs"])
    for name in group.list_commands(context):
        found[name] = command = group.get_command(context, name)
        if isinstance(command, Grouped):
            inner = command.make_context(name, ["--help"], parent=context, resilient_parsing=True)
            for each in command.list_commands(inner):
                found[f"{name} {each}"] = command.get_command(inner, each)
    return found


def words_of(command: Any) -> str:
    return str(command.get_help(command.make_context("x", [], resilient_parsing=True)))


def words(*arguments: str) -> str:
    """What help says, without the line breaks of its 80 columns."""
    return " ".join(caveat(*arguments, "--help").stdout.split())


def test_the_defaults_and_choices_shown_are_those_of_the_contracts() -> None:
    shown = words("research")
    for option in OPTIONS.values():
        if option.name != "topic":
            assert f"{option.flag} " in shown
        assert " ".join(option.help.split()) in shown
        if option.default:
            assert f"[default: {option.default}]" in shown
    assert "How much to read: overview, deep, exhaustive. [default: deep]" in shown


def test_help_lists_at_most_twenty_commands() -> None:
    assert len([each for each in commands() if " " not in each]) <= 20

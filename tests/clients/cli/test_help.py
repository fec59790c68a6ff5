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
from tests.fakes.pace import slowness

COMMANDS = [name for names in GROUPS.values() for name in names]

ENTRY = "import sys; from caveat.clients.cli.main import main; sys.argv[1:] = {arguments}; main()"
HEAVY = "temporalio caveat.rules sqlalchemy caveat.workers asyncio pyromark"


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


SHOWN = (
    "from caveat.clients.cli.boundary import run_app\n"
    f"for command in {COMMANDS}: assert run_app([command, '--help']) == 0"
)


WORKS = """
from caveat.clients.cli import order, research
from caveat.workers import serving, wiring
"""
LOADS = {
    SHOWN: HEAVY,
    # Listing runs and saying where they stand: each of these takes a tenth to load.
    "import caveat.clients.cli.runs, caveat.clients.cli.session, caveat.clients.service": """
        caveat.rules.audit caveat.rules.report caveat.rules.sources caveat.rules.text sqlalchemy
        caveat.adapters.files.reports caveat.teams caveat.quantities caveat.workflows.research
        caveat.workers.wiring caveat.workers.worker""",
    # What prepares a run, before the server is there.
    "from caveat.clients.cli import research": """
        temporalio caveat.clients.cli.order caveat.workers.connection sqlalchemy
        caveat.adapters.claude caveat.rules.audit""",
    # What works on a run, without what few runs need.
    WORKS: """
        caveat.adapters.claude anthropic httpx2 jinja2 lxml docutils numpy charset_normalizer""",
    # What reads documents: a run waits for its processes, which begin with what they import.
    "from caveat.adapters.documents import markdown, reader": """
        caveat.quantities.units caveat.contracts.report caveat.rules.text temporalio
        charset_normalizer""",
}


@pytest.mark.parametrize("code", LOADS)
def test_nothing_is_loaded_that_only_later_work_needs(code: str) -> None:
    found = (
        f"sys.exit(', '.join(name for name in {LOADS[code].split()} if name in sys.modules) or 0)"
    )
    shown = ran(sys.executable, "-c", f"import sys\n{code}\n{found}")
    assert (shown.returncode, shown.stderr) == (0, "")


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

"""`caveat runs`: the runs that the server knows."""

from clients.cli.asking import ask
from clients.cli.console import print_json, say, stderr, stdout
from clients.cli.exits import ExitCode
from clients.cli.tables import run_table, show
from clients.runs import RunLine, Runs
from workers.connection import Connection
from workers.settings import load


def runs(limit: int, *, as_json: bool) -> int:
    """Carry the command out and return its exit code."""

    async def latest(runs: Runs, _: Connection) -> list[RunLine]:
        return await runs.latest(limit)

    lines = ask(latest, load())
    if as_json:
        print_json([line.model_dump(mode="json") for line in lines])
    elif lines:
        show(stdout(), run_table(lines))
    else:
        say(stderr(), "There are no runs yet: `caveat research TOPIC --corpus DIR` starts one.")
    return ExitCode.DONE

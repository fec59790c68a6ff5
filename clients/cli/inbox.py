"""`caveat inbox`: what waits for a person, across all runs."""

from clients.arbitrations import Arbitrations, Waiting
from clients.cli.asking import ask
from clients.cli.console import print_json, say, stderr, stdout
from clients.cli.exits import ExitCode
from clients.cli.tables import inbox_table, show
from clients.runs import Runs
from workers.connection import Connection
from workers.settings import load


def inbox(*, as_json: bool) -> int:
    """Carry the command out and return its exit code."""

    async def waiting(runs: Runs, _: Connection) -> list[Waiting]:
        return await Arbitrations(runs.client).waiting()

    lines = ask(waiting, load())
    if as_json:
        print_json([line.model_dump(mode="json") for line in lines])
    elif lines:
        show(stdout(), inbox_table(lines))
        say(stderr(), "`caveat rule ARBITRATION a|b|both|neither --because TEXT` answers one;")
        say(stderr(), "with more than two values: a letter, several (a,c), all or none.")
    else:
        say(stderr(), "Nothing waits for a person.")
    return ExitCode.DONE

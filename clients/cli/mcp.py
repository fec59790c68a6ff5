"""`caveat mcp`: research for an assistant that speaks MCP over this process's input and output."""

from contextlib import suppress
from importlib.util import find_spec

from caveat.clients.cli.console import stderr
from caveat.clients.cli.session import connected, log_to_stderr, run, while_connected
from caveat.clients.folders import absolute, require_folder
from caveat.clients.problems import BadInput, Stopped
from caveat.problem import ExitCode
from caveat.workers.settings import Settings, load


def mcp(corpus: tuple[str, ...]) -> int:
    """Carry the command out and return its exit code."""
    if find_spec("mcp") is None:
        raise BadInput(
            "`caveat mcp` needs the package mcp: install Caveat with the extra `caveat[mcp]`."
        )
    settings = load()
    folders = (*(absolute(each) for each in corpus), *settings.corpus)
    for folder in folders:
        require_folder(folder)
    log_to_stderr()
    with suppress(Stopped):
        run(_served(settings.model_copy(update={"corpus": folders})))
    return ExitCode.DONE


async def _served(settings: Settings) -> None:
    from caveat.clients.mcp.serving import over_stdio  # noqa: PLC0415  # of an extra

    async with connected(settings, stderr()) as connection:
        await while_connected(over_stdio(connection, settings), connection)

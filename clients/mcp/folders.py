"""Folders that assistants may name: what reads strange texts may be told by them what to ask."""

from pathlib import Path

from caveat.clients.folders import absolute
from caveat.clients.problems import BadInput
from caveat.workers.settings import Settings


def allowed(typed: str, settings: Settings, *, here: bool) -> Path:
    """Return a folder that an assistant named.

    Args:
        typed: as it was named.
        settings: of this process.
        here: whether the folder is this machine's; else the workers of your own server decide.

    Raises:
        BadInput: it lies in none of those that assistants may use.
    """
    folder = absolute(typed)
    roots = (*settings.corpus, *settings.corpus_roots)
    if here and not any(folder.is_relative_to(each.resolve()) for each in roots):
        known = ", ".join(map(str, roots)) or "none yet"
        raise BadInput(
            f"{folder} is none of the folders that an assistant may name ({known}): start "
            "`caveat mcp --corpus DIR`, or set CAVEAT_CORPUS_ROOTS."
        )
    return folder

"""The commands that make keys, and say which of them encrypts; none shows a key."""

from pathlib import Path

from caveat.clients.cli.console import get_stderr, get_stdout, print_json, say
from caveat.clients.folders import resolve_folder
from caveat.clients.problems import BadInput
from caveat.rendering.commands import quote_for_shell
from caveat.workers import keys
from caveat.workers.settings import load


def new(typed: str) -> None:
    """Carry the command out."""
    file = resolve_folder(typed)
    made = keys.create_key_file(file)
    say(get_stdout(), made)
    say(
        get_stderr(),
        f"Set CAVEAT_KEYS_FILE={quote_for_shell(str(file))} for every command and worker of this "
        "server, and keep a copy elsewhere: without this file you cannot read what it encrypted.",
    )


def list_keys(*, as_json: bool) -> None:
    """Carry the command out."""
    known = list(keys.read(_require_keys_file()).ciphers)
    if as_json:
        print_json([{"id": key, "encrypts": key == known[0]} for key in known])
        return
    for key in known:
        say(get_stdout(), f"{key}  {'encrypts' if key == known[0] else 'decrypts'}")


def rotate() -> None:
    """Carry the command out."""
    say(get_stdout(), keys.rotate_key(_require_keys_file()))
    say(get_stderr(), "It encrypts from now on; processes that share this file know it at once.")


def _require_keys_file() -> Path:
    file = load().keys_file
    if file is None:
        raise BadInput(
            "CAVEAT_KEYS_FILE is not set: `caveat keys new FILE` makes a file to set it to."
        )
    return file

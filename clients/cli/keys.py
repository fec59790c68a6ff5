"""The commands that make keys, and say which of them encrypts; none shows a key."""

from pathlib import Path

from caveat.clients.cli.console import print_json, say, stderr, stdout
from caveat.clients.folders import absolute
from caveat.clients.problems import BadInput
from caveat.rendering.commands import quoted
from caveat.workers import keys
from caveat.workers.settings import load


def new(typed: str) -> None:
    """Carry the command out."""
    file = absolute(typed)
    made = keys.new(file)
    say(stdout(), made)
    say(
        stderr(),
        f"Set CAVEAT_KEYS_FILE={quoted(str(file))} for every command and worker of this server, "
        "and keep a copy elsewhere: without this file you cannot read what it encrypted.",
    )


def listed(*, as_json: bool) -> None:
    """Carry the command out."""
    known = list(keys.read(_file()).ciphers)
    if as_json:
        print_json([{"id": key, "encrypts": key == known[0]} for key in known])
        return
    for key in known:
        say(stdout(), f"{key}  {'encrypts' if key == known[0] else 'decrypts'}")


def rotate() -> None:
    """Carry the command out."""
    say(stdout(), keys.rotated(_file()))
    say(stderr(), "It encrypts from now on; processes that share this file know it at once.")


def _file() -> Path:
    file = load().keys_file
    if file is None:
        raise BadInput(
            "CAVEAT_KEYS_FILE is not set: `caveat keys new FILE` makes a file to set it to."
        )
    return file

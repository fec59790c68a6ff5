"""What a shell offers at a press of the tab key, from files alone: no server is asked."""

# ruff: noqa: PLC0415  # a press of the tab key loads what it needs, and help nothing

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from typer.main import Typer, get_command

_SHELLS = ("bash", "zsh", "fish")

_VARIABLE = "_CAVEAT_COMPLETE"  # by which a shell says that it wants to be offered something

_READ = 20
"""Reports that are looked into for open questions, the newest: each is read in milliseconds."""


def is_wanted() -> bool:
    """Say whether a shell asks what could be typed; what reads its question is then ready."""
    if _VARIABLE not in os.environ:
        return False
    _know_shells()
    return True


def completion(shell: str, app: Typer) -> int:
    """Print what a shell must read, and return the exit code."""
    from typer.completion import shell_complete

    from caveat.clients.problems import BadInput

    if shell not in _SHELLS:
        known = ", ".join(_SHELLS)
        raise BadInput(f"There is no completion for the shell “{shell}”: choose from {known}.")
    _know_shells()
    return shell_complete(get_command(app), {}, "caveat", _VARIABLE, f"source_{shell}")


def _know_shells() -> None:
    from typer.completion import get_completion_inspect_parameters

    get_completion_inspect_parameters()  # makes typer's own readers of the shells known


def runs(incomplete: str) -> list[str]:
    """Offer the runs that this machine knows, the newest first."""
    from caveat.clients.known import known_runs

    return _beginning(["latest", *known_runs(_state())], incomplete)


def arbitrations(incomplete: str) -> list[str]:
    """Offer the questions that the newest reports leave open."""
    import json

    from caveat.clients.known import newest_reports

    found = []
    for report in newest_reports(_state() / "reports")[:_READ]:
        try:
            told = json.loads(report.read_bytes())
            asked = [each["arbitration"] for each in told["contradictions"]]
            states = [each["state"] for each in told["contradictions"]]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        found += [name for name, state in zip(asked, states, strict=True) if state == "open"]
    return _beginning([name for name in found if isinstance(name, str)], incomplete)


def _offering(*words: str) -> Callable[[str], list[str]]:
    def offered(incomplete: str) -> list[str]:
        return _beginning(words, incomplete)

    return offered


depths = _offering("overview", "deep", "exhaustive")
priorities = _offering("critical", "high", "normal", "low")
choices = _offering("a", "b", "both", "neither")
shells = _offering(*_SHELLS)


def teams(incomplete: str) -> list[str]:
    """Offer the teams, the user's own among them."""
    from caveat.failures import PortFailure
    from caveat.teams.catalogue import TeamCatalogue
    from caveat.workers.settings import load

    try:
        return _beginning(TeamCatalogue((load().teams_dir,)).names(), incomplete)
    except PortFailure:
        return []


def _state() -> Path:
    from caveat.workers.settings import load

    return load().state_dir


def _beginning(offered: Iterable[str], incomplete: str) -> list[str]:
    return [each for each in offered if each.startswith(incomplete)]

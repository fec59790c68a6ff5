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
    _register_shells()
    return True


def print_completion(shell: str, app: Typer) -> int:
    """Print what a shell must read, and return the exit code."""
    from typer.completion import shell_complete

    from caveat.clients.problems import BadInput

    if shell not in _SHELLS:
        known = ", ".join(_SHELLS)
        raise BadInput(f"There is no completion for the shell “{shell}”: choose from {known}.")
    _register_shells()
    return shell_complete(get_command(app), {}, "caveat", _VARIABLE, f"source_{shell}")


def _register_shells() -> None:
    from typer.completion import get_completion_inspect_parameters

    get_completion_inspect_parameters()  # makes typer's own readers of the shells known


def complete_runs(incomplete: str) -> list[str]:
    """Offer the runs that this machine knows, the newest first."""
    from caveat.clients.known_runs import list_known_runs

    return _filter_by_prefix(["latest", *list_known_runs(_find_state_folder())], incomplete)


def complete_arbitrations(incomplete: str) -> list[str]:
    """Offer the questions that the newest reports leave open."""
    import json

    from caveat.clients.known_runs import list_newest_reports

    found = []
    for report in list_newest_reports(_find_state_folder() / "reports")[:_READ]:
        try:
            told = json.loads(report.read_bytes())
            asked = [each["arbitration"] for each in told["contradictions"]]
            states = [each["state"] for each in told["contradictions"]]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        found += [name for name, state in zip(asked, states, strict=True) if state == "open"]
    return _filter_by_prefix([name for name in found if isinstance(name, str)], incomplete)


def _build_completer(*words: str) -> Callable[[str], list[str]]:
    def complete(incomplete: str) -> list[str]:
        return _filter_by_prefix(words, incomplete)

    return complete


depths = _build_completer("overview", "deep", "exhaustive")
priorities = _build_completer("critical", "high", "normal", "low")
choices = _build_completer("a", "b", "both", "neither")
shells = _build_completer(*_SHELLS)


def complete_teams(incomplete: str) -> list[str]:
    """Offer the teams, the user's own among them."""
    from caveat.failures import PortFailure
    from caveat.teams.catalogue import TeamCatalogue
    from caveat.workers.settings import load

    try:
        return _filter_by_prefix(TeamCatalogue((load().teams_dir,)).list_names(), incomplete)
    except PortFailure:
        return []


def _find_state_folder() -> Path:
    from caveat.workers.settings import load

    return load().state_dir


def _filter_by_prefix(offered: Iterable[str], incomplete: str) -> list[str]:
    return [each for each in offered if each.startswith(incomplete)]

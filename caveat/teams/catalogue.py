"""The teams that ship with Caveat, read from the TOML files beside this module."""

import tomllib
from importlib import resources

from caveat.contracts.base import Contract
from caveat.contracts.plan import QuorumPolicy
from caveat.failures import invalid

SUFFIX = ".toml"


class Team(Contract):
    """Who works on a run, and the quorum that they are held to."""

    quorum: QuorumPolicy


def team_names() -> list[str]:
    """Name every team, in alphabetical order."""
    files = (file.name for file in resources.files("caveat.teams").iterdir())
    return sorted(name.removesuffix(SUFFIX) for name in files if name.endswith(SUFFIX))


def team(name: str) -> Team:
    """Read a team by name.

    Raises:
        PortFailure: there is no team of that name.
    """
    if name not in team_names():
        known = ", ".join(team_names())
        raise invalid(f"There is no team “{name}”; choose one of: {known}.", resource=name)
    text = resources.files("caveat.teams").joinpath(name + SUFFIX).read_text(encoding="utf-8")
    return Team.model_validate(tomllib.loads(text))

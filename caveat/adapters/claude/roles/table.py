"""Every role, and the models that play them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from caveat.adapters.claude.roles import (
    analyst,
    debater,
    detector,
    planner,
    reformulator,
    searcher,
    synthesiser,
    verifier,
)
from caveat.adapters.claude.roles.role import Role

ROLES: Mapping[str, Role] = {
    each.ROLE.name: each.ROLE
    for each in (
        planner, reformulator, analyst, detector, debater, synthesiser, verifier, searcher,
    )
}  # fmt: skip
"""By their names, in the order in which settings and backends list them."""


@dataclass(frozen=True)
class Models:
    """A model for each role."""

    # by the names of roles; any other role has its own default
    chosen: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def all_of(cls, model: str) -> Self:
        """Let one model play every role, as a local server usually has only one."""
        return cls(dict.fromkeys(ROLES, model))

    def of(self, role: str) -> str:
        """Name the model of a role."""
        return self.chosen.get(role, ROLES[role].model)

    @property
    def by_role(self) -> Mapping[str, str]:
        """Every role's model."""
        return {role: self.of(role) for role in ROLES}

    @property
    def names(self) -> tuple[str, ...]:
        """Every model of the reasoner, each once; searching the web is no part of it."""
        roles = (name for name in ROLES if name != searcher.ROLE.name)
        return tuple(dict.fromkeys(self.of(name) for name in roles))

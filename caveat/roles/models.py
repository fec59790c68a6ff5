"""The models that play the roles."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from caveat.contracts.phase import Step
from caveat.roles import analyst, debater, detector, planner, reformulator, synthesiser, verifier
from caveat.roles.role import SONNET, Bounds, ModelSettings

SEARCH = ModelSettings(
    name="search",
    agent="searcher",
    model=SONNET,
    bounds=Bounds(deadline_s=45, room=1_000),  # a search and a word; results take no room
    step=Step.SEARCH,
    searches=1,
)
"""No reasoner does it: words in, and no words of a model out; what the server finds counts."""

_ROLES = (analyst, detector, debater, synthesiser, verifier, reformulator)

SETTINGS: Mapping[str, ModelSettings] = {
    each.name: each for each in (planner.SETTINGS, SEARCH, *(role.SETTINGS for role in _ROLES))
}
"""Those that people choose a model for, by their names, in the order of a run."""


@dataclass(frozen=True)
class Models:
    # by the names of roles; any other role has its own default
    chosen: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_model(cls, model: str) -> Self:
        """Let one model play every role, as a local server usually has only one."""
        return cls(dict.fromkeys(SETTINGS, model))

    def find_model(self, settings: ModelSettings) -> str:
        return self.chosen.get(settings.name, settings.model)

    @property
    def by_role(self) -> Mapping[str, str]:
        return {name: self.find_model(each) for name, each in SETTINGS.items()}

    @property
    def names(self) -> tuple[str, ...]:
        """Every model of the reasoner, each once; searching the web is no part of it."""
        models = (each for name, each in SETTINGS.items() if name != SEARCH.name)
        return tuple(dict.fromkeys(map(self.find_model, models)))

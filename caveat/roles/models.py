"""Every role, and the models that play them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Self

from caveat import roles
from caveat.contracts.spending import Step
from caveat.roles.role import ModelSettings, Role

_DECLARED = tuple(
    each
    for module in iter_modules(roles.__path__, f"{roles.__name__}.")
    if module.name != __name__
    for each in vars(import_module(module.name)).values()
)

ROLES: tuple[Role[Any, Any, Any], ...] = tuple(e for e in _DECLARED if isinstance(e, Role))
"""Every role that a module of this package declares."""


def _collect_settings() -> Mapping[str, ModelSettings]:
    every = (each for each in _DECLARED if isinstance(each, ModelSettings))
    steps = list(Step)
    models: dict[str, ModelSettings] = {}
    for each in sorted(every, key=lambda one: steps.index(one.step) if one.step else len(steps)):
        models.setdefault(each.name, each)
    return models


SETTINGS = _collect_settings()
"""Those that people choose a model for, by their names, in the order of a run."""

SEARCH = "search"  # which no reasoner does


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
        models = (each for name, each in SETTINGS.items() if name != SEARCH)
        return tuple(dict.fromkeys(map(self.find_model, models)))

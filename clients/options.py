"""The options of a request, derived from the fields of its contract.

Commands, the page's form, assistants, Python and schedules take these. What a request can say
beyond them stands in its JSON.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar, get_args

from pydantic.fields import FieldInfo

from caveat.contracts.base import Contract
from caveat.contracts.plan import Budget, ResearchRequest

Taking = TypeVar("Taking", bound=Callable[..., Any])

_NAMES = {"budget.cost_usd": "max_cost"}  # options that are not called as their field
_FLAGS = {"formats": "--format"}  # flags that are not called as their option


@dataclass(frozen=True)
class RequestOption:
    place: str  # of its field in the request, such as `budget.cost_usd`
    field: FieldInfo

    @property
    def name(self) -> str:
        """What Python, assistants and forms call it."""
        return _NAMES.get(self.place, self.place)

    @property
    def flag(self) -> str:
        return _FLAGS.get(self.name, f"--{self.name.replace('_', '-')}")

    @property
    def choices(self) -> tuple[str, ...]:
        """The values that it may have; empty where these are not listed."""
        kinds = (self.field.annotation, *get_args(self.field.annotation))
        enums = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, StrEnum)]
        return tuple(each.value for enum in enums for each in enum)

    @property
    def is_choice(self) -> bool:
        return bool(self.choices) and not isinstance(self.field.default, tuple)

    @property
    def help(self) -> str:
        description = self.field.description or ""
        return f"{description}: {', '.join(self.choices)}." if self.choices else description

    @property
    def kind(self) -> Any:
        """The type in which it is typed: durations and languages are words."""
        if self.is_needed or self.field.annotation is bool:
            return self.field.annotation
        lists = {"corpus": list[str], "formats": list[str]}
        plain = {**lists, "budget.cost_usd": float}.get(self.place, str)
        return plain | None

    @property
    def is_needed(self) -> bool:
        return self.field.is_required()

    @property
    def unset(self) -> Any:
        """What a function has for it where it is not given."""
        optional = False if self.kind is bool else None
        return inspect.Parameter.empty if self.is_needed else optional

    @property
    def default(self) -> str | None:
        """What holds where it is not given, in words; None for nothing worth a word."""
        value = self.field.default
        if isinstance(value, tuple):
            return ",".join(value) or None
        return str(value) if isinstance(value, str) else None


def _list_options(contract: type[Contract], prefix: str = "") -> Iterator[RequestOption]:
    for name, field in contract.model_fields.items():
        if field.annotation is Budget:
            yield from _list_options(Budget, f"{name}.")
        elif field.description:
            yield RequestOption(f"{prefix}{name}", field)


OPTIONS = {option.name: option for option in _list_options(ResearchRequest)}


def take_options(
    annotate: Callable[[RequestOption], Any], *names: str
) -> Callable[[Taking], Taking]:
    """Have a function take options of a request in the place of its `**options`."""

    def add_options(taking: Taking) -> Taking:
        own = inspect.signature(taking)
        parameters = [each for each in own.parameters.values() if each.kind is not each.VAR_KEYWORD]
        behind = sum(each.kind is not each.KEYWORD_ONLY for each in parameters)
        parameters[behind:behind] = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=OPTIONS[name].unset,
                annotation=annotate(OPTIONS[name]),
            )
            for name in names
        ]
        taking.__signature__ = own.replace(  # type: ignore[attr-defined]  # Python's own protocol
            parameters=parameters
        )
        return taking

    return add_options


def build_fields(
    options: Mapping[str, Any], base: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Write options as the fields of a request, before those of a base; None is not given."""
    fields = dict(base or {})
    for name, value in options.items():
        if value is None or value is False:
            continue
        place = OPTIONS[name].place if name in OPTIONS else name
        outer, _, inner = place.rpartition(".")
        if outer:
            held = fields.get(outer)
            fields[outer] = {**(held if isinstance(held, dict) else {}), inner: value}
        else:
            fields[inner] = value
    return fields


def name_flag(place: str) -> str:
    """Say how a command calls a place in a request; the place itself where no option sets it."""
    for option in OPTIONS.values():
        if place == option.place or place.startswith(f"{option.place}."):
            return option.flag
    return place

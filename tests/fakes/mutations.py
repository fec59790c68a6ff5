"""Every way in which one place of a JSON document can be changed, by the sort of place it is."""

import json
import re
from collections.abc import Iterator
from copy import copy
from typing import Any, NamedTuple

INSTANCES = 1
"""Places of one sort that are changed in a document, the first ones: the rest differ in nothing."""


class Mutation(NamedTuple):
    """A changed document: the sort of place, for example `claims[].quote`, and what was done."""

    place: str
    change: str
    document: Any


def mutations(document: Any) -> Iterator[Mutation]:
    """Change every place of a document, one at a time."""
    places: dict[str, list[tuple[Any, ...]]] = {}
    for path in _paths(document, ()):
        places.setdefault(_named(path), []).append(path)
    for place, paths in places.items():
        values = [_at(document, path) for path in paths]
        for path, value in zip(paths[:INSTANCES], values, strict=False):
            others = [other for other in values if isinstance(other, str) and other != value]
            changes = [*_changes(value), *(("another's", other) for other in others[:1])]
            for change, changed in changes:
                if json.dumps(changed) != json.dumps(value):
                    yield Mutation(place, change, _with(document, path, changed))


def _paths(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    keys: list[Any] = []
    if isinstance(value, dict | list):
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    for key in keys:
        yield from _paths(value[key], (*path, key))


def _named(path: tuple[Any, ...]) -> str:
    return re.sub(r"\.\[", "[", ".".join("[]" if isinstance(key, int) else key for key in path))


def _at(document: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


def _with(document: Any, path: tuple[Any, ...], changed: Any) -> Any:
    """The document with another value at a place; it shares the rest, which nobody changes."""
    if not path:
        return changed
    mutated = copy(document)
    mutated[path[0]] = _with(document[path[0]], path[1:], changed)
    return mutated


def _changes(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, bool):
        yield "flipped", not value
    elif isinstance(value, int | float):
        yield "more", value + 1 if isinstance(value, int) else round(value * 0.99 + 0.01, 4)
        yield "less", value - 1 if isinstance(value, int) else round(value * 0.99, 4)
    elif isinstance(value, str):
        yield from _worded(value)
    elif isinstance(value, list):
        yield from _listed(value)
    elif value is None:
        yield from (("given a word", "x"), ("given a number", 1))
    elif isinstance(value, dict) and value:
        yield "nothing", None


def _worded(value: str) -> Iterator[tuple[str, str]]:
    yield "longer", f"{value} x"
    if " " in value:
        yield "without a word", value.partition(" ")[2]
    if value:
        yield "emptied", ""


def _listed(value: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    if not value:
        return
    yield "emptied", []
    if len(value) > 1:
        yield "without its first", value[1:]
        yield "without its last", value[:-1]
        if json.dumps(value[0]) != json.dumps(value[1]):
            yield "swapped", [value[1], value[0], *value[2:]]
    yield "with one twice", [*value, value[0]]

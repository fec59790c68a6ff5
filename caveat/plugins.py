"""Reasoners and search engines of other packages, by standard entry points."""

from collections.abc import Iterable
from importlib.metadata import entry_points
from typing import Any

REASONERS = "caveat.reasoners"
ENGINES = "caveat.search_engines"


class PluginError(ValueError):
    """A package's offer cannot be used; the text says which, and why."""


def list_names(group: str) -> list[str]:
    """List what packages offer, by its names; none is imported."""
    return sorted(entry_points(group=group).names)


def create_extension(group: str, name: str, resources: object, own: Iterable[str] = ()) -> Any:
    """Import what one package offers under a name, and have it made.

    Args:
        own: Caveat's names, for the sentence that says what is known.
    """
    offers = entry_points(group=group, name=name)
    if len(offers) != 1:
        known = ", ".join(sorted({*own, *list_names(group)}))
        raise PluginError(f"{len(offers)} packages offer “{name}”, not one; known are {known}")
    try:
        return offers[name].load()(resources)
    except (Exception, SystemExit) as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())[:300].rstrip(".")
        raise PluginError(f"“{name}” cannot be made ({said})") from error

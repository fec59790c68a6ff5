"""Search engines by name: those that ship, and those that other packages offer."""

from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import cast

from caveat.adapters.search.resources import Resources
from caveat.adapters.search.several import SeveralEngines
from caveat.ports import SearchEngine

GROUP = "caveat.search_engines"
"""The entry point group by which a package offers engines: each name leads to a callable that
takes an `Resources` and returns a `SearchEngine`."""

Factory = Callable[[Resources], SearchEngine]

_SHIPPED = {
    "arxiv": "caveat.adapters.search.arxiv",
    "brave": "caveat.adapters.search.brave",
    "ddgs": "caveat.adapters.search.metasearch",
    "searxng": "caveat.adapters.search.searxng",
    "tavily": "caveat.adapters.search.tavily",
    "wikipedia": "caveat.adapters.search.wikipedia",
}


class EngineProblem(ValueError):
    """A search engine cannot be had by this name; the text says why and what can."""


def engines(names: Iterable[str], resources: Resources) -> dict[str, SearchEngine]:
    """Make engines by their names, in this order.

    Raises:
        EngineProblem: one is not known, offered twice, or cannot be made.
    """
    return {name: _made(name, resources) for name in dict.fromkeys(names)}


def engine(names: Iterable[str], resources: Resources) -> SearchEngine:
    """Make one engine out of one name or several.

    Raises:
        EngineProblem: no name is given, or one cannot be made; see `engines`.
    """
    made = engines(names, resources)
    if not made:
        raise EngineProblem(f"No search engine is named; known are {', '.join(known())}.")
    return next(iter(made.values())) if len(made) == 1 else SeveralEngines(made)


def known() -> tuple[str, ...]:
    """Return the names of all engines that can be had, in alphabetical order."""
    return tuple(sorted({*_SHIPPED, *(point.name for point in entry_points(group=GROUP))}))


def _made(name: str, resources: Resources) -> SearchEngine:
    factory = _factory(name)
    try:
        engine = factory(resources)
    except (TypeError, ValueError) as error:
        raise EngineProblem(f"The search engine “{name}” cannot be made: {error}.") from error
    if not callable(getattr(engine, "search", None)):
        raise EngineProblem(f"What “{name}” makes is no search engine: it has no method search.")
    return engine


def _factory(name: str) -> Factory:
    offered = tuple(entry_points(group=GROUP, name=name))
    if name in _SHIPPED and not offered:
        return _loaded(name, lambda: import_module(_SHIPPED[name]).make)
    if len(offered) == 1 and name not in _SHIPPED:
        return _loaded(name, offered[0].load)
    if offered:
        raise EngineProblem(f"The search engine “{name}” is offered twice: {_offers(offered)}.")
    raise EngineProblem(f"There is no search engine “{name}”; known are {', '.join(known())}.")


def _loaded(name: str, load: Callable[[], object]) -> Factory:
    try:
        factory = load()
    except (ImportError, AttributeError) as error:
        raise EngineProblem(f"The search engine “{name}” cannot be loaded: {error}.") from error
    if not callable(factory):
        raise EngineProblem(f"The entry point of the search engine “{name}” cannot be called.")
    return cast("Factory", factory)


def _offers(offered: tuple[EntryPoint, ...]) -> str:
    return ", ".join(
        f"{point.value} of {point.dist.name if point.dist else 'a package'}" for point in offered
    )

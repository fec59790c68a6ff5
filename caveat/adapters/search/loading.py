"""Search engines by name: those that ship, and those that other packages offer."""

from collections.abc import Iterable
from importlib import import_module

from caveat import plugins
from caveat.adapters.search.resources import Resources
from caveat.plugins import Kind
from caveat.ports import SearchEngine

SHIPPED = {
    "arxiv": "caveat.adapters.search.arxiv",
    "brave": "caveat.adapters.search.brave",
    "ddgs": "caveat.adapters.search.metasearch",
    "openalex": "caveat.adapters.search.openalex",
    "searxng": "caveat.adapters.search.searxng",
    "tavily": "caveat.adapters.search.tavily",
    "wikipedia": "caveat.adapters.search.wikipedia",
}


def engines(names: Iterable[str], resources: Resources) -> dict[str, SearchEngine]:
    """Make engines by their names, in this order.

    Raises:
        PluginProblem: one is not known, offered twice, or cannot be made.
    """
    return {name: _made(name, resources) for name in dict.fromkeys(names)}


def known() -> tuple[str, ...]:
    """Return the names of all engines that can be had, in alphabetical order."""
    return tuple(sorted({*SHIPPED, *plugins.names(Kind.SEARCH_ENGINE)}))


def _made(name: str, resources: Resources) -> SearchEngine:
    if name in SHIPPED and name not in plugins.names(Kind.SEARCH_ENGINE):
        shipped: SearchEngine = import_module(SHIPPED[name]).make(resources)
        return shipped
    offered: SearchEngine = plugins.made(
        Kind.SEARCH_ENGINE, name, resources, "search", SHIPPED.keys()
    )
    return offered

"""Where runs search and read: folders, the web, or both."""

# ruff: noqa: PLC0415  # reading the web takes longer to import than the rest of a worker

from collections.abc import Mapping
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, cast

from caveat.adapters.corpus.index import CorpusIndex
from caveat.adapters.corpus.library import CorpusLibrary, CorpusSearch
from caveat.contracts.envelope import FailureCategory
from caveat.contracts.source import SearchResults
from caveat.contracts.tasks import SearchTask
from caveat.failures import PortFailure, invalid
from caveat.ports import CLAUDE, FOLDERS, Library, SearchEngine
from caveat.workers.settings import Settings, SettingsProblem, require_package

if TYPE_CHECKING:
    from caveat.adapters.claude.messages.connection import ModelConnection
    from caveat.adapters.mcp import Asking

MCP = "mcp:"
OPENALEX = "openalex"


@dataclass(frozen=True)
class SeveralEngines:
    """Routes a query to the engine that it names; see `ports.SearchEngines`."""

    # Who gives documents wants to know what is in them, and may not want their questions to leave
    # the machine. One engine a call, so that each answers, fails, waits and is tried again on its
    # own account: what an engine has found is never asked for again because another one failed.

    # by name, in the order that decides between equal places
    beside_folders: Mapping[str, SearchEngine]  # of a run that has some
    on_the_web: Mapping[str, SearchEngine]  # of all others

    def name_engines(self, corpus: tuple[str, ...]) -> tuple[str, ...]:
        engines = self._choose_engines(corpus)
        return tuple(engines) if len(engines) > 1 else ()

    async def search(self, task: SearchTask) -> SearchResults:
        """Run one query on the engine of its name, or on the only one."""
        engines = self._choose_engines(task.corpus)
        only = next(iter(engines)) if len(engines) == 1 else ""
        engine = engines.get(task.engine or only)
        if engine is None:
            message = (
                f"The search engine “{task.engine}” is not set up on the worker that was asked: "
                "name it in its CAVEAT_SEARCH."
                if task.engine
                else "This worker has several search engines, and the search names none of them."
            )
            # Somebody can set it up, and a follow-up asks it then.
            category = FailureCategory.BUSINESS
            raise invalid(message, resource=task.engine, provider=task.engine, category=category)
        return await engine.search(task)

    def _choose_engines(self, corpus: tuple[str, ...]) -> Mapping[str, SearchEngine]:
        return self.beside_folders if corpus else self.on_the_web


def choose_engine(
    settings: Settings, index: CorpusIndex, connection: "ModelConnection | None" = None
) -> SeveralEngines:
    """Choose the engines: those that `CAVEAT_SEARCH` names, else what the settings allow."""
    corpus: dict[str, SearchEngine] = {FOLDERS: CorpusSearch(index)}
    if not settings.searches_web:
        return SeveralEngines(corpus, corpus)
    web = tuple(name for name in settings.search or (CLAUDE,) if name != FOLDERS)
    engines = _create_engines(web, settings, connection)
    if FOLDERS in settings.search:
        return SeveralEngines(corpus | engines, engines)
    return SeveralEngines(engines if settings.search else corpus, engines)


def choose_library(settings: Settings, index: CorpusIndex) -> Library:
    folders = tuple(str(folder) for folder in settings.corpus)
    own = (settings.state_dir, settings.cache_dir)
    corpus = CorpusLibrary(index, folders, own)
    if not settings.searches_web:
        return corpus
    from caveat.adapters.web.library import SeveralLibraries, create_web_library

    web = create_web_library()
    named = [name for name in settings.search if name.startswith(MCP)]
    read = None
    if named:
        from caveat.adapters.mcp import McpTexts

        askings = {name.removeprefix(MCP): _find_mcp_server(name, settings) for name in named}
        read = McpTexts(askings).read
    return SeveralLibraries(corpus, web, bool(folders), read)


def _create_engines(
    names: tuple[str, ...], settings: Settings, connection: "ModelConnection | None"
) -> dict[str, SearchEngine]:
    from caveat.adapters.http.client import create_operator_client
    from caveat.adapters.search.asking import SHIPPED

    client = create_operator_client()
    made: dict[str, SearchEngine] = {}
    for name in names:
        if name == CLAUDE:
            if connection is None:
                raise SettingsProblem(
                    "CAVEAT_SEARCH names claude, which needs a key: set ANTHROPIC_API_KEY."
                )
            from caveat.adapters.claude.search import ClaudeSearch
            from caveat.workers.models import read_models

            made[name] = ClaudeSearch(connection, read_models(settings).by_role["search"])
        elif name.startswith(MCP):
            asking = _find_mcp_server(name, settings)
            from caveat.adapters.mcp import McpSearch

            made[name] = McpSearch(asking)
        elif name in SHIPPED:
            made[name] = resolve_name(SHIPPED[name])(client)
        else:
            known = ", ".join(sorted((*SHIPPED, CLAUDE, FOLDERS)))
            raise SettingsProblem(
                f"CAVEAT_SEARCH names {name}, which is none of {known} and {MCP}NAME."
            )
    if (catalogue := made.get(OPENALEX)) is None:
        return made
    from caveat.adapters.search.openalex import Catalogued, OpenAlex

    catalogue = cast("OpenAlex", catalogue)
    return {  # the catalogue of works completes what all others find
        name: engine if engine is catalogue else Catalogued(engine, catalogue)
        for name, engine in made.items()
    }


def _find_mcp_server(name: str, settings: Settings) -> "Asking":
    require_package("mcp", "mcp", f"CAVEAT_SEARCH={name}")
    from caveat.adapters.mcp import Asking, McpServer
    from caveat.tables import read_table

    try:
        known = read_table(settings.mcp_servers, "The file of MCP servers", dict[str, McpServer])
    except PortFailure as problem:
        raise SettingsProblem(
            f"CAVEAT_SEARCH names {name}. {problem} docs/mcp.md shows what stands there."
        ) from None
    short = name.removeprefix(MCP)
    if short not in known:
        listed = ", ".join(sorted(known)) or "none"
        raise SettingsProblem(
            f"CAVEAT_SEARCH names {name}, and {settings.mcp_servers} has {listed}."
        )
    return Asking(short, known[short])

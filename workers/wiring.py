"""The one place where adapters are put into activities."""

# ruff: noqa: PLC0415  # reading the web takes longer to import than the rest of a worker

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pkgutil import resolve_name
from secrets import token_bytes
from typing import TYPE_CHECKING, cast
from urllib.parse import quote

from caveat import ports
from caveat.activities.notify import NoticeActivities, OutsideActivities
from caveat.activities.reasoning import ReasoningActivities
from caveat.activities.report import MemoryActivities, ReportActivities
from caveat.activities.sources import CredentialActivities, SourceActivities
from caveat.activities.subagent import list_activities
from caveat.adapters.corpus.index import CorpusIndex
from caveat.adapters.corpus.library import CorpusLibrary, CorpusSearch
from caveat.adapters.extractive.reasoner import ExtractiveRules
from caveat.adapters.files.reports import KeptReports
from caveat.adapters.notify.log import LogNotifier
from caveat.adapters.sql.memory import SqlMemory
from caveat.contracts.backend import Backend
from caveat.contracts.base import build
from caveat.contracts.envelope import FailureCategory
from caveat.contracts.source import SearchResults
from caveat.contracts.tasks import SearchTask
from caveat.failures import PortFailure, invalid
from caveat.roles.role import Reasoner
from caveat.teams.team import TeamCatalogue
from caveat.workers.blobs import open_blobs, open_snapshots
from caveat.workers.messages import Sender, create_messages, read_master_key
from caveat.workers.models import build_backend
from caveat.workers.outside import OutsideAgents
from caveat.workers.reasoners import choose_reasoner, connect_models, find_similarity
from caveat.workers.settings import Settings, SettingsProblem, require_package
from caveat.workers.signing import Signer, load_signer, make_private_folder
from caveat.workers.task_folders import FolderGuard
from caveat.workers.worker import FEW, MANY, Registry

if TYPE_CHECKING:
    from caveat.adapters.claude.messages.connection import ModelConnection
    from caveat.adapters.mcp import Asking

_MCP = "mcp:"


@dataclass(frozen=True)
class Ports:
    """What stands behind the ports of one worker, how that is named, and the teams it knows."""

    reasoner: Reasoner
    rules: ports.Rules
    engine: ports.SearchEngine
    library: ports.Library
    snapshots: ports.Snapshots
    reports: ports.ReportStore
    memory: ports.Memory
    notifier: ports.Notifier
    credentials: ports.Credentials | None  # None where no provider is called
    backend: Backend
    # Of a key that nobody else has: nothing is signed with it.
    signatures: ports.Signatures = field(default_factory=lambda: Signer(token_bytes()))
    teams: TeamCatalogue = field(default_factory=TeamCatalogue)
    reasoned_at_once: int = FEW
    outside_agents: OutsideAgents | None = None


def wire_registry(settings: Settings) -> Registry:
    # What a worker is configured for is open to every run, everything else to this user's own.
    uploads = settings.uploads_folder
    guard = FolderGuard(
        load_signer(settings),
        settings.open_folders,
        uploads,
        open_blobs(settings, uploads) if settings.blobs is not None else None,
    )
    per_minute = settings.requests_per_minute
    return replace(
        build_registry(choose_ports(settings)),
        interceptors=(guard,),
        reasoned_per_second=per_minute and per_minute / 60,
    )


def choose_ports(settings: Settings) -> Ports:
    make_private_folder(settings.state_dir)
    make_private_folder(settings.cache_dir, "CAVEAT_CACHE_DIR")
    index = CorpusIndex(settings.index_folder, find_similarity(settings))
    models, snapshots = connect_models(settings), open_snapshots(settings)
    reasons = choose_reasoner(settings, index, models)
    outside = None
    if settings.messages is not None:
        keys = read_master_key(settings)
        outside = OutsideAgents(Sender(keys.name, create_messages(settings), keys), snapshots)
    calls_at_once = models and models.capabilities.structured_outputs
    return Ports(
        reasoner=reasons,
        rules=ExtractiveRules(index.similarity),
        engine=choose_engine(settings, index, models),
        library=choose_library(settings, index),
        snapshots=snapshots,
        reports=KeptReports(open_blobs(settings, settings.reports_folder)),
        memory=open_memory(settings),
        notifier=build_notifier(settings),
        credentials=models,
        backend=build_backend(settings),
        signatures=load_signer(settings),
        teams=TeamCatalogue((settings.teams_dir,)),
        reasoned_at_once=MANY if calls_at_once else FEW,
        outside_agents=outside,
    )


def open_memory(settings: Settings) -> ports.Memory:
    """Open the memory, for what the server no longer knows too."""
    address = settings.memory_address
    if address is not None:
        try:
            return SqlMemory(address)
        except PortFailure as refused:
            raise SettingsProblem(f"CAVEAT_MEMORY_URL cannot be used: {refused}") from None
    make_private_folder(settings.state_dir)
    return SqlMemory(f"sqlite:///{quote(str(settings.memory_database))}")


def build_notifier(settings: Settings) -> ports.Notifier:
    if settings.notify is None:
        return LogNotifier()
    require_package("apprise", "apprise", "CAVEAT_NOTIFY")
    from caveat.adapters.notify.services import Services  # of an extra

    page = settings.web_address if settings.web_url else None
    try:
        return LogNotifier(Services(settings.notify.get_secret_value(), page))
    except ValueError as error:
        raise SettingsProblem(f"CAVEAT_NOTIFY cannot be used: {error}.") from None


def build_registry(chosen: Ports) -> Registry:
    build()
    reasoning = ReasoningActivities(chosen.reasoner, chosen.snapshots, chosen.rules, chosen.teams)
    sources = SourceActivities(
        chosen.library,
        chosen.engine,
        chosen.snapshots,
        chosen.backend,
        chosen.reasoner,
        chosen.signatures,
        events=chosen.outside_agents is not None,
    )
    return Registry(
        reasoning=list_activities(reasoning),
        fetching=list_activities(sources, CredentialActivities(chosen.credentials)),
        keeping=list_activities(
            ReportActivities(chosen.reports, chosen.snapshots),
            MemoryActivities(chosen.memory, chosen.signatures),
            OutsideActivities(chosen.outside_agents),
            NoticeActivities(chosen.notifier),
        ),
        attending=chosen.outside_agents.hear_answers if chosen.outside_agents else nullcontext,
        backend=chosen.backend,
        reasoned_at_once=chosen.reasoned_at_once,
    )


@dataclass(frozen=True)
class SeveralEngines:
    """Routes a query to the engine that it names; see `ports.SearchEngines`."""

    # Who gives documents wants to know what is in them, and may not want their questions to leave
    # the machine. One engine a call, so that each answers, fails, waits and is tried again on its
    # own account: what an engine has found is never asked for again because another one failed.

    # by name, in the order that decides between equal places
    beside_folders: Mapping[str, ports.SearchEngine]  # of a run that has some
    on_the_web: Mapping[str, ports.SearchEngine]  # of all others

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

    def _choose_engines(self, corpus: tuple[str, ...]) -> Mapping[str, ports.SearchEngine]:
        return self.beside_folders if corpus else self.on_the_web


def choose_engine(
    settings: Settings, index: CorpusIndex, connection: "ModelConnection | None" = None
) -> SeveralEngines:
    """Choose the engines: those that `CAVEAT_SEARCH` names, else what the settings allow."""
    corpus: dict[str, ports.SearchEngine] = {ports.FOLDERS: CorpusSearch(index)}
    if not settings.searches_web:
        return SeveralEngines(corpus, corpus)
    web = tuple(name for name in settings.search or (ports.CLAUDE,) if name != ports.FOLDERS)
    engines = _create_engines(web, settings, connection)
    if ports.FOLDERS in settings.search:
        return SeveralEngines(corpus | engines, engines)
    return SeveralEngines(engines if settings.search else corpus, engines)


def choose_library(settings: Settings, index: CorpusIndex) -> ports.Library:
    folders = tuple(str(folder) for folder in settings.corpus)
    own = (settings.state_dir, settings.cache_dir)
    corpus = CorpusLibrary(index, folders, own)
    if not settings.searches_web:
        return corpus
    from caveat.adapters.web.library import SeveralLibraries, create_web_library

    web = create_web_library()
    named = [name for name in settings.search if name.startswith(_MCP)]
    read = None
    if named:
        from caveat.adapters.mcp import McpTexts

        askings = {name.removeprefix(_MCP): _find_mcp_server(name, settings) for name in named}
        read = McpTexts(askings).read
    return SeveralLibraries(corpus, web, bool(folders), read)


def _create_engines(
    names: tuple[str, ...], settings: Settings, connection: "ModelConnection | None"
) -> dict[str, ports.SearchEngine]:
    from caveat.adapters.http.client import create_operator_client
    from caveat.adapters.search.asking import SHIPPED

    client = create_operator_client()
    made: dict[str, ports.SearchEngine] = {}
    for name in names:
        if name == ports.CLAUDE:
            if connection is None:
                raise SettingsProblem(
                    "CAVEAT_SEARCH names claude, which needs a key: set ANTHROPIC_API_KEY."
                )
            from caveat.adapters.claude.search import ClaudeSearch
            from caveat.workers.models import read_models

            made[name] = ClaudeSearch(connection, read_models(settings).by_role["search"])
        elif name.startswith(_MCP):
            asking = _find_mcp_server(name, settings)
            from caveat.adapters.mcp import McpSearch

            made[name] = McpSearch(asking)
        elif name in SHIPPED:
            made[name] = resolve_name(SHIPPED[name])(client)
        else:
            known = ", ".join(sorted((*SHIPPED, ports.CLAUDE, ports.FOLDERS)))
            raise SettingsProblem(
                f"CAVEAT_SEARCH names {name}, which is none of {known} and {_MCP}NAME."
            )
    if (catalogue := made.get("openalex")) is None:
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
    short = name.removeprefix(_MCP)
    if short not in known:
        listed = ", ".join(sorted(known)) or "none"
        raise SettingsProblem(
            f"CAVEAT_SEARCH names {name}, and {settings.mcp_servers} has {listed}."
        )
    return Asking(short, known[short])

"""The one place where adapters are put into activities."""

from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from secrets import token_bytes
from urllib.parse import quote

from caveat import ports
from caveat.activities.notify import NoticeActivities, OutsideActivities
from caveat.activities.reasoning import ReasoningActivities
from caveat.activities.report import MemoryActivities, ReportActivities
from caveat.activities.sources import CredentialActivities, SourceActivities
from caveat.activities.subagent import list_activities
from caveat.adapters.corpus.index import CorpusIndex
from caveat.adapters.extractive.reasoner import ExtractiveRules
from caveat.adapters.files.reports import KeptReports
from caveat.adapters.notify.log import LogNotifier
from caveat.adapters.sql.memory import SqlMemory
from caveat.contracts.backend import Backend
from caveat.contracts.base import build
from caveat.failures import PortFailure
from caveat.roles.role import Reasoner
from caveat.rules.messages import sign_message
from caveat.teams.team import TeamCatalogue
from caveat.workers.backends import build_backend
from caveat.workers.blobs import open_blobs, open_snapshots
from caveat.workers.messages import Sender, create_messages, read_master_key
from caveat.workers.outside import OutsideAgents
from caveat.workers.privacy import make_private_folder, make_private_folders
from caveat.workers.reasoners import choose_reasoner, connect_models, find_similarity
from caveat.workers.searches import choose_engine, choose_library
from caveat.workers.settings import Settings, SettingsProblem, require_package
from caveat.workers.signing import Signer, load_signer
from caveat.workers.task_folders import FolderGuard
from caveat.workers.worker import FEW, MANY, Registry


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
    return replace(
        build_registry(choose_ports(settings)),
        interceptors=(guard,),
        reasoned_per_second=settings.requests_per_second,
    )


def choose_ports(settings: Settings) -> Ports:
    make_private_folders(settings)
    index = CorpusIndex(settings.index_folder, find_similarity(settings))
    models, snapshots = connect_models(settings), open_snapshots(settings)
    reasons = choose_reasoner(settings, index, models)
    outside = None
    if settings.messages is not None:
        keys = read_master_key(settings)
        sign = partial(sign_message, keys=keys)
        outside = OutsideAgents(Sender(keys.name, create_messages(settings), sign), snapshots)
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
    from caveat.adapters.notify.services import Services  # noqa: PLC0415  # of an extra

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

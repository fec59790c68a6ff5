"""The one place where adapters are put into activities."""

from dataclasses import dataclass, field, replace
from secrets import token_bytes
from urllib.parse import quote

from activities.analysis import Analyst
from activities.auditing import Auditor
from activities.credentials import Gatekeeper
from activities.debating import Debater
from activities.detection import Detector
from activities.notifying import Herald
from activities.planning import Planner
from activities.publication import Publisher
from activities.reading import Reader
from activities.recalling import Recaller
from activities.remembering import Archivist
from activities.rulings import Clerk
from activities.searching import Searcher
from activities.stocktaking import Librarian
from activities.synthesis import Synthesiser
from activities.writing import Writer
from caveat.adapters.corpus.index import CorpusIndex
from caveat.adapters.files.snapshots import FileSnapshots
from caveat.adapters.notify.endpoint import Endpoint
from caveat.adapters.notify.keys import FixedKeys, KeyFile, Keys
from caveat.adapters.notify.log import LogNotifier
from caveat.adapters.notify.several import Several
from caveat.adapters.notify.signing import key_of
from caveat.adapters.notify.webhook import Webhook
from caveat.adapters.press import FilePress
from caveat.adapters.sql.memory import SqlMemory
from caveat.contracts.backend import Backend
from caveat.failures import PortFailure
from caveat.ports import (
    Credentials,
    Library,
    Memory,
    Notifier,
    Press,
    Reasoner,
    SearchEngine,
    Signatures,
    Snapshots,
)
from caveat.teams.catalogue import TeamCatalogue
from workers.backends import backend
from workers.crew import Crew
from workers.folder_guard import FolderGuard
from workers.privacy import close_folders
from workers.problem import ServerProblem
from workers.reasoners import connection, credentials, reasoner
from workers.searches import engine, library
from workers.settings import Settings, SettingsProblem
from workers.signing import Signer, signer
from workflows.arbitration import Arbitration
from workflows.research import Research


@dataclass(frozen=True)
class Ports:
    """What stands behind the ports of one worker, how that is named, and the teams it knows."""

    reasoner: Reasoner
    engine: SearchEngine
    library: Library
    snapshots: Snapshots
    press: Press
    memory: Memory
    notifier: Notifier
    credentials: Credentials
    backend: Backend
    has_receiver: bool = True
    # Of a key that nobody else has: nothing is signed with it.
    signatures: Signatures = field(default_factory=lambda: Signer(token_bytes()))
    teams: TeamCatalogue = field(default_factory=TeamCatalogue)


def crew(settings: Settings) -> Crew:
    """Wire the adapters that the settings name into the activities."""
    # What a worker is configured for is open to every run, everything else to this user's own.
    guard = FolderGuard(signer(settings), (*settings.corpus, *settings.corpus_roots))
    return replace(crew_of(ports(settings)), interceptors=(guard,))


def workflows_alone() -> Crew:
    """Hold what orders and waits, and nothing that does any work."""
    return Crew(workflows=(Research, Arbitration), reasoning=(), fetching=())


def ports(settings: Settings) -> Ports:
    """Choose an adapter for every port."""
    close_folders(settings)
    index = CorpusIndex(settings.index_folder)
    models = connection(settings)
    return Ports(
        reasoner=reasoner(settings, index, models),
        engine=engine(settings, index, models),
        library=library(settings, index),
        snapshots=snapshots(settings),
        press=FilePress(settings.reports_folder),
        memory=memory(settings),
        notifier=notifier(settings),
        has_receiver=settings.webhook_url is not None,
        credentials=credentials(models),
        backend=backend(settings),
        signatures=signer(settings),
        teams=TeamCatalogue((settings.teams_dir,)),
    )


def snapshots(settings: Settings) -> Snapshots:
    """Open the snapshot store, for audits outside a worker too."""
    return FileSnapshots(settings.snapshots_folder)


def memory(settings: Settings) -> Memory:
    """Open the memory, for what the server no longer knows too.

    Raises:
        SettingsProblem: the settings name a database that cannot remember.
        ServerProblem: the state folder cannot be made.
    """
    if settings.memory_url is not None:
        return _memory_at(settings.memory_url.get_secret_value())
    try:
        settings.state_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ServerProblem(
            f"The folder {settings.state_dir} cannot be written ({error.strerror}): set "
            "CAVEAT_STATE_DIR to a folder that you may write."
        ) from None
    return SqlMemory(f"sqlite:///{quote(str(settings.memory_database))}")


def _memory_at(url: str) -> Memory:
    try:
        return SqlMemory(url)
    except PortFailure as refused:
        raise SettingsProblem(f"CAVEAT_MEMORY_URL cannot be used: {refused}") from None


def notifier(settings: Settings) -> Notifier:
    """Tell the log, and the webhook where there is one.

    Raises:
        SettingsProblem: the webhook's secret is none.
    """
    log = LogNotifier()
    if settings.webhook_url is None:
        return log
    return Several((log, Webhook(Endpoint.of(settings.webhook_url), _keys(settings))))


def _keys(settings: Settings) -> Keys:
    if settings.webhook_secret_file is not None:
        return KeyFile(settings.webhook_secret_file)
    if settings.webhook_secret is None:
        return FixedKeys()
    try:
        return FixedKeys((key_of(settings.webhook_secret.get_secret_value()),))
    except ValueError as error:
        raise SettingsProblem(f"CAVEAT_WEBHOOK_SECRET cannot be used: {error}.") from None


def crew_of(chosen: Ports) -> Crew:
    """Put ports into activities, and activities on their queues."""
    planner = Planner(chosen.reasoner, chosen.teams)
    publisher = Publisher(chosen.press)
    clerk = Clerk(chosen.memory, chosen.signatures)
    herald = Herald(chosen.notifier, chosen.has_receiver)
    return Crew(
        workflows=(Research, Arbitration),
        reasoning=(
            planner.plan,
            planner.reformulate,
            planner.tariff,
            Analyst(chosen.reasoner, chosen.snapshots).analyse,
            Detector(chosen.reasoner).detect,
            Debater(chosen.reasoner).debate,
            Synthesiser(chosen.reasoner).synthesise,
            Writer(chosen.reasoner).write,
        ),
        fetching=(
            Librarian(chosen.library, chosen.engine, chosen.backend, chosen.reasoner).take_stock,
            Searcher(chosen.engine).search,
            Reader(chosen.library, chosen.snapshots).read,
            Gatekeeper(chosen.credentials).refresh,
        ),
        keeping=(
            Auditor(chosen.snapshots).audit,
            publisher.publish,
            publisher.keep_evidence,
            Archivist(chosen.memory).remember,
            clerk.record_ruling,
            clerk.recall_rulings,
            herald.notify,
            Recaller(chosen.press).recall,
        ),
        telling=(herald.notify,) if chosen.has_receiver else (),
        backend=chosen.backend,
    )

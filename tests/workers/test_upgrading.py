"""An upgrade with open runs: an earlier wheel begins them, and this tree finishes every one."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from temporalio.api.enums.v1 import PendingActivityState
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.client import Client, WorkflowHandle

from caveat.adapters.files.blobs import FolderBlobs
from caveat.clients.runs import Runs
from caveat.contracts.outcome import Outcome
from caveat.contracts.progress import Phase
from caveat.contracts.report import ReportStatus
from caveat.workers.data import data_converter
from caveat.workers.settings import Settings
from caveat.workers.version import build_id
from caveat.workflows.names import PHASE, QUEUE
from standins.messages_api import KEY, Recorded, Says, Stalls, StandIn, stand_in
from standins.wheels import VERSION, NoEnvironment, Wheel, install
from tests.fakes import withheld
from tests.fakes.claude_cast import Cast, about
from tests.fakes.claude_corpus import TOPIC, write_corpus
from tests.fakes.home import Home
from tests.fakes.patience import PATIENCE_S
from tests.fakes.runs import awaiting
from tests.fakes.template import Template

pytestmark = pytest.mark.system

Handle = WorkflowHandle[Any, Outcome]

HELD_AT = {
    "planner": Phase.PLANNING,
    "analyst School count": Phase.INVESTIGATING,
    "detector": Phase.COMPARING,
    "debater sceptic": Phase.DEBATING,
    "synthesiser again": Phase.SYNTHESISING,
    "writer": Phase.SYNTHESISING,
}
"""What a run waits for that is under way when its version goes, and its phase: one run each."""

WITHHELD_IN = (Phase.TAKING_STOCK, Phase.AUDITING, Phase.PUBLISHING, Phase.SETTLING)
"""Phases in which no model is asked: something of the machine is withheld from a run each."""

BRIDGES = ("Halvorsen", "Lindqvist", "Oyelaran", "Takahashi", "Moreau", "Castellano", "Brannigan")
"""What each run asks about: of two that ask the same, one waits for the answer to the other."""

LARGE_AT = ("analyst School count", "debater sceptic", "writer")
LARGE = 301
"""Sources from which a run does more than a small one, some of it behind patches."""


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Wheel:
    try:
        return install(tmp_path_factory.mktemp("earlier"))
    except NoEnvironment as error:
        pytest.skip(f"No virtual environment can be made here: {error}")


@pytest.fixture
async def api() -> AsyncIterator[StandIn]:
    async with stand_in(model=Cast()) as started:
        yield started


@pytest.fixture
def home(tmp_path: Path, api: StandIn, template: Template) -> Home:
    home = Home(tmp_path, template)
    home.environment |= {
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": api.url,
        "CAVEAT_STRUCTURED_OUTPUTS": "true",
        "CAVEAT_CORPUS_ROOTS": str(home.folder),
    }
    return home


class Before:
    """`caveat up` of the earlier version, until it is killed, and its server with it."""

    def __init__(self, wheel: Wheel, home: Home) -> None:
        self._home = home
        self._process = wheel.begin("up", cwd=home.folder, environment=home.environment)

    async def client(self) -> Client:
        assert self._process.stderr is not None
        while "Serving" not in (line := await asyncio.to_thread(self._process.stderr.readline)):
            assert line, "it ended"
        return await client_of(self._home)

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()


async def client_of(home: Home) -> Client:
    settings = Settings(state_dir=Path(home.environment["CAVEAT_STATE_DIR"]))
    address = f"127.0.0.1:{home.environment['CAVEAT_PORT']}"
    converter = data_converter(FolderBlobs(settings.payloads_folder))
    return await Client.connect(address, data_converter=converter)


async def begun(client: Client, home: Home, bridge: str, sources: int | None = None) -> Handle:
    """Begin a run about a bridge, with documents of its own."""
    folder = write_corpus(home.folder / bridge)
    for path in folder.rglob("*.md"):
        path.write_text(of_bridge(bridge, path.read_text(encoding="utf-8")), encoding="utf-8")
    return await client.start_workflow(
        "Research",
        {
            "topic": of_bridge(bridge, TOPIC),
            "corpus": [str(folder)],
            "depth": "overview",
            "arbitration_timeout": "PT1H",
            "max_sources": sources,
        },
        id=f"research-{bridge.lower()}",
        task_queue=QUEUE,
        result_type=Outcome,
    )


def of_bridge(bridge: str, text: str) -> str:
    return text.replace(BRIDGES[0], bridge)


@pytest.mark.parametrize("calls", [tuple(HELD_AT)[:3], tuple(HELD_AT)[3:]], ids=" and ".join)
async def test_runs_that_wait_for_a_model_or_a_person_are_finished_by_the_next_version(
    earlier: Wheel, home: Home, api: StandIn, calls: tuple[str, ...]
) -> None:
    cast = api.model
    assert isinstance(cast, Cast)
    before = Before(earlier, home)
    try:
        client = await before.client()
        handles = []
        for call, bridge in zip(calls, BRIDGES, strict=False):
            asked = cast.asked()[call]
            if call.endswith(" again"):  # of the first turn, so that there is a second
                cast.will(call.removesuffix(" again"), Says('{"summary": "Half a dra'))
            cast.will(call, Stalls())
            handles.append(await begun(client, home, bridge, LARGE if call in LARGE_AT else None))
            while cast.asked()[call] == asked:  # noqa: ASYNC110  # told by another process
                await asyncio.sleep(0.05)
            await held(handles[-1], HELD_AT[call])
        handles.append(await begun(client, home, BRIDGES[-1]))
        await awaiting(handles[-1])
    finally:
        before.kill()
    await all_finished(home, handles)


async def test_runs_that_work_without_a_model_are_finished_by_the_next_version(
    earlier: Wheel, home: Home, api: StandIn
) -> None:
    cast = api.model
    assert isinstance(cast, Cast)
    settings = Settings(
        state_dir=Path(home.environment["CAVEAT_STATE_DIR"]),
        cache_dir=Path(home.environment["CAVEAT_CACHE_DIR"]),
    )
    before = Before(earlier, home)
    handles = []
    with ExitStack() as machine:

        def unread(bridge: str, request: Recorded) -> None:
            if about(request) == "writer" and bridge in request.said[0]:
                machine.enter_context(withheld.the_snapshots(settings, bridge))

        try:
            client = await before.client()
            for phase, bridge in zip(WITHHELD_IN, BRIDGES, strict=False):
                match phase:
                    case Phase.TAKING_STOCK:
                        corpus = (home.folder / bridge).resolve()
                        machine.enter_context(withheld.the_index(settings, corpus))
                    case Phase.AUDITING:
                        cast.on_request = partial(unread, bridge)
                    case Phase.PUBLISHING:
                        run_id = f"research-{bridge.lower()}"
                        machine.enter_context(withheld.the_reports(settings, run_id))
                    case _:  # of all runs, hence the last
                        machine.enter_context(withheld.the_memory(settings))
                handles.append(await begun(client, home, bridge))
                await held(handles[-1], phase)
        finally:
            before.kill()
    await all_finished(home, handles)


def test_every_phase_of_an_open_run_is_upgraded() -> None:
    ended = {Phase.DONE, Phase.FAILED, Phase.CANCELLED}
    assert {*HELD_AT.values(), *WITHHELD_IN, Phase.AWAITING_RULINGS} == set(Phase) - ended


async def held(handle: Handle, phase: Phase) -> None:
    """Wait until a run is in a phase, and somebody at work for it."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            described = await handle.describe()
            pending = described.raw_description
            is_there = described.typed_search_attributes.get(PHASE) == phase
            if is_there and (pending.pending_children or _begun(pending.pending_activities)):
                return
            await asyncio.sleep(0.05)


def _begun(activities: Iterable[PendingActivityInfo]) -> bool:
    started = PendingActivityState.PENDING_ACTIVITY_STATE_STARTED
    return any(each.state == started for each in activities)


async def all_finished(home: Home, handles: Sequence[Handle]) -> None:
    """Have this version finish runs of the earlier one, and look at how they ended."""
    with home.serving():
        client = await client_of(home)
        await served(client)
        ends = await asyncio.gather(*(finished(client, each.id) for each in handles))
        decided = [await builds(client, each.id) for each in handles]
    for end in ends:
        assert end.report.status is ReportStatus.FINAL
        assert (end.report.failures, end.failures) == ((), ())
        assert [each.ruling for each in end.report.contradictions] == ["both"]
    for by in decided:
        earlier_build, this_build = sorted(by)
        assert earlier_build.startswith(f"{VERSION}-")
        assert this_build == build_id()


async def finished(client: Client, run_id: str) -> Outcome:
    """Rule as soon as people are asked, and wait for the end."""
    handle: Handle = client.get_workflow_handle(run_id, result_type=Outcome)
    await awaiting(handle)
    arbitration = client.get_workflow_handle(f"{run_id}/contradiction-1")
    ruling = {"ruling": "both", "reason": "They measure different things.", "decided_by": "Ada"}
    await arbitration.execute_update("rule", ruling)
    return await handle.result()


async def served(client: Client) -> None:
    """Wait until a worker is there, which comes a moment after the command says so."""
    while not await Runs(client).has_worker():  # noqa: ASYNC110  # the server tells nobody
        await asyncio.sleep(0.1)


async def builds(client: Client, run_id: str) -> set[str]:
    """Which builds decided a run."""
    found = set()
    async for event in client.get_workflow_handle(run_id).fetch_history_events():
        if event.HasField("workflow_task_completed_event_attributes"):
            found.add(event.workflow_task_completed_event_attributes.worker_version.build_id)
    return found


async def test_a_run_that_the_next_version_cannot_go_on_with_is_named_and_healed(
    earlier: Wheel, home: Home
) -> None:
    earlier.sleep_first()
    before = Before(earlier, home)
    try:
        client = await before.client()
        await awaiting(await begun(client, home, "Halvorsen"))
    finally:
        before.kill()
    with home.serving():
        client = await client_of(home)
        await served(client)
        says = "`caveat heal research-halvorsen` lets it go on"
        for command in ("status", "resume"):
            done = await asyncio.to_thread(home.caveat, command, "research-halvorsen")
            assert says in " ".join((done.stdout + done.stderr).split()), done
        healed = await asyncio.to_thread(home.caveat, "heal", "research-halvorsen")
        assert healed.returncode == 0, healed.stderr
        end = await finished(client, "research-halvorsen")
    assert end.report.status is ReportStatus.FINAL

"""kill -9 at every stage of a run with Claude: no answer that was had is asked for again."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client, WorkflowHandle

from caveat.contracts.envelope import Usage
from caveat.contracts.outcome import Outcome
from caveat.contracts.report import Report
from caveat.rules.audit.checks import audit
from caveat.workers.settings import Settings
from caveat.workflows.names import QUEUE
from tests.fakes.claude_cast import Cast, address_of
from tests.fakes.claude_corpus import TOPIC, write_corpus
from tests.fakes.claude_history import Work, works
from tests.fakes.claude_house import wired
from tests.fakes.claude_worker import PUBLISHING, READING, Door, main, settings
from tests.fakes.kept import kept_texts
from tests.fakes.messages_api import Says, Stalls, StandIn, stand_in
from tests.fakes.patience import PATIENCE_S, until
from tests.fakes.runs import start_run
from tests.fakes.server import Machine

pytestmark = pytest.mark.system
Handle = WorkflowHandle[Any, Outcome]


@dataclass(frozen=True)
class Stage:
    """Where a run is killed."""

    name: str  # of the stage
    # activities that are under way and cannot end; all others have ended
    in_flight: tuple[str, ...]
    calls: frozenset[str] = frozenset()  # what the stand-in is asked then and leaves unanswered
    door: str | None = None  # what else holds it, if anything
    ended: tuple[str, ...] = ()  # activities that have ended at least


STAGES = (
    Stage("planning", ("plan",), frozenset({"planner"})),
    Stage("reading", ("read_folder",), door=READING, ended=("take_stock", "plan")),
    Stage("analysing", ("analyse",), frozenset({"analyst School count"}), ended=("analyse",) * 9),
    Stage("comparing", ("detect",), frozenset({"detector"})),
    Stage(  # the second turn, so that the first answer has come and is kept: it needs mending
        "synthesising",
        ("synthesise",),
        frozenset({"synthesiser again"}),
        ended=("verify", "verify"),  # two sections, beside the answer
    ),
    Stage(
        "verifying",
        ("verify",),
        frozenset({"verifier"}),
        ended=("synthesise",) * 3 + ("verify",) * 2,
    ),
    Stage("publishing", ("publish",), door=PUBLISHING),
)


class Killed(Machine):
    """A server, and a worker with Claude that can be killed and started again."""

    def __init__(self, folder: Path, api: StandIn) -> None:
        self.settings = settings(folder, api.url)
        super().__init__(folder, main, (api.url,), self.settings.payloads_folder)

    def door(self, name: str) -> Door:
        return Door(self.folder, name)

    def is_kept(self, address: str) -> bool:
        """Whether an answer was received and kept."""
        return (self.settings.answers_folder / address[:2] / f"{address}.json").exists()


DRAFT = Says('{"summary": "Half a dra')


def a_cast() -> Cast:
    """An honest one, but for the first draft."""
    cast = Cast()
    cast.will("synthesiser", DRAFT)
    return cast


@pytest.fixture
async def api() -> AsyncIterator[StandIn]:
    async with stand_in(model=a_cast()) as started:
        yield started


@pytest.fixture
async def machine(api: StandIn, tmp_path: Path) -> AsyncIterator[Killed]:
    folder = tmp_path / "killed"
    folder.mkdir()
    machine = Killed(folder, api)
    try:
        yield machine
    finally:
        machine.kill("server", "worker")


async def start(client: Client, corpus: Path, queue: str) -> Handle:
    return await start_run(
        client,
        queue,
        topic=TOPIC,
        corpus=[str(corpus)],
        depth="overview",
        arbitration_timeout="PT1S",
    )


async def test_a_run_killed_at_every_stage_repeats_no_call_and_ends_in_the_same_report(
    api: StandIn, machine: Killed, tmp_path: Path
) -> None:
    corpus = write_corpus(tmp_path / "corpus")
    client = await machine.start_server()
    undisturbed = await _undisturbed(client, corpus, settings(tmp_path / "undisturbed", api.url))

    cast, again = a_cast(), []
    api.model = cast
    cast.on_request = lambda request: (
        again.append(request) if machine.is_kept(address_of(request)) else None
    )
    for call in (call for stage in STAGES for call in stage.calls):
        cast.will(call, Stalls())
    machine.start_worker()
    handle = await start(client, corpus, QUEUE)
    for stage in STAGES:
        await until(lambda: _is_held(handle, stage, cast, machine))  # noqa: B023  # awaited within the turn
        machine.kill("worker")
        if stage.door:
            machine.door(stage.door).open()
        machine.start_worker()
    report = (await asyncio.wait_for(handle.result(), PATIENCE_S)).report

    assert not again
    _only_what_was_cut_off_came_twice(cast)
    _only_what_was_in_flight_was_lost(await works(handle))
    assert report.failures == ()
    assert audit(report, await kept_texts(report, machine.settings)).passed
    assert _lasting(report) == _lasting(undisturbed)
    # The first draft was kept, and what it took was told by nobody: its worker was killed.
    told = [each.usage for each in cast.exchanges if each.answer != DRAFT]
    charged, metrics = sum(told, Usage()), report.metrics
    assert metrics.model_calls == charged.model_calls
    assert metrics.tokens == charged.input_tokens + charged.output_tokens
    assert metrics.cost_usd == pytest.approx(charged.cost_usd)


def _only_what_was_cut_off_came_twice(cast: Cast) -> None:
    times = Counter(each.address for each in cast.exchanges)
    cut_off = set().union(*(stage.calls for stage in STAGES))
    assert {each.about for each in cast.exchanges if times[each.address] > 1} == cut_off
    assert times.total() == len(times) + len(cut_off)


def _only_what_was_in_flight_was_lost(done: list[Work]) -> None:
    assert all(work.completed for work in done)
    lost = Counter(work.type for work in done if (work.attempt, work.last_failure) == (2, "lost"))
    assert lost == Counter(kind for stage in STAGES for kind in stage.in_flight)
    assert sum(work.attempt for work in done) == len(done) + lost.total()


async def _undisturbed(client: Client, corpus: Path, chosen: Settings) -> Report:
    async with wired(client, chosen, "undisturbed"):
        handle = await start(client, corpus, "undisturbed")
        return (await asyncio.wait_for(handle.result(), PATIENCE_S)).report


def _lasting(report: Report) -> dict[str, Any]:
    """A report without what is different each time that it is written."""
    found = report.model_dump(
        mode="json",
        exclude={
            "run_id": True,
            "created": True,
            "sources": True,  # their order is that in which they were found
            "contradictions": {
                "__all__": {"arbitration", "deadline", "decided", "reason", "steps"}
            },
            "metrics": {
                **dict.fromkeys(("pipeline_seconds", "waiting_seconds", "phases"), True),
                # The cast charges each exchange a token more than the one before it, so that the
                # exchanges that were cut off make all later ones dearer; nor is the draft counted.
                **dict.fromkeys(("model_calls", "tokens", "cost_usd"), True),
            },
        },
    )
    found["sources"] = {source.id: source.model_dump(mode="json") for source in report.sources}
    written: dict[str, Any] = json.loads(json.dumps(found).replace(report.run_id, "RUN"))
    return written


async def _is_held(handle: Handle, stage: Stage, cast: Cast, machine: Killed) -> bool:
    """Whether everything that can be done is done, and the rest is in flight."""
    if stage.calls - cast.asked().keys():
        return False
    if stage.door and not machine.door(stage.door).is_reached:
        return False
    found = await works(handle)
    is_open = Counter(work.type for work in found if not work.closed)
    ended = Counter(work.type for work in found if work.completed)
    return Counter(stage.ended) <= ended and is_open == Counter(stage.in_flight)

"""An agent that lives elsewhere takes a seat of a team, and no other answers for it."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from caveat.adapters.rabbitmq.messages import RabbitMessages
from caveat.adapters.rabbitmq.topology import Topology
from caveat.clients.agents import Agent, Job, Work
from caveat.contracts.message import (
    Message,
    OutsideDocument,
    OutsideFindings,
    Quotation,
    RemarkBody,
)
from caveat.contracts.report import Report
from caveat.intake import Intake, now
from caveat.rules.audit.checks import audit
from caveat.rules.messages import MasterKey, MessageKeys, Numbering, is_signed, sign_message
from caveat.teams.team import TeamCatalogue
from caveat.workers.messages import Sender
from caveat.workers.outside import OutsideAgents
from caveat.workers.wiring import build_registry
from caveat.workers.worker import serve_runs
from tests.fakes.brokers import URL, a_topology, clean_up, is_there
from tests.fakes.patience import PATIENCE_S
from tests.fakes.ports import FakeSnapshots, World, ports_of
from tests.fakes.runs import Handle, report_of, start_run, texts
from tests.fakes.worlds import page_text

TEAM = """
[quorum]
minimum_share = 0.5
penalty = 0.1

[[specialists]]
name = "inside"
title = "Alpha width"
brief = "How wide is it?"
queries = ["alpha"]

[[specialists]]
name = "outside"
title = "Beta cases"
brief = "Which cases?"
queries = ["beta"]
agent = "{agent}"
patience = 4
critical = {critical}
"""


def found(*pages: int, done: tuple[str, ...] = ()) -> OutsideFindings:
    """What an agent says of some pages that nobody here has."""
    return OutsideFindings(
        documents=tuple(
            OutsideDocument(
                title=f"outside page {number}",
                text=page_text(number),
                url=f"https://example.org/{number}",
                quotations=(
                    Quotation(
                        text=f"Beta holds in case {number}.", quote=f"Beta holds in case {number}"
                    ),
                    Quotation(text="It is made up.", quote="words that stand nowhere"),
                ),
            )
            for number in pages
        ),
        done=done,
    )


@dataclass
class Elsewhere:
    """A run with an agent elsewhere."""

    client: Client  # of the server
    world: World  # everything that is here
    queue: str  # of the run
    agent: str  # the name of the agent
    folder: Path  # for teams
    key: MasterKey = field(default_factory=lambda: MasterKey(uuid.uuid4().bytes))
    topology: Topology = field(default_factory=lambda: a_topology(100))

    def broker(self, keys: MasterKey | MessageKeys) -> RabbitMessages:
        def intake(name: str) -> Intake:
            def trusted(message: Message) -> bool:
                return is_signed(message, keys)

            return Intake(name, trusted=trusted, ordered=not name.startswith("coordinator"))

        return RabbitMessages(
            URL, intake, lambda message: sign_message(message, keys), self.topology
        )

    @asynccontextmanager
    async def working(self, work: Work) -> AsyncIterator[None]:
        """Have the agent work, with no key but its own."""
        ready = asyncio.Event()
        keys = MessageKeys.read(self.agent, self.key.format_keys(self.agent))
        broker = self.broker(keys)
        serving = asyncio.create_task(Agent(self.agent, broker, keys, work).serve(ready.set))
        try:
            await ready.wait()
            yield
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
            await broker.close()

    async def start(self, *, critical: bool = False, **request: object) -> Handle:
        """Start a run with a team of two, one of them the agent."""
        text = TEAM.format(agent=self.agent, critical=str(critical).lower())
        (self.folder / "pair.toml").write_text(text, encoding="utf-8")
        return await start_run(
            self.client,
            self.queue,
            f"research-outside-{self.queue}-{request.get('id', 1)}",
            team="pair",
            **request,
        )


@asynccontextmanager
async def lived_in(made: Elsewhere) -> AsyncIterator[Elsewhere]:
    """Have the run's own workers at work."""
    snapshots = FakeSnapshots(made.world)
    carrier = made.broker(made.key)
    sender = Sender(made.key.name, carrier, made.key)
    board = OutsideAgents(sender, snapshots)
    teams = TeamCatalogue((made.folder,))
    ports = replace(ports_of(made.world), snapshots=snapshots, teams=teams, outside_agents=board)
    try:
        async with serve_runs(made.client, build_registry(ports), made.queue):
            yield made
    finally:
        await clean_up(made.topology, (made.agent, made.key.name))


@pytest.fixture
async def elsewhere(
    environment: WorkflowEnvironment, world: World, task_queue: str, tmp_path: Path
) -> AsyncIterator[Elsewhere]:
    if not is_there():
        pytest.skip("no RabbitMQ on 127.0.0.1:5672")
    agent = f"agent-{uuid.uuid4().hex[:10]}"
    made = Elsewhere(environment.client, world, task_queue, agent, tmp_path)
    with environment.with_time_skipping_disabled():
        async with lived_in(made):
            yield made


def beta(report: Report) -> list[str]:
    return [claim.text for claim in report.claims if claim.assignment_id == "a2"]


async def test_an_agent_elsewhere_fills_its_seat_and_passes_audit(elsewhere: Elsewhere) -> None:
    jobs: list[Job] = []

    async def work(job: Job) -> OutsideFindings:
        jobs.append(job)
        await job.report("Half of it.", found(1), 0.5)
        return found(1, 2, 3)

    async with elsewhere.working(work):
        report = await report_of(await elsewhere.start())
    assert [job.assignment.title for job in jobs] == ["Beta cases"]
    assert len(beta(report)) == 3
    assert not report.failures
    assert audit(report, texts(elsewhere.world)).passed
    effort = report.sections[1].effort
    assert effort is not None
    assert effort.rejected_quotes == 3  # code checks what agents promise


async def test_the_answer_of_another_agent_is_refused(elsewhere: Elsewhere) -> None:
    """Whoever knows the coordinator's queue, and no key, completes nothing."""

    async def work(job: Job) -> OutsideFindings:
        stranger = MasterKey(b"another key")
        body = RemarkBody(
            text="Forged.",
            token=job.assignment.token,
            task_id=job.assignment.task_id,
            completeness=0.9,
            found=found(7),
        )
        forged = Numbering(elsewhere.agent, "series-of-a-stranger").build_message(
            body, now=now(), recipient=elsewhere.key.name
        )
        broker = elsewhere.broker(stranger)
        await broker.send(sign_message(forged, stranger))
        await broker.close()
        return found(1)

    async with elsewhere.working(work):
        report = await report_of(await elsewhere.start())
    assert beta(report) == ["Beta holds in case 1"]
    broker = elsewhere.broker(elsewhere.key)
    async with asyncio.timeout(PATIENCE_S):
        while not (dead := await broker.list_dead_letters(elsewhere.key.name)):  # noqa: ASYNC110  # the broker tells nobody
            await asyncio.sleep(0.2)
    await broker.close()
    assert dead[0].reason == f"Its signature is not {elsewhere.agent}'s."

"""Agents that live elsewhere take seats of a team: they work, fall silent, refuse, are stopped."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from temporalio.client import Client
from temporalio.service import RPCError
from temporalio.testing import WorkflowEnvironment

from caveat.clients.agents import Agent, Job, Work
from caveat.contracts.envelope import AgentType
from caveat.contracts.failure import FailureType
from caveat.contracts.message import Message, MessageKind
from caveat.contracts.outcome import Ending, Outcome
from caveat.contracts.outside import OutsideDocument, OutsideFindings, Quotation
from caveat.contracts.report import Remedy, Report
from caveat.failures import forbidden, timed_out
from caveat.intake import Intake
from caveat.rules.audit import audit
from caveat.rules.messages import MasterKey, MessageKeys, holds, signed
from caveat.teams.catalogue import TeamCatalogue
from caveat.workers.mailboxes import Mailboxes
from caveat.workers.outside import OutsideAgents
from caveat.workers.wiring import registry_of
from caveat.workers.worker import workers
from standins.ports import FakeSnapshots, World, ports_of
from tests.fakes.patience import PATIENCE_S
from tests.fakes.runs import Handle, end_of, report_of, texts
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
    """A run with an agent elsewhere.

    Attributes:
        client: of the server.
        world: everything that is here.
        queue: of the run.
        agent: the name of the agent.
        folder: for teams.
    """

    client: Client
    world: World
    queue: str
    agent: str
    folder: Path
    key: MasterKey = field(default_factory=lambda: MasterKey(uuid.uuid4().bytes))

    def mailboxes(self, keys: MasterKey | MessageKeys) -> Mailboxes:
        def intake(name: str) -> Intake:
            def trusted(message: Message) -> bool:
                return holds(message, keys)

            return Intake(name, trusted=trusted, ordered=not name.startswith("coordinator"))

        return Mailboxes(self.client, intake, lambda message: signed(message, keys))

    @asynccontextmanager
    async def working(self, work: Work) -> AsyncIterator[None]:
        """Have the agent work, with no key but its own."""
        keys = MessageKeys.read(self.agent, self.key.printed(self.agent))
        agent = Agent(self.agent, self.mailboxes(keys), keys, work)
        serving = asyncio.create_task(agent.serve())
        try:
            yield
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)

    async def start(self, *, critical: bool = False, **request: object) -> Handle:
        """Start a run with a team of two, one of them the agent."""
        text = TEAM.format(agent=self.agent, critical=str(critical).lower())
        (self.folder / "pair.toml").write_text(text, encoding="utf-8")
        return await self.client.start_workflow(
            "Research",
            args=[{"topic": "alpha and beta", "team": "pair", **request}],
            id=f"research-outside-{self.queue}-{request.get('id', 1)}",
            task_queue=self.queue,
            result_type=Outcome,
        )


@pytest.fixture
async def elsewhere(
    environment: WorkflowEnvironment, world: World, task_queue: str, tmp_path: Path
) -> AsyncIterator[Elsewhere]:
    agent = f"agent-{uuid.uuid4().hex[:10]}"
    made = Elsewhere(environment.client, world, task_queue, agent, tmp_path)
    board = OutsideAgents(
        carrier=lambda client: made.mailboxes(made.key),
        snapshots=FakeSnapshots(world),
        name=made.key.name,
        sign=lambda message: signed(message, made.key),
    )
    ports = replace(ports_of(world), teams=TeamCatalogue((tmp_path,)), outside_agents=board)
    try:
        with environment.with_time_skipping_disabled():
            async with workers(environment.client, registry_of(ports), task_queue):
                yield made
    finally:
        for name in (agent, made.key.name):
            try:
                await environment.client.get_activity_handle(f"caveat-mailbox-{name}").terminate()
            except RPCError:
                continue


def beta(report: Report) -> list[str]:
    return [claim.text for claim in report.claims if claim.assignment_id == "a2"]


async def test_an_agent_elsewhere_fills_its_seat_and_the_audit_opens_what_it_read(
    elsewhere: Elsewhere,
) -> None:
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


async def test_silence_is_a_timeout_and_what_was_said_before_it_is_kept(
    elsewhere: Elsewhere,
) -> None:
    asked: list[tuple[str, ...]] = []

    async def work(job: Job) -> OutsideFindings:
        asked.append(job.assignment.done)
        await job.report("Three of four.", found(1, 2, 3, done=("1", "2", "3")), 0.75)
        await asyncio.sleep(300)
        raise AssertionError

    async with elsewhere.working(work):
        report = await report_of(await elsewhere.start())
    assert asked == [(), ("1", "2", "3")]  # once more, and for the rest alone
    (failed,) = report.failures
    assert failed.agent_type is AgentType.OUTSIDE
    assert failed.failure.failure_type is FailureType.TIMEOUT
    assert failed.remedy is Remedy.REMAINING_WORK
    assert failed.completeness == 0.75
    assert len(beta(report)) == 3  # above 0.70 it counts, weakened
    assert any("0.9" in str(step.amount) for step in report.sections[1].confidence.ledger)


class Overtaking(Mailboxes):
    """Carries the first remark behind the one that is sent after it, as several pollers may."""

    held: Message | None = None

    async def send(self, message: Message) -> None:
        if message.kind is not MessageKind.REMARK:
            await super().send(message)
        elif self.held is None:
            self.held = message
        else:
            await super().send(message)
            await self.client.get_activity_handle(message.id).result()
            await super().send(self.held)
            await self.client.get_activity_handle(self.held.id).result()


async def test_a_remark_that_was_overtaken_takes_nothing_back(elsewhere: Elsewhere) -> None:
    keys = MessageKeys.read(elsewhere.agent, elsewhere.key.printed(elsewhere.agent))
    usual = elsewhere.mailboxes(keys)

    async def work(job: Job) -> OutsideFindings:
        if not job.assignment.done:
            carrier = Overtaking(usual.client, usual.intake, usual.sign)
            agent = Agent(elsewhere.agent, carrier, keys, work)
            told = Job(job.message, job.assignment, agent)
            await told.report("One of four.", found(1, done=("1",)), 0.25)
            await told.report("Three of four.", found(1, 2, 3, done=("1", "2", "3")), 0.75)
        await asyncio.sleep(300)
        raise AssertionError

    async with elsewhere.working(work):
        report = await report_of(await elsewhere.start())
    assert [failed.completeness for failed in report.failures] == [0.75]
    assert len(beta(report)) == 3


async def test_a_partial_result_at_60_percent_fills_no_seat(elsewhere: Elsewhere) -> None:
    async def work(job: Job) -> OutsideFindings:
        await job.report("Three of five.", found(1, 2, 3), 0.6)
        raise timed_out("The market data did not come.", resource="a feed")

    async with elsewhere.working(work):
        handle = await elsewhere.start(critical=True)
        end = await end_of(handle, "critical_agent_failed: Beta cases")
    assert end.ending is Ending.CRITICAL_AGENT_FAILED
    assert "Beta cases" in end.message


async def test_a_refusal_is_a_failure_by_name(elsewhere: Elsewhere) -> None:
    async def work(job: Job) -> OutsideFindings:
        raise forbidden("This desk does not cover that company.", resource=job.assignment.topic)

    async with elsewhere.working(work):
        report = await report_of(await elsewhere.start())
    (failed,) = report.failures
    assert failed.failure.failure_type is FailureType.AUTH_ERROR
    assert failed.failure.message == "This desk does not cover that company."
    assert not beta(report)


async def test_an_agent_that_nobody_knows_is_a_failure_by_name(elsewhere: Elsewhere) -> None:
    report = await report_of(await elsewhere.start())
    (failed,) = report.failures
    assert failed.failure.failure_type is FailureType.NOT_FOUND
    assert elsewhere.agent in failed.failure.message


async def test_an_agent_is_told_when_nobody_waits_for_it_any_more(elsewhere: Elsewhere) -> None:
    stopped = asyncio.Event()

    async def work(job: Job) -> OutsideFindings:
        try:
            while True:
                await job.report("Still at it.", found(1), 0.1)
                await asyncio.sleep(1)
        finally:
            stopped.set()

    async with elsewhere.working(work):
        report = await report_of(await elsewhere.start(deadline="PT3S"))
        async with asyncio.timeout(PATIENCE_S):
            await stopped.wait()
    assert report.limitations[0].area == "“Beta cases” is late"


async def test_the_answer_of_another_agent_is_refused(elsewhere: Elsewhere) -> None:
    """Whoever knows the coordinator's queue, and no key, completes nothing."""

    async def work(job: Job) -> OutsideFindings:
        stranger = MasterKey(b"another key")
        forger = Agent(elsewhere.agent, elsewhere.mailboxes(stranger), stranger, work)
        await Job(job.message, job.assignment, forger).report("Forged.", found(7), 0.9)
        return found(1)

    async with elsewhere.working(work):
        report = await report_of(await elsewhere.start())
    assert beta(report) == ["Beta holds in case 1"]
    async with asyncio.timeout(PATIENCE_S):
        while not (dead := await elsewhere.mailboxes(elsewhere.key).dead(elsewhere.key.name)):  # noqa: ASYNC110  # the server tells nobody
            await asyncio.sleep(0.2)
    assert dead[0].reason == f"Its signature is not {elsewhere.agent}'s."

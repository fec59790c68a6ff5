"""Whether agents that live elsewhere can block a run, whatever they do.

    python -m benchmarks.outside [--runs N] [--seed N] [--json]

The team is `investment` with all five seats elsewhere: five receivers of messages, which go over a
real server in real time; several such teams work beside each other, each on one run at a time. In
each run a random subset of the five answers nothing, refuses, fails, answers partly and falls
silent, brings quotes that stand nowhere, or dies with the work in its hands and is started again.
A run is blocked as in `benchmarks.quorum`. A seat is unnamed when its agent kept silent, refused,
failed or died, and the report says nothing of it.

Prints a table; with --json, one JSON object as the last line. 1 when a run is blocked, when a seat
is unnamed, or when a report stands on fewer seats than its team's quorum.
"""

import asyncio
import json
import logging
import os
import random
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from temporalio.client import Client, WorkflowHandle
from temporalio.service import RPCError

from benchmarks.common import command_line, say
from benchmarks.quorum import Ended, settled
from benchmarks.server import environment
from caveat.clients.agents import Agent, Job
from caveat.contracts.message import Message
from caveat.contracts.outcome import Outcome
from caveat.contracts.outside import OutsideDocument, OutsideFindings, Quotation
from caveat.failures import forbidden, timed_out
from caveat.intake import Intake
from caveat.rules.messages import MasterKey, holds, signed
from caveat.teams.catalogue import TeamCatalogue
from caveat.workers.mailboxes import Mailboxes
from caveat.workers.outside import OutsideAgents
from caveat.workers.wiring import Ports, registry_of
from caveat.workers.worker import workers
from standins.ports import FakeSnapshots, Page, World, ports_of

SEATS = ("business", "financial", "strategy", "valuation", "news")
PATIENCE_S = 15
"""Seconds of silence that count: an agent that died is back within four on a busy machine."""

AT_ONCE = 8
"""Teams, and so runs, at once: they mostly wait for agents that are silent."""

FAULTS = ("silent", "refuses", "fails", "partial", "invents", "dies")
KEY = MasterKey(b"a key of this benchmark")
QUORUM = 3


@dataclass(frozen=True)
class OutsideResult:
    """The whole benchmark.

    Attributes:
        runs: how many.
        blocked: as of `benchmarks.quorum`.
        reported: that ended in a report.
        ended_by_name: that ended otherwise, by name.
        unnamed: seats that a report lost without a word.
        below_quorum: reports with fewer seats than their quorum, or without a critical one.
        deaths: of agents at work.
    """

    runs: int
    blocked: int
    reported: int
    ended_by_name: int
    unnamed: int
    below_quorum: int
    deaths: int


def behaviour(seed: int, run: str, seat: str) -> tuple[str, float]:
    """Draw what an agent does in a run, and how far it gets; the same for the same three."""
    risk = random.Random(f"{seed} {run}").uniform(0, 0.9)
    chance = random.Random(f"{seed} {run} {seat}")
    if chance.random() >= risk:
        return "answers", 1.0
    return chance.choice(FAULTS), chance.choice((0.2, 0.6, 0.75, 0.9))


def found(seat: str, share: float, *, invented: bool = False) -> OutsideFindings:
    """Quote some of ten documents."""
    documents = []
    for number in range(round(10 * share)):
        text = f"{seat.title()} holds in case {number}. " + " ".join(
            f"{seat}{number}w{word}" for word in range(40)
        )
        quote = "words that stand nowhere" if invented else f"{seat.title()} holds in case {number}"
        quotation = Quotation(text=f"{seat.title()} holds in case {number}.", quote=quote)
        documents.append(
            OutsideDocument(title=f"{seat} {number}", text=text, quotations=(quotation,))
        )
    return OutsideFindings(documents=tuple(documents))


def mailboxes(client: Client, folder: Path) -> Mailboxes:
    """Carry messages over the server, signed."""

    def intake(name: str) -> Intake:
        def trusted(message: Message) -> bool:
            return holds(message, KEY)

        ordered = not name.startswith("coordinator")
        return Intake(name, folder / f"{name}.db", trusted=trusted, ordered=ordered)

    return Mailboxes(client, intake, lambda message: signed(message, KEY))


@dataclass
class MortalAgent:
    """An agent that does with its work what was drawn, and is started again when it died.

    Attributes:
        seat: that it takes.
        name: its own.
        seed: decides what it does.
        client: of the server.
        folder: where it remembers what it took.
        deaths: how often it died.
    """

    seat: str
    name: str
    seed: int
    client: Client
    folder: Path
    deaths: int = 0
    _dead: asyncio.Event = field(default_factory=asyncio.Event)

    async def live(self) -> None:
        """Work, die and come back until cancelled."""
        while True:
            self._dead.clear()
            agent = Agent(self.name, mailboxes(self.client, self.folder), KEY, self._work)
            serving = asyncio.create_task(agent.serve())
            try:
                await self._dead.wait()
                self.deaths += 1
            finally:
                serving.cancel()  # and with it everything that it was at
                await asyncio.gather(serving, return_exceptions=True)
            await asyncio.sleep(1)

    async def _work(self, job: Job) -> OutsideFindings:
        how, share = behaviour(self.seed, job.message.run or "", self.seat)
        match how:
            case "silent":
                await asyncio.sleep(3600)
            case "refuses":
                raise forbidden(f"The {self.seat} agent does not cover it.", resource=self.seat)
            case "invents":
                return found(self.seat, 1.0, invented=True)
            case "dies":
                self._dead.set()
                await asyncio.sleep(3600)
            case "fails" | "partial":
                await job.report(f"{share:.0%} of it.", found(self.seat, share), share)
                if how == "partial":
                    await asyncio.sleep(3600)
                raise timed_out("The data did not come.", resource=self.seat)
            case _:
                await job.report("Half of it.", found(self.seat, 0.5), 0.5)
        return found(self.seat, 1.0)


@asynccontextmanager
async def agents(seed: int, client: Client, folder: Path) -> AsyncIterator[list[MortalAgent]]:
    """Have five agents for each team."""
    every = [
        MortalAgent(seat, f"{seat}-{team}", seed, client, folder)
        for team in range(AT_ONCE)
        for seat in SEATS
    ]
    for each in every:
        await mailboxes(client, folder).open(each.name)
    living = [asyncio.create_task(each.live()) for each in every]
    try:
        yield every
    finally:
        for task in living:
            task.cancel()
        await asyncio.gather(*living, return_exceptions=True)


def teams(folder: Path) -> TeamCatalogue:
    """Write the team `investment` with every seat elsewhere, once for each five of agents."""
    shipped = TeamCatalogue().team("investment")
    for number in range(AT_ONCE):
        lines = ["[quorum]", "minimum_share = 0.6", "penalty = 0.1"]
        for each in shipped.specialists:
            facts: dict[str, Any] = {
                "name": each.name,
                "title": each.title,
                "brief": each.brief,
                "queries": list(each.queries),
                "critical": each.critical,
                "agent": f"{each.name}-{number}",
                "patience": PATIENCE_S,
            }
            lines += ["[[specialists]]", *(f"{key} = {json.dumps(facts[key])}" for key in facts)]
        file = folder / f"elsewhere-{number}.toml"
        file.write_text("\n".join(lines), encoding="utf-8")
    return TeamCatalogue((folder,))


def ports(folder: Path) -> Ports:
    """Put nothing behind the ports but agents elsewhere."""
    world = World(pages=[Page("A page that nobody asks for", "…")], angles={}, answers={})
    board = OutsideAgents(
        carrier=lambda client: mailboxes(client, folder),
        snapshots=FakeSnapshots(world),
        name=KEY.name,
        sign=lambda message: signed(message, KEY),
    )
    return replace(ports_of(world), teams=teams(folder), outside_agents=board)


async def measure(runs: int, seed: int, folder: Path) -> tuple[OutsideResult, Counter[str]]:
    """Put every run through the coordinator; also count the names of the ends."""
    queue, began = f"outside-{uuid.uuid4().hex[:8]}", time.monotonic()
    free: asyncio.Queue[int] = asyncio.Queue()
    for team in range(AT_ONCE):
        free.put_nowait(team)
    served = ports(folder)
    async with environment(folder / "payloads") as server:
        client = server.client

        async def perform(number: int) -> Ended:
            team = await free.get()
            request = {"topic": "Acme", "team": f"elsewhere-{team}", "depth": "overview"}
            handle = await client.start_workflow(
                "Research", request, id=run_id(number), task_queue=queue, result_type=Outcome
            )
            end = await patiently(handle)
            free.put_nowait(team)
            how = end.blocked or end.name or "a report"
            say(f"{time.monotonic() - began:5.0f} s  {run_id(number)}: {how}")
            return end

        # Agents are no part of what the server could skip.
        with server.with_time_skipping_disabled():
            async with (
                agents(seed, client, folder) as living,
                workers(client, registry_of(served), queue),
            ):
                ends = await asyncio.gather(*map(perform, range(runs)))
    say(f"{runs} runs in {time.monotonic() - began:.0f} s, load {os.getloadavg()[0]:.1f}")
    for end in ends:
        if end.blocked is not None:
            say(end.blocked)
    reports = {number: end.report for number, end in enumerate(ends) if end.report}
    for number, report in reports.items():
        for seat in unnamed(seed, run_id(number), report):
            how, share = behaviour(seed, run_id(number), seat)
            say(f"{run_id(number)} lost {seat} ({how} at {share:.0%}) without a word.")
    measured = OutsideResult(
        runs=runs,
        blocked=sum(end.blocked is not None for end in ends),
        reported=len(reports),
        ended_by_name=sum(end.name is not None for end in ends),
        unnamed=sum(len(unnamed(seed, run_id(number), reports[number])) for number in reports),
        below_quorum=sum(not stands(report) for report in reports.values()),
        deaths=sum(each.deaths for each in living),
    )
    return measured, Counter(end.name for end in ends if end.name is not None)


async def patiently(handle: WorkflowHandle[Any, Outcome]) -> Ended:
    """Wait for a run's end, also where the server is too busy to say that it goes on."""
    while True:
        try:
            return await settled(handle)
        except RPCError:
            await asyncio.sleep(1)


def run_id(number: int) -> str:
    """Name a run."""
    return f"outside-{number}"


def unnamed(seed: int, run: str, report: dict[str, Any]) -> list[str]:
    """Name the seats that are lost in a report and not told of."""
    told = " ".join(failed["task_description"] for failed in report["failures"])
    titles = {each.name: each.title for each in TeamCatalogue().team("investment").specialists}
    lost = ("silent", "refuses", "fails", "partial", "dies")
    return [
        seat
        for seat in SEATS
        if behaviour(seed, run, seat)[0] in lost
        and f"Have {seat}-" not in told
        and f"“{titles[seat]}”" not in told  # as the agent's own envelope names it
    ]


def stands(report: dict[str, Any]) -> bool:
    """Say whether a report's seats are those that its team asks for."""
    filled = [
        section["title"]
        for section in report["sections"]
        if section["claims"]
        and not any(
            failed["task_description"].endswith(f"“{section['title']}”")
            and not failed["recovered"]
            and failed["completeness"] <= 0.70
            for failed in report["failures"]
        )
    ]
    shipped = TeamCatalogue().team("investment").specialists
    critical = {each.title for each in shipped if each.critical}
    return len(filled) >= QUORUM and critical <= set(filled)


def table(measured: OutsideResult, names: Counter[str]) -> str:
    """Print for people."""
    rows = {
        "runs": measured.runs,
        "blocked": measured.blocked,
        "ended in a report": measured.reported,
        "ended by name": measured.ended_by_name,
        **{f"  {name}": count for name, count in names.most_common()},
        "seats lost without a word": measured.unnamed,
        "reports below their quorum": measured.below_quorum,
        "agents that died at work": measured.deaths,
    }
    return "\n".join(f"{name:<32} {count:>6}" for name, count in rows.items())


def main() -> int:
    """Run the benchmark; 1 when it found what must not be."""
    parser = command_line(__doc__, json=True)
    parser.add_argument("--runs", type=int, default=100, help="100 unless told")
    parser.add_argument("--seed", type=int, default=1, help="decides who does what")
    options = parser.parse_args()
    for name in ("temporalio.activity", "caveat.activities", "caveat.clients"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what fails on purpose
    with tempfile.TemporaryDirectory(prefix="caveat-benchmark-") as scratch:
        measured, names = asyncio.run(measure(options.runs, options.seed, Path(scratch)))
    print(table(measured, names))
    if options.json:
        print(json.dumps(asdict(measured)))
    return 1 if measured.blocked or measured.unnamed or measured.below_quorum else 0


if __name__ == "__main__":
    sys.exit(main())

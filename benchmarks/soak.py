"""What is lost, repeated and kept where Caveat works for long while everything beneath it fails.

    python -m benchmarks.soak [--minutes 60] [--every 10] [--cycles N] [--folder DIR] [--json]

Starts a run every so many seconds on a real Temporal server, with worker processes of two installed
wheels (this tree, and one whose runs begin otherwise) on two state folders that have nothing in
common but the server, a bucket of S3, a memory on PostgreSQL and a RabbitMQ, which hears of every
event. Meanwhile, in cycles of ten minutes: a worker is killed; the bucket is out of reach; the
broker is; the other version is rolled out by Worker Versioning, and the workers of the one before
end once their runs have; the server is killed and started again on its database; the bucket refuses
a third of what it is asked; one worker becomes three; worker and server are killed together; three
become one; and what is old is pruned. A third of the runs wait for a person, who rules on them; of
each run that ended the report is audited and the history searched for work that was done twice.

Ages are those of a soak: `caveat admin prune` removes what is older than a cycle, workers write
again what is half as old, and histories are deleted when a cycle old, as a server's retention does.

Prints a table. 1 when a run was lost, wedged, or ended otherwise than with a report whose audit
passes, or when a completed activity was scheduled again. Needs PostgreSQL's programs, and a
RabbitMQ at `RABBITMQ_URL`, which is the local one unless told.
"""

import argparse
import asyncio
import json
import os
import platform
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from statistics import quantiles

from temporalio.client import Client
from temporalio.runtime import LoggingConfig, Runtime, TelemetryConfig, TelemetryFilter
from temporalio.service import RPCError

from benchmarks.common import CORPUS, command_line, say
from benchmarks.soaking.hearing import Heard, hearing
from benchmarks.soaking.runs import Runs
from benchmarks.soaking.samples import HEADINGS, Memory, Row, bucket_mb, database_mb, local_mb
from benchmarks.soaking.site import Services, Site
from caveat.workers.settings import Settings
from standins.buckets import a_bucket, failing
from standins.line import Line
from standins.postgresql import private_server, programs
from standins.wheels import Wheel, install

AWAY_S = 15.0
"""Seconds that bucket and broker are out of reach: more than the three attempts of a task take."""

REFUSING_S = 30.0  # seconds in which the bucket refuses a third of what it is asked

EVERY_REFUSED = 3

CYCLE_MINUTES = 10.0

LOOK_S = 3.0  # between two looks at processes: what a worker needs to begin, and memory to grow by


def main() -> int:
    """Soak, and print the table."""
    options = arguments()
    # Every call to a server that was killed would say so.
    quiet = LoggingConfig(filter=TelemetryFilter(core_level="ERROR", other_level="ERROR"))
    Runtime.set_default(Runtime(telemetry=TelemetryConfig(logging=quiet)))
    with tempfile.TemporaryDirectory(prefix="caveat-soak-", dir=options.folder) as folder:
        try:
            soak = asyncio.run(soaked(Path(folder), options))
        except BaseException:
            keep_logs(Path(folder))
            raise
        print(soak.table())
        if options.json:
            print(json.dumps(soak.facts()))
        print(f"{platform.node()}: {os.cpu_count()} processors", file=sys.stderr)
        if not soak.is_clean:
            keep_logs(Path(folder))
        return 0 if soak.is_clean else 1


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = command_line(__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="60 unless told")
    parser.add_argument("--every", type=float, default=10.0, help="seconds between two starts")
    parser.add_argument("--cycles", type=int, help="of events; one in ten minutes unless told")
    parser.add_argument("--seed", type=int, default=1, help="of chance")
    parser.add_argument("--folder", type=Path, help="for what is kept meanwhile")
    return parser.parse_args()


def keep_logs(folder: Path) -> None:
    """Keep what processes said where somebody will look."""
    for name in ("workers.log", "server.log"):
        with suppress(OSError):
            kept = Path(tempfile.gettempdir()) / f"caveat-soak-{os.getpid()}-{name}"
            kept.write_bytes((folder / name).read_bytes())
            print(f"Kept {kept}", file=sys.stderr)


async def soaked(folder: Path, options: argparse.Namespace) -> "Soak":
    """Set everything up, and soak."""
    say("Building two wheels …")
    wheels = await asyncio.gather(
        asyncio.to_thread(install, folder / "earlier"),
        asyncio.to_thread(install, folder / "this", is_earlier=False),
    )
    with failing(folder) as store, memory() as database:
        bucket = a_bucket(store.endpoint)
        broker = Line(os.environ.get("RABBITMQ_URL", "amqp://guest:guest@127.0.0.1:5672/"))
        await broker.open()
        os.environ.update(bucket.environment)
        cycle_s = options.minutes * 60 / (options.cycles or rounds(options.minutes))
        services = Services(bucket, store, database, broker)
        site = Site(folder, services, CORPUS, renewed_s=cycle_s / 2)
        try:
            client = await site.start_server()
            async with hearing(broker.to) as heard:
                soak = Soak(site, client, wheels, options, cycle_s, heard)
                await soak.run()
        finally:
            site.end()
            await broker.cut()
        return soak


@contextmanager
def memory() -> Iterator[str]:
    """Run a PostgreSQL for the memory of workers.

    Yields:
        The URL of a database.
    """
    where = programs()
    if where is None:
        sys.exit("A soak needs PostgreSQL: install postgresql, 14 or newer.")
    with private_server(where) as server:
        yield server.new_database()


def rounds(minutes: float) -> int:
    """Say how many cycles fit."""
    return max(1, round(minutes / CYCLE_MINUTES))


class Soak:
    """One soak: who does what to whom, and what was seen."""

    def __init__(
        self,
        site: Site,
        client: Client,
        wheels: tuple[Wheel, Wheel],
        options: argparse.Namespace,
        cycle_s: float,
        heard: Heard,
    ) -> None:
        self._heard = heard
        settings = Settings(state_dir=site.folder / "ours", blobs=site.bucket.url)
        self.runs = Runs(client, settings, options.seed)
        self.lines: list[Row] = []
        self.done: Counter[str] = Counter()
        self._site = site
        self._client = client
        self._wheels = wheels
        self._options = options
        self._cycle_s = cycle_s
        self._chance = random.Random(options.seed)
        self._memory = Memory()
        self._since: list[str] = []
        self._counted = 0
        self._began = time.monotonic()

    @property
    def is_clean(self) -> bool:
        """Whether nothing went wrong."""
        return self.runs.judged.is_clean

    async def run(self) -> None:
        """Soak for as long as was asked."""
        await self._site.upgrade(self._client, self._wheels[1])
        self._began = time.monotonic()
        looking = asyncio.create_task(self._look())
        ruling = asyncio.create_task(self._rule())
        starting = asyncio.create_task(self._start())
        try:
            for cycle in range(self._options.cycles or rounds(self._options.minutes)):
                await self._cycle(cycle)
            starting.cancel()
            say("No more starts; waiting for the last runs …")
            await self.runs.all_ended()
            await self._prune()
        finally:
            for task in (starting, ruling, looking):
                task.cancel()
            for task in (starting, ruling, looking):
                with suppress(asyncio.CancelledError):
                    await task

    async def _cycle(self, number: int) -> None:
        events: list[Callable[[int], Awaitable[str]]] = [
            self._kill_worker,
            self._take_bucket_away,
            self._take_broker_away,
            self._upgrade,
            self._kill_server,
            self._refuse,
            self._scale_up,
            self._kill_both,
            self._scale_down,
        ]
        pause = self._cycle_s / (len(events) + 1)
        begins = time.monotonic()
        for at, event in enumerate(events, start=1):
            await asyncio.sleep(max(0.0, begins + at * pause - time.monotonic()))
            what = await event(number)
            self.done[what] += 1
            self._since.append(what)
            ended = self.runs.judged.ended
            say(f"{self._minute:5.1f} min: {what}; {self.runs.open} open, {ended} ended")
        await asyncio.sleep(max(0.0, begins + self._cycle_s - time.monotonic()))
        await self._prune()

    async def _kill_worker(self, cycle: int) -> str:
        del cycle
        self._site.kill(self._chance.choice(self._site.workers))
        return "worker killed"

    async def _take_bucket_away(self, cycle: int) -> str:
        del cycle
        store = self._site.services.store
        store.go_away()
        await asyncio.sleep(min(AWAY_S, self._cycle_s / 15))
        store.come_back()
        return "bucket out of reach"

    async def _take_broker_away(self, cycle: int) -> str:
        del cycle
        broker = self._site.services.broker
        await broker.cut()
        await asyncio.sleep(min(AWAY_S, self._cycle_s / 15))
        await broker.open()
        return "broker out of reach"

    async def _upgrade(self, cycle: int) -> str:
        await self._site.upgrade(self._client, self._wheels[cycle % len(self._wheels)])
        return "workers upgraded"

    async def _kill_server(self, cycle: int) -> str:
        del cycle
        self._site.kill_server()
        await self._site.start_server()
        return "server killed"

    async def _refuse(self, cycle: int) -> str:
        del cycle
        store = self._site.services.store
        store.refuse(EVERY_REFUSED)
        await asyncio.sleep(min(REFUSING_S, self._cycle_s / 12))
        store.refuse_none()
        return "bucket refusing"

    async def _scale_up(self, cycle: int) -> str:
        del cycle
        for _ in range(2):
            self._site.start_worker()
        return "scaled to three"

    async def _kill_both(self, cycle: int) -> str:
        del cycle
        self._site.kill_server()
        self._site.kill(self._chance.choice(self._site.workers))
        await self._site.start_server()
        return "worker and server killed"

    async def _scale_down(self, cycle: int) -> str:
        del cycle
        current = [each for each in self._site.workers if each.build == self._site.build]
        for worker in current[1:]:
            await asyncio.to_thread(self._site.stop, worker)
        return "scaled to one"

    async def _start(self) -> None:
        number = 0
        due = time.monotonic()
        while True:
            number += 1
            await self.runs.begin(number)
            due += self._options.every
            await asyncio.sleep(max(0.0, due - time.monotonic()))

    async def _rule(self) -> None:
        while True:
            await self.runs.rule()
            await asyncio.sleep(LOOK_S)

    async def _look(self) -> None:
        while True:
            self._site.supervise()
            with suppress(RPCError, OSError):
                await self._site.retire(self._client)
            self._memory.look(self._site)
            await asyncio.sleep(LOOK_S)

    async def _prune(self) -> None:
        before, _ = await asyncio.to_thread(bucket_mb, self._site)
        forgotten = await self.runs.forget(self._cycle_s)
        found = await self._pruned()
        left, objects = await asyncio.to_thread(bucket_mb, self._site)
        begun = self.runs.judged.begun
        self.lines.append(
            Row(
                minute=self._minute,
                begun=begun - self._counted,
                memory=self._memory,
                bucket_before=before,
                bucket=left,
                objects=objects,
                database=database_mb(self._site),
                local=await asyncio.to_thread(local_mb, self._site),
                load=os.getloadavg()[2],
                events=self._since,
            )
        )
        self._counted, self._memory, self._since = begun, Memory(), []
        say(f"{self.lines[-1]}; {forgotten} histories deleted; pruned {found}")
        say(json.dumps({k: v for k, v in vars(self.runs.judged).items() if k != "seconds"}))

    async def _pruned(self) -> str:
        """Prune as the command does, by the ages of a soak; in a process, as people do."""
        command = (sys.executable, "-m", "benchmarks.soaking.pruning", self._site.address)
        process = await asyncio.create_subprocess_exec(
            *command,
            *(self._site.bucket.url, str(self._site.folder / "ours"), str(self._cycle_s)),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        said, problem = await process.communicate()
        if process.returncode != 0:
            return f"NOT: {problem.decode()[-2000:]}"
        return said.decode().strip()

    @property
    def _minute(self) -> float:
        return round((time.monotonic() - self._began) / 60, 1)

    def facts(self) -> dict[str, object]:
        """Say the same for programs."""
        return {
            **asdict(self.runs.judged),
            "done": self.done,
            "ends_told": len(self._heard.ended),
            "ended_unasked": self._site.ended_unasked,
            "lines": [asdict(each) for each in self.lines],
        }

    def table(self) -> str:
        """Print for people, as Markdown."""
        judged = self.runs.judged
        lines = [
            "| | |",
            "|---|---:|",
            f"| runs begun | {judged.begun} |",
            f"| with a report whose audit passes | {judged.survived} |",
            f"| of these, with something missing that the report names | {judged.partial} |",
            f"| lost | {judged.lost} |",
            f"| still open | {judged.wedged} |",
            f"| ended by name | {judged.named} |",
            f"| ended otherwise | {judged.unclear} |",
            f"| activities completed | {judged.activities:,} |",
            f"| of these, scheduled again | {judged.repeated} |",
            *(f"| {what} | {times} times |" for what, times in self.done.items()),
            f"| runs whose end the broker was told of | {len(self._heard.ended)} |",
            f"| workers that ended unasked, and were started again | {self._site.ended_unasked} |",
            "",
            f"| {' | '.join(HEADINGS)} |",
            f"|{'---:|' * len(HEADINGS)}",
            *map(str, self.lines),
        ]
        if len(judged.seconds) > 1:
            twentieths = quantiles(judged.seconds, n=20)
            took = f"{twentieths[9]:.0f} s in the middle, {twentieths[18]:.0f} s of the slowest"
            lines += ["", f"A run for which nobody rules took {took} twentieth at least."]
        lines += ["", *judged.problems] if judged.problems else []
        return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())

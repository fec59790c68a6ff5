"""Messages while a broker and its receivers are killed: what is lost, doubled, late, out of order.

    python -m benchmarks.messages [--messages N] [--json]

Eight senders send to four receivers, each a process that is killed at random and started again;
the broker, a private one, is killed with SIGKILL halfway. A sender does again what was refused, as
Temporal would. Beside it, on the same broker without any kill, plain aio-pika: confirms, and one
message at a time. With --json, one JSON object as the last line.
"""

import asyncio
import contextlib
import json
import logging
import os
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import aio_pika

from benchmarks.common import command_line
from caveat.adapters.rabbitmq.messages import RabbitMessages
from caveat.contracts.message import TTL, Message, Priority, RemarkBody
from caveat.failures import PortFailure
from caveat.intake import Intake, now
from caveat.rules.messages import Numbering
from tests.fakes.free_ports import free_port

AGENTS = tuple(f"receiver-{number}" for number in range(4))
SENDERS = 8
KILL_EVERY_S = 15.0
"""Seconds between two deaths of receivers: a new one needs up to ten to begin on a busy machine."""


@dataclass
class Server:
    """A private broker, in a folder of its own, that can be killed and started again."""

    folder: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"amqp://guest:guest@127.0.0.1:{self.port}/"

    def start(self) -> None:
        """Start it and wait until it listens."""
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                self._command(),
                env={**os.environ, **self._environment()},
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        deadline = time.monotonic() + 120
        while not self._listens():
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise RuntimeError(f"RabbitMQ does not start: see {self.folder}/server.log")
            time.sleep(0.1)

    def kill(self) -> None:
        """Kill it with SIGKILL, and everything that it started."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            while self._listens():  # what it started takes a moment to die
                time.sleep(0.05)

    def _listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def _command(self) -> list[str]:
        # Debian's own program changes to a user who may not write here.
        plain = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
        return [str(plain) if plain.exists() else shutil.which("rabbitmq-server") or plain.name]

    def _environment(self) -> dict[str, str]:
        base = str(self.folder)
        plugins = self.folder / "enabled_plugins"
        plugins.write_text("[].\n")
        return {
            "RABBITMQ_NODENAME": f"caveat-benchmark-{self.port}@localhost",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_MNESIA_BASE": f"{base}/mnesia",
            "RABBITMQ_LOG_BASE": f"{base}/log",
            "RABBITMQ_PID_FILE": f"{base}/pid",
            "RABBITMQ_CONFIG_FILE": f"{base}/none",
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(plugins),
            "HOME": base,
        }


def carrier(url: str, folder: Path) -> RabbitMessages:

    def intake(agent: str) -> Intake:
        gaps = (folder / f"{agent}.gaps").open("a", buffering=1)
        return Intake(agent, folder / f"{agent}.db", on_gap=lambda gap: print(gap, file=gaps))

    return RabbitMessages(url, intake)


async def receive(url: str, folder: Path, agent: str) -> None:
    """Write down what comes: its lane, number, and seconds since it was made."""
    log = (folder / f"{agent}.log").open("a", buffering=1)

    async def handle(message: Message) -> None:
        late = (now() - message.time).total_seconds()
        log.write(f"{' '.join(message.stream)} {message.number} {late:.4f}\n")

    messages = carrier(url, folder)
    while True:
        with contextlib.suppress(PortFailure):
            await messages.serve(agent, handle)
        await asyncio.sleep(0.5)


@dataclass
class Sent:
    """What was confirmed, and how long that took."""

    confirmed: set[tuple[str, int]] = field(default_factory=set)
    refused: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    half: int = 0
    halfway: asyncio.Event = field(default_factory=asyncio.Event)


async def send(messages: RabbitMessages, sender: int, count: int, sent: Sent) -> None:
    """Send so many messages, each until it is accepted."""
    chance = random.Random(sender)
    numbering = Numbering(f"sender-{sender}", f"benchmark-{sender}")
    for _ in range(count):
        message = numbering.build_message(
            RemarkBody(text="A remark of ordinary length, about what was found. " * 4),
            now=now(),
            recipient=chance.choice(AGENTS),
            priority=chance.choice(list(Priority)),
        )
        begun = time.monotonic()
        while True:
            try:
                await messages.send(message)
                break
            except PortFailure as failed:
                sent.refused[failed.failure.message] += 1
                await asyncio.sleep(0.2)
        sent.seconds.append(time.monotonic() - begun)
        numbering.confirm(message)
        sent.confirmed.add((_lane(message), message.number))
        if len(sent.confirmed) >= sent.half:
            sent.halfway.set()


@contextlib.contextmanager
def receivers(url: str, folder: Path) -> Iterator[dict[str, subprocess.Popen[bytes]]]:
    """Have a process for each agent."""
    running = {agent: spawn(url, folder, agent) for agent in AGENTS}
    try:
        yield running
    finally:
        for process in running.values():
            process.kill()
            process.wait()


def spawn(url: str, folder: Path, agent: str) -> subprocess.Popen[bytes]:
    command = (sys.executable, "-m", "benchmarks.messages")
    with (folder / "receivers.err").open("ab") as errors:
        return subprocess.Popen([*command, "--receive", agent, url, str(folder)], stderr=errors)


@contextlib.asynccontextmanager
async def dying(
    url: str, folder: Path, running: dict[str, subprocess.Popen[bytes]]
) -> AsyncIterator[list[str]]:
    """Kill receivers at random, and start them again."""
    dead: list[str] = []

    async def kill() -> None:
        chance = random.Random(7)
        while True:
            await asyncio.sleep(KILL_EVERY_S)
            agent = chance.choice(AGENTS)
            running[agent].kill()
            await asyncio.to_thread(running[agent].wait)
            running[agent] = spawn(url, folder, agent)
            dead.append(agent)

    killing = asyncio.create_task(kill())
    try:
        yield dead
    finally:
        killing.cancel()


def read(folder: Path) -> tuple[dict[str, list[int]], list[float]]:
    """Read what receivers wrote down, by lane and in their order."""
    lanes: dict[str, list[int]] = defaultdict(list)
    late: list[float] = []
    for agent in AGENTS:
        file = folder / f"{agent}.log"
        for line in file.read_text().splitlines() if file.exists() else ():
            *lane, number, seconds = line.split()
            lanes[" ".join(lane)].append(int(number))
            late.append(float(seconds))
    return lanes, late


def disorder(numbers: list[int]) -> int:
    """Count the numbers that came for the first time after a higher one."""
    highest, seen, wrong = 0, set[int](), 0
    for number in numbers:
        if number not in seen:
            wrong += number < highest
            seen.add(number)
            highest = max(highest, number)
    return wrong


async def measure(count: int, folder: Path) -> dict[str, float]:
    """Send everything, kill on the way, and say what became of it."""
    server = Server(folder)
    server.start()
    print(f"{count:,} messages, load {loaded()} on {os.cpu_count()} cores")
    try:
        messages = carrier(server.url, folder)
        for agent in AGENTS:
            await opened(messages, agent)
        begun = time.monotonic()
        sent = await sent_while_dying(messages, server, count)
        took = time.monotonic() - begun
        letters = [letter for letter in await messages.list_dead_letters() if letter.message]
        await messages.close()
        dead = {(_lane(x.message), x.message.number) for x in letters if x.message}
        measured = {**outcome(sent, folder, dead), "seconds": round(took)}
        measured["a second, kills included"] = round(len(sent.confirmed) / took)
        for letter in letters[:5]:
            print(f"  dead: {letter.reason}")
        return measured | await plain(server.url, min(count, 20_000))
    finally:
        server.kill()


async def sent_while_dying(messages: RabbitMessages, server: Server, count: int) -> Sent:
    """Send everything while receivers die and, halfway, the server; wait for the last one."""
    sent = Sent(half=count // 2)
    url, folder = server.url, server.folder
    with receivers(url, folder) as running:
        async with dying(url, folder, running) as dead:
            sending = [
                asyncio.create_task(send(messages, number, count // SENDERS, sent))
                for number in range(SENDERS)
            ]
            await sent.halfway.wait()
            server.kill()
            down = time.monotonic()
            await asyncio.to_thread(server.start)
            print(f"killed and back after {time.monotonic() - down:.1f} s")
            await asyncio.gather(*sending)
        print(f"{len(dead)} receivers killed")
        await arrived(folder, len(sent.confirmed))
    return sent


def loaded() -> str:
    """Say what else this machine did in the last minute."""
    return f"{os.getloadavg()[0]:.1f}"


def _lane(message: Message) -> str:
    return " ".join(message.stream)


async def opened(messages: RabbitMessages, agent: str) -> None:
    """Make an agent known, however long the server takes to start."""
    for _ in range(60):
        try:
            await messages.open(agent)
        except PortFailure:
            await asyncio.sleep(1)
        else:
            return
    raise RuntimeError("The server does not answer.")


async def arrived(folder: Path, count: int) -> None:
    """Wait until so many are written down, or nothing has come for two minutes."""
    last, since = 0, time.monotonic()
    while time.monotonic() - since < 120:
        lanes, _ = read(folder)
        here = sum(len(set(numbers)) for numbers in lanes.values())
        if here >= count:
            return
        if here != last:
            last, since = here, time.monotonic()
        await asyncio.sleep(1)


def outcome(sent: Sent, folder: Path, dead: set[tuple[str, int]]) -> dict[str, float]:
    """Say what became of every confirmed message."""
    lanes, late = read(folder)
    here = {(lane, number) for lane, numbers in lanes.items() for number in numbers}
    count, came = len(sent.confirmed), len(here & sent.confirmed)
    for why, times in sent.refused.most_common(3):
        print(f"refused to its sender, {times:,} times: {why}")
    return {
        "confirmed": count,
        "delivered": came,
        "dead, with a reason": len(dead - here),
        "confirmed and lost": len(sent.confirmed - here - dead),
        "later than their TTL": sum(each > TTL.total_seconds() for each in late),
        "gaps named": sum(map(lines, folder.glob("*.gaps"))),
        "taken twice": len(late) - len(here),
        "out of order": sum(map(disorder, lanes.values())),
        "confirm p95, s": round(quantile(sent.seconds), 3),
        "delivery p50, s": round(statistics.median(late), 2),
        "delivery p95, s": round(quantile(late), 2),
    }


def lines(file: Path) -> int:
    return len(file.read_text().splitlines())


def quantile(values: list[float]) -> float:
    """Return the 95th percentile."""
    return statistics.quantiles(values, n=20)[-1]


async def plain(url: str, count: int) -> dict[str, float]:
    """Do the same with aio-pika alone: eight senders with confirms, four receivers, prefetch 1."""
    connection = await aio_pika.connect(url)
    channel = await connection.channel()
    queues = [
        await channel.declare_queue(f"plain-{number}", durable=True)
        for number in range(len(AGENTS))
    ]
    late: list[float] = []
    confirmed: list[float] = []
    done = asyncio.Event()

    async def came(parcel: aio_pika.abc.AbstractIncomingMessage) -> None:
        await parcel.ack()
        late.append(time.time() - float(parcel.body.split()[0]))
        if len(late) == count // SENDERS * SENDERS:
            done.set()

    for queue in queues:
        reading = await connection.channel()
        await reading.set_qos(prefetch_count=1)
        await (await reading.get_queue(queue.name)).consume(came)

    async def publish(sender: int) -> None:
        for _ in range(count // SENDERS):
            body = f"{time.time()} ".encode() + b"x" * 700
            parcel = aio_pika.Message(body, delivery_mode=aio_pika.DeliveryMode.PERSISTENT)
            begun = time.monotonic()
            await channel.default_exchange.publish(parcel, queues[sender % len(queues)].name)
            confirmed.append(time.monotonic() - begun)

    begun = time.monotonic()
    await asyncio.gather(*(publish(sender) for sender in range(SENDERS)))
    await done.wait()
    took = time.monotonic() - begun
    await connection.close()
    return {
        "plain aio-pika: a second": round(count / took),
        "plain aio-pika: confirm p95, s": round(quantile(confirmed), 3),
        "plain aio-pika: delivery p95, s": round(quantile(late), 2),
    }


def main() -> None:
    """Read the command line."""
    parser = command_line(__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--receive", nargs=3, metavar=("AGENT", "URL", "FOLDER"))
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the private server dies with it
    logging.disable(logging.ERROR)  # that a connection was lost is what is measured
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # nothing has replaced Python's own stream
    if given.receive:
        agent, url, folder = given.receive
        asyncio.run(receive(url, Path(folder), agent))
        return
    with tempfile.TemporaryDirectory(prefix="caveat-messages-") as temporary:
        measured = asyncio.run(measure(given.messages, Path(temporary)))
    for name, value in measured.items():
        print(f"{name:<32} {value:>12,}")
    if given.json:
        print(json.dumps(measured))


if __name__ == "__main__":
    main()

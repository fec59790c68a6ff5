"""How many answers of a model are asked for again when their worker is killed.

    python -m benchmarks.kills [--answers 1000] [--at-once 8] [--seed 1] [--json]

Runs over the real SDK, with a worker in a process of its own. The model is a stand-in that copies
sentences and takes 0.2 to 1.3 seconds for an answer. The worker is killed up to three seconds after
its first request, and started again, until so many answers were sent to their last byte.

1 when one of them was asked for again, or a run ended without a report.
"""

import asyncio
import json
import random
import sys
import tempfile
from pathlib import Path

from temporalio.client import Client

from benchmarks.common import command_line, load, machine, say
from caveat.workflows.names import QUEUE
from tests.fakes.claude_corpus import TOPIC, write_corpus
from tests.fakes.claude_worker import PUBLISHING, READING, Door, settings
from tests.fakes.machine import Machine
from tests.fakes.messages_api import StandIn, stand_in
from tests.fakes.patience import until
from tests.fakes.runs import start_run
from tests.fakes.scholar import scholar
from tests.fakes.template import Template

BRIDGE = "Halvorsen"  # of the topic and its documents; each run has one of its own

LIVES_S = (0.2, 3.0)  # seconds of a worker from its first request on


async def research(client: Client, folder: Path, number: int) -> None:
    """Research a bridge that no other run knows, so that it asks for every answer itself."""
    bridge = f"{BRIDGE}{number}"
    corpus = write_corpus(folder / bridge)
    for file in corpus.iterdir():
        file.write_text(file.read_text(encoding="utf-8").replace(BRIDGE, bridge), encoding="utf-8")
    asked = {"topic": TOPIC.replace(BRIDGE, bridge), "corpus": [str(corpus)], "depth": "overview"}
    await (await start_run(client, QUEUE, f"research-{number}", **asked)).result()


async def kill_again_and_again(
    api: StandIn, worker: Machine, client: Client, answers: int, at_once: int
) -> tuple[int, int]:
    """Run until so many answers were sent; return how many runs and kills it took."""
    runs, kills, running = 0, 0, set[asyncio.Task[None]]()
    worker.start_worker()
    while running or len(api.sent) < answers:
        while len(running) < at_once and len(api.sent) < answers:
            runs += 1
            running.add(asyncio.create_task(research(client, worker.folder, runs)))
        before = len(api.requests)
        await until(lambda: len(api.requests) > before or all(run.done() for run in running))  # noqa: B023  # awaited within the turn
        await asyncio.sleep(random.uniform(*LIVES_S))
        for run in [run for run in running if run.done()]:
            running.remove(run)
            await run
        worker.kill("worker")
        worker.start_worker()
        kills += 1
        say(f"{kills} kills, {len(api.sent)} answers, {len(api.again)} asked for again")
    return runs, kills


async def measure(answers: int, at_once: int) -> dict[str, int]:
    """Start everything, and count."""
    template = Template()
    with tempfile.TemporaryDirectory(prefix="caveat-benchmark-") as name:
        folder = Path(name)
        async with stand_in(
            model=scholar,
            latency=lambda _: random.uniform(0.1, 0.3),
            writing=lambda _: random.uniform(0.1, 1.0),
        ) as api:
            program = ("tests.fakes.claude_worker", api.url)
            worker = Machine(folder, template, program, settings(folder, api.url).payloads_folder)
            for door in (READING, PUBLISHING):
                Door(folder, door).open()
            try:
                client = await worker.start_server()
                runs, kills = await kill_again_and_again(api, worker, client, answers, at_once)
            finally:
                worker.end()
                template.end()
            return {
                "runs": runs,
                "kills": kills,
                "answers": len(api.sent),
                "requests": len(api.requests),
                "asked_again": len(api.again),
            }


def main() -> int:
    """Run the benchmark; 1 when an answer was asked for again."""
    parser = command_line(__doc__)
    parser.add_argument("--answers", type=int, default=1_000)
    parser.add_argument("--at-once", type=int, default=8, help="runs")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random.seed(options.seed)
    found = asyncio.run(measure(options.answers, options.at_once))
    print(f"{machine()}. {load()}")
    print(", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in found.items()))
    if options.json:
        print(json.dumps(found))
    return int(found["asked_again"] > 0)


if __name__ == "__main__":
    sys.exit(main())

"""What a quorum deadline saves where calls take very different times, beside a design of barriers.

    python -m benchmarks.stragglers [--runs 20] [--sigma 0.6] [--scale 0.1] [--json]

The DAG of `benchmarks.overhead` with 30 sources, and log-normal latencies of the same medians:
of thirty analyses the slowest takes three to four times the median. A design of barriers waits in
each phase for the slowest call of the one before. Caveat does not wait between phases, and after
`deadline` goes on with what is there if its quorum holds. Both are given the same latencies, run by
run; the barriers' times are computed, without any overhead of their own, and Caveat's are measured.
Beside them stands what is the least for nine tenths of the sources: a design that knows when the
27th has been analysed, stops there and costs nothing. The plan, the synthesis and its form have
latencies too, which no quorum shortens.
"""

import asyncio
import json
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import ceil, exp
from statistics import quantiles

from temporalio.client import Client, WorkflowHandle

from benchmarks.common import command_line, load
from benchmarks.overhead import ANGLES, REAL_S, Shape, Simulated, fresh_server, simulated
from caveat.contracts.outcome import Outcome
from caveat.workers.wiring import registry_of
from caveat.workers.worker import MANY, workers
from standins.ports import ports_of

SOURCES = 30

DEADLINE_S = 32.0
"""Of the investigation at full scale: a search, a reading and an analysis of medians take 17, nine
in ten of log-normal ones less than 32."""

AT_ONCE = 4
"""Runs at once: what they take of the processor must not be what is measured."""


@dataclass(frozen=True)
class DesignTimes:
    """One design.

    Attributes:
        design: which.
        p50: seconds of the median run.
        p90: seconds that nine of ten runs stay below.
        sources: share of all sources that its reports rest on.
    """

    design: str
    p50: float
    p90: float
    sources: float


class Chance:
    """The latencies of one run: of each call its own, whoever asks and in whichever order."""

    def __init__(self, run: int, sigma: float, scale: float) -> None:
        self._run, self._sigma, self._scale = run, sigma, scale

    def seconds(self, kind: str, key: object) -> float:
        """Return how long a call takes."""
        chance = random.Random(f"{self._run} {kind} {key}")
        return REAL_S[kind] * self._scale * exp(self._sigma * chance.gauss(0, 1))

    def slowest(self, kind: str, keys: Sequence[object]) -> float:
        """Return how long the slowest of some calls takes."""
        return max(self.seconds(kind, key) for key in keys)


class Straggling(Simulated):
    """A library whose calls take their chance."""

    chance: Chance

    async def work(self, kind: str, key: str) -> None:
        """Take as long as it falls out."""
        if kind in REAL_S:
            await asyncio.sleep(self.chance.seconds(kind, _number(kind, key)))


def _number(kind: str, key: str) -> str:
    """Number a call among those of its kind; of the others a run has one."""
    match kind:
        case "read" | "analyse":
            return key.rpartition("page ")[2]
        case "search":
            return "".join(filter(str.isdigit, key))
    return ""


def barriers(chance: Chance) -> float:
    """Return how long the run takes where each phase waits for all of the one before."""
    pages = [str(number) for number in range(SOURCES)]
    angles = [str(number) for number in range(1, ANGLES + 1)]
    return (
        chance.seconds("plan", "")
        + chance.slowest("search", angles)
        + chance.slowest("read", pages)
        + chance.slowest("analyse", pages)
        + chance.seconds("synthesise", "")
        + chance.seconds("write", "")
    )


ENOUGH = 0.9
"""Share of the sources that the least design waits for."""


def least(chance: Chance) -> float:
    """Return how long the run takes where nothing waits, and stragglers are left to the second."""
    ends = sorted(
        chance.seconds("search", str(page % ANGLES + 1))
        + chance.seconds("read", str(page))
        + chance.seconds("analyse", str(page))
        for page in range(SOURCES)
    )
    around = sum(chance.seconds(kind, "") for kind in ("plan", "synthesise", "write"))
    return around + ends[ceil(ENOUGH * SOURCES) - 1]


async def run_once(
    client: Client, number: int, chance: Chance, deadline: float | None
) -> tuple[float, int]:
    """Have one run done; return its seconds and the sources that its report rests on."""
    template = simulated(Shape(SOURCES)).library.world  # type: ignore[attr-defined]  # a fake's own
    world = Straggling(
        pages=template.pages, angles=template.angles, answers=template.answers, uses_model=True
    )
    world.chance = chance
    queue = f"stragglers-{number}-{deadline is None}"
    ports = replace(ports_of(world), reasoned_at_once=MANY)
    request = {"topic": "the matter", "depth": "exhaustive", "max_sources": SOURCES}
    if deadline is not None:
        request["deadline"] = deadline
    async with workers(client, registry_of(ports), queue):
        began = time.monotonic()
        handle: WorkflowHandle[object, Outcome] = await client.start_workflow(
            "Research", request, id=f"research-{queue}", task_queue=queue, result_type=Outcome
        )
        report = (await handle.result()).report
        took = time.monotonic() - began
    return took, len({claim.source_id for claim in report.claims})


async def measured(runs: int, sigma: float, scale: float) -> list[DesignTimes]:
    """Measure the designs over the same runs."""
    chances = [Chance(number, sigma, scale) for number in range(runs)]
    waited = [(barriers(chance), SOURCES) for chance in chances]
    stopped = [(least(chance), ceil(ENOUGH * SOURCES)) for chance in chances]
    found = [
        _summary("barriers (computed)", waited),
        _summary("the least for 90% (computed)", stopped),
    ]
    places = asyncio.Semaphore(AT_ONCE)
    async with fresh_server() as (connection, _):
        for name, deadline in (
            ("Caveat, no deadline", None),
            (f"Caveat, deadline {DEADLINE_S:.0f} s", DEADLINE_S * scale),
        ):

            async def one(number: int, deadline: float | None = deadline) -> tuple[float, int]:
                async with places:
                    return await run_once(connection.client, number, chances[number], deadline)

            done = await asyncio.gather(*map(one, range(runs)))
            found.append(_summary(name, done))
    return found


def _summary(design: str, runs: Sequence[tuple[float, int]]) -> DesignTimes:
    cuts = quantiles([took for took, _ in runs], n=10, method="inclusive")
    share = sum(sources for _, sources in runs) / (SOURCES * len(runs))
    return DesignTimes(design, round(cuts[4], 2), round(cuts[8], 2), round(share, 3))


def main() -> int:
    """Run the benchmark."""
    parser = command_line(__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--sigma", type=float, default=0.6, help="of the log-normal latencies")
    parser.add_argument("--scale", type=float, default=0.1, help="of the full latencies")
    parser.add_argument("--json", action="store_true", help="JSON instead of a table")
    options = parser.parse_args()
    found = asyncio.run(measured(options.runs, options.sigma, options.scale))
    if options.json:
        print(json.dumps([asdict(each) for each in found]))
        return 0
    base = found[0].p90
    print(load())
    for each in found:
        print(
            f"{each.design:<28} P50 {each.p50:6.2f} s  P90 {each.p90:6.2f} s  "
            f"{each.p90 / base:5.2f} of barriers  {each.sources:.1%} of the sources"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

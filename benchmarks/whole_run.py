"""How long a person waits for a report where models take the time that they take.

    python -m benchmarks.whole_run [--runs 20] [--at-once 4] [--sigma 0.6] [--json]

Researches the example corpus with the `caveat` command and a language model, from the command's
start to its end: the embedded server's start, the real SDK over HTTP, the files of the report. The
model is a stand-in that copies sentences (`tests.fakes.scholar`), plans five angles, and takes
log-normal times by its role: of thirty such calls the slowest takes three to four times the median.
Where one call writes or verifies a portion of the report, three tenths of its median are taken for
thinking and the rest for its share of what is written. Where sources contradict each other the
command ends with the provisional report, as it does wherever nobody sits at a terminal. Tokens are
counted as a quarter of the characters that are sent and answered.

1 when nine of ten runs take longer than the bound, or a report has a failure.
"""

import asyncio
import json
import math
import os
import random
import re
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles

from benchmarks.common import CORPUS, TOPIC, alone, command_line
from caveat.problem import InternalError
from tests.fakes.messages_api import KEY, Recorded, Says, StandIn, stand_in
from tests.fakes.scholar import role_of, scholar

BOUND_S = 110.0

ANGLES = 5
MEDIANS_S = {
    "planner": 8.0,
    "reformulator": 8.0,
    "analyst": 12.0,
    "detector": 20.0,
    "second_look": 8.0,
    "synthesiser": 40.0,
    "verifier": 25.0,
    "reviser": 40.0,
}
"""Seconds of a whole answer of each role."""

THINKING = 0.3
"""Share of a call's time that a portion takes as well."""


def share_of(request: Recorded) -> float:
    """Share of its role's time that a call takes: a portion of a report takes its part."""
    is_portion = re.search(r"The sections are written|Write the section of", request.said[0])
    if role_of(request) == "verifier":
        sections = len(set(re.findall(r'"name": "(s\d+)"', request.said[0])))
        return min(1.0, THINKING + (1 - THINKING) * sections / WHOLE)
    return THINKING + (1 - THINKING) / (ANGLES + 1) if is_portion else 1.0


SENTENCES = 4  # of a section
WHOLE = 3 + ANGLES * SENTENCES  # of a report, three of which are the answer's


def answer(request: Recorded) -> Says:
    """Answer as the stand-in does, with more angles and shorter sections."""
    if role_of(request) == "synthesiser":
        said = json.loads(scholar(request).text)
        if "section" in said:
            return Says({"section": said["section"][:SENTENCES]})
        for part in said["sections"]:
            part["sentences"] = part["sentences"][:SENTENCES]
        return Says(said)
    if role_of(request) != "planner":
        return scholar(request)
    (first, *_) = json.loads(scholar(request).text)["angles"]
    numbered = ({**first, "title": f"{first['title']} {number}"} for number in range(ANGLES))
    return Says({"angles": list(numbered)})


FIRST_S = 1.0
"""Until an answer begins; the rest is its writing."""


COMMAND = """
import caveat.workers.models as models
from caveat.adapters.claude.messages.capabilities import ANTHROPIC
from caveat.clients.cli.main import main

models.find_server_address = lambda settings: None
models.choose_defaults = lambda settings: ANTHROPIC
main()
"""
"""The `caveat` command, which takes the stand-in for the provider's own server: a server of one's
own is given two calls at first."""


@dataclass(frozen=True)
class Run:
    """One command."""

    seconds: float  # from its start to its end
    calls: int  # of the model
    tokens: int  # sent and received
    failures: int  # in its report


async def once(number: int, sigma: float) -> Run:
    """Research once, with everything in a folder of its own."""
    drawn = random.Random(number)

    def seconds(request: Recorded) -> float:
        usual = MEDIANS_S[role_of(request)] * share_of(request)
        return max(0.0, usual * math.exp(drawn.gauss(0, sigma)) - FIRST_S)

    with tempfile.TemporaryDirectory(prefix="caveat-benchmark-") as name:
        folder = Path(name)
        async with stand_in(model=answer, latency=lambda _: FIRST_S, writing=seconds) as api:
            began = time.monotonic()
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", COMMAND, "research", TOPIC),
                *("--corpus", str(CORPUS), "--out", str(folder / "out")),
                env=environment(folder, api),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
            )
            try:
                _, said = await process.communicate()
            except asyncio.CancelledError:  # another run failed
                process.terminate()
                await process.wait()
                raise
            took = time.monotonic() - began
            if process.returncode:
                log = said.decode()[-2_000:]
                raise InternalError(f"A run ended with {process.returncode}: {log}")
            report = json.loads((folder / "out" / "report.json").read_text(encoding="utf-8"))
            tokens = sum(map(count_tokens, api.requests))
            return Run(took, len(api.requests), tokens, len(report["failures"]))


def count_tokens(request: Recorded) -> int:
    """Estimate what a call takes: a token has four characters."""
    return (len(request.system) + sum(map(len, request.said)) + len(answer(request).text)) // 4


def environment(folder: Path, api: StandIn) -> dict[str, str]:
    """Return the settings of a command that finds nothing but the stand-in."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CAVEAT_")}
    return kept | {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": api.url, **alone(folder)}


async def measured(runs: int, at_once: int, sigma: float) -> list[Run]:
    """Research so often, some of them at once: they sleep most of the time."""
    slots = asyncio.Semaphore(at_once)

    async def one(number: int) -> Run:
        async with slots:
            run = await once(number, sigma)
            print(f"{number + 1}: {run.seconds:.0f} s, {run.calls} calls", file=sys.stderr)
            return run

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(number)) for number in range(runs)]
    return [task.result() for task in tasks]


def main() -> int:
    """Run the benchmark; 1 when the bound is missed."""
    parser = command_line(__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--sigma", type=float, default=0.6, help="of the log-normal times")
    options = parser.parse_args()
    runs: list[Run] = []
    try:
        runs = asyncio.run(measured(options.runs, options.at_once, options.sigma))
    except* InternalError as failed:
        print(failed.exceptions[0], file=sys.stderr)
    if not runs:
        return 1
    times = [run.seconds for run in runs]
    p90 = quantiles(times, n=10, method="inclusive")[-1] if len(times) > 1 else times[0]
    failures = sum(run.failures for run in runs)
    calls = Counter(run.calls for run in runs).most_common(1)[0][0]
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[1]:.1f}: {len(runs)} runs, {calls} calls")
    print(f"{median(run.tokens for run in runs):,.0f} tokens a run")
    print(f"P50 {median(times):.0f} s, P90 {p90:.0f} s, slowest {max(times):.0f} s")
    print(f"{failures} failures")
    if options.json:
        print(json.dumps({"p50": median(times), "p90": p90, "runs": [asdict(run) for run in runs]}))
    return int(p90 >= BOUND_S or failures > 0)


if __name__ == "__main__":
    sys.exit(main())

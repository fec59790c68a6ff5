"""What survives kills, poison, broken environments and hostile documents, in one table.

    python -m benchmarks.chaos [--log FILE] [--runs N] [--batch N] [--kills N] [--only WORD]
        [--json]

The kill matrix starts runs of production workers on a real server, a batch at once, and kills the
worker, the server or both with signal 9 at random moments, as often as `--kills` says. Half of the
runs are the extractive reasoner's, half a stand-in model's, over HTTP. Survived is a run that
completes with a report that its audit passes, with nothing failed, its files there, and no
completed activity scheduled again.

Poison is what may be sent in starts, signals and updates: forged references to stored payloads,
foreign encodings, 160,000 fields, JSON at random. It survives that ends by name or is refused, and
the run that it was sent to ends in its report. Documents and pages are read as workers read them,
each with an honest one behind it. In broken environments the main command works, or says in one
sentence what is wrong and leaves with a documented code.

Portions are kept in FILE, and a benchmark that is started again goes on from there. 1 when anything
was lost, repeated, wedged or unclear.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from benchmarks.chaotic import documents, environment, killing, poison
from benchmarks.chaotic.rows import Log, Row, table
from benchmarks.common import command_line

KILLED = {
    "runs killed at random, extractive": False,
    "runs killed at random, with a model": True,
}
"""Lines of the kill matrix, and whether a model works on them."""


OTHERS: dict[tuple[str, ...], Callable[[int], dict[str, Row]]] = {
    (documents.DOCUMENTS, documents.PAGES): lambda _: documents.rows(),
    (poison.STARTS, poison.MESSAGES): lambda seed: asyncio.run(poison.rows(82, 180, seed)),
    (environment.WHAT,): lambda _: environment.rows(),
}
"""What else is tried, by its lines of the table, given a seed."""


def main() -> int:
    """Go on from what is kept, and print the table."""
    options = arguments()
    log = Log(options.log)
    for what, with_model in KILLED.items():
        if options.only in what:
            asyncio.run(kill(log, what, options, with_model=with_model))
    for lines, tried in OTHERS.items():
        missing = set(lines) - log.rows().keys()
        if missing and any(options.only in line for line in lines):
            for row in tried(options.seed).values():
                log.add(row)
    rows = log.rows()
    print(table(rows))
    if options.json:
        print(json.dumps({what: asdict(row) for what, row in rows.items()}))
    return 0 if all(row.is_clean for row in rows.values()) else 1


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = command_line(__doc__)
    parser.add_argument("--log", type=Path, default=Path("chaos.jsonl"), help="kept portions")
    parser.add_argument("--runs", type=int, default=200, help="to be killed; 200 unless told")
    parser.add_argument("--batch", type=int, default=10, help="runs at once; 10 unless told")
    parser.add_argument("--kills", type=int, default=5, help="in a batch; 5 unless told")
    parser.add_argument("--only", default="", help="lines of the table that hold this word")
    parser.add_argument("--seed", type=int, default=1, help="of chance")
    return parser.parse_args()


async def kill(log: Log, what: str, options: argparse.Namespace, *, with_model: bool) -> None:
    """Kill half of the runs, a batch at a time."""
    wanted = options.runs // len(KILLED)
    while (done := log.rows()[what].tried if what in log.rows() else 0) < wanted:
        with tempfile.TemporaryDirectory(prefix="caveat-chaos-") as folder:
            portion = await killing.batch(
                what,
                Path(folder),
                runs=min(options.batch, wanted - done),
                kills=options.kills,
                seed=options.seed * 1_000 + done,
                with_model=with_model,
            )
        log.add(portion)
        print(portion, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())

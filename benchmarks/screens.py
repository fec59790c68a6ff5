"""What the first screen of a run without a model holds, and which like sentences it compares.

    python -m benchmarks.screens [--json]

Asks 14 questions of the example corpus, as real runs on one embedded server, and looks for the
words of the answer in what a terminal shows. Beside it stand the first three paragraphs by plain
BM25 (SQLite FTS5, Porter stems, stop words dropped). Then each of 70 pairs of sentences is put to
the detector as two sources: 50 contradict each other, 20 may both be right (`screens.toml`).

Prints a table; with --json, one JSON object as the last line.
"""

import asyncio
import json
import logging
import re
import sqlite3
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.answers.baselines import words
from benchmarks.answers.running import Task, research, scratch_settings
from benchmarks.common import CORPUS, command_line, say
from caveat.contracts.report import Report
from caveat.rendering.gist import build_gist
from tests.fakes.quotes import found

_TABLE: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_AT_ONCE = 4
_PARAGRAPHS = 3  # as many as the passages of a first screen


def main() -> int:
    """Run the benchmark."""
    options = command_line(__doc__).parse_args()
    logging.disable(logging.CRITICAL)  # notices of every run would fill the screen
    counts = {**asyncio.run(count_questions()), **count_pairs()}
    for name, (right, of) in counts.items():
        print(f"{name:<44} {right:>3} of {of}")
    if options.json:
        print(json.dumps(counts))
    return 0


async def count_questions() -> dict[str, tuple[int, int]]:
    """Count the questions whose answer stands on the screen, and in the paragraphs by BM25."""
    questions: Sequence[Sequence[str]] = _TABLE["questions"]
    tasks = [Task(ask, CORPUS) for ask, *_ in questions]
    with tempfile.TemporaryDirectory(prefix="caveat-benchmark-") as scratch:
        settings = scratch_settings(Path(scratch), [CORPUS])
        outcomes = await research(tasks, settings, _AT_ONCE, lambda done: None)
    held, plain = 0, 0
    for (ask, *answers), outcome in zip(questions, outcomes, strict=True):
        screen = outcome if isinstance(outcome, str) else show_screen(outcome.report)
        held += _holds(screen, answers)
        plain += _holds(find_paragraphs(ask), answers)
        if not _holds(screen, answers):
            say(f"Not on the screen: {ask} {' | '.join(answers)}")
    of = len(questions)
    return {
        "questions whose answer the screen holds": (held, of),
        f"  {_PARAGRAPHS} paragraphs by BM25": (plain, of),
    }


def show_screen(report: Report) -> str:
    """Write the lines of a first screen, the rows of its plots among them."""
    said = build_gist(report)
    plots = [each.plot for each in said.disputes if each.plot]
    return "\n".join((*said.lines, *(at.figure.value for plot in plots for at in plot.points)))


def _holds(shown: str, answers: Sequence[str]) -> bool:
    """Whether all of an answer stands there: values of a dispute are all part of it."""
    return all(each in shown for each in answers)


def find_paragraphs(question: str) -> str:
    """Return the best paragraphs of the example by plain BM25."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE said USING fts5(text, tokenize='porter unicode61')")
    texts = (file.read_text("utf-8") for file in sorted(CORPUS.glob("*.md")))
    database.executemany(
        "INSERT INTO said VALUES (?)",
        ((paragraph,) for text in texts for paragraph in re.split(r"\n\s*\n", text)),
    )
    query = " OR ".join(f'"{word}"' for word in words(question))
    rows = database.execute(
        "SELECT text FROM said WHERE said MATCH ? ORDER BY bm25(said) LIMIT ?", (query, _PARAGRAPHS)
    )
    return "\n".join(text for (text,) in rows)


def count_pairs() -> dict[str, tuple[int, int]]:
    """Count the pairs of sentences that are reported as a contradiction."""
    counts = {}
    for kind, what in (
        ("contradicting", "found"),
        ("alike", "reported although both may be right"),
    ):
        pairs = _TABLE[kind]
        reported = [pair for pair in pairs if found(*pair, topic=pair[0])]
        counts[f"pairs {kind}, {what}"] = (len(reported), len(pairs))
        for one, other in pairs:
            if ([one, other] in reported) is not (kind == "contradicting"):
                say(f"{kind}: {one} | {other}")
    return counts


if __name__ == "__main__":
    sys.exit(main())

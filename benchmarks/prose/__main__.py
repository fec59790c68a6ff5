"""How well contradictions are found in prose as people write it.

    python -m benchmarks.prose [--half tuning|held-out] [--show] [--json]

360 pairs of short notes (benchmarks/prose/written). The first twelve of each kind were written by
hand before the detector was tuned on any of them and not in the forms that it implements; the other
twenty-four were written later, without reading it. There are ten kinds, from bounds against bounds
to names in roles, on medicine, engineering, history, companies, geography, software and law. A half
of each kind contradict each other; the others look alike and do not, because scope, year, owner,
rounding or a range differs. Odd numbers are for tuning, even ones are held out, and what is
reported for them is not shown.

The notes are written to files and read by the real loader; every sentence is a claim; the detector
gets each pair in a task of its own, and then fifteen pairs in a task, so that one subject can be
taken for another. A report is right when the words that contradict each other stand in the claims
of two of its values. Beside it stands the simplest detector: another number before the same word.

Then 99 pairs of sentences are put to the detector as two sources (like_sentences.toml): 50 are
equal but for what contradicts, 20 look alike and may both be right, and 29 stand in documents whose
titles differ in a name ("Tarn 7", "Tarn 8").

Prints a table; with --json, one JSON object as the last line. 1 when an aim is missed.
"""

import argparse
import asyncio
import json
import logging
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.answers.questions import Half
from benchmarks.common import command_line, say
from benchmarks.prose.detection import Detect, Note, Reported, detected, read
from benchmarks.prose.pairs import Pair, pairs
from benchmarks.prose.scoring import Score, report_by_noun, score
from caveat.adapters.corpus.index import CorpusIndex
from caveat.adapters.extractive.reasoner import ExtractiveReasoner
from caveat.roles.detector import DETECT
from tests.fakes import quotes

TOGETHER = 15
"""Pairs of a task in which one subject may be taken for another: thirty notes, as a run reads."""

RECALL_AIM = 0.70
PRECISION_AIM = 0.90
"""Of the detector with many pairs a task."""


@dataclass(frozen=True)
class Measured:
    """One half: both detectors, with a pair a task and with many."""

    half: Half
    pairs: Sequence[Pair]
    apart: Score
    together: Score
    plain_apart: Score
    plain_together: Score


def main() -> int:
    """Run the benchmark; 1 when an aim is missed."""
    options = arguments()
    if options.show and options.half is Half.HELD_OUT:
        say("What is reported for the half that is held out is for nobody to read.")
        return 2
    logging.disable(logging.CRITICAL)  # notices of every run would fill the screen
    with tempfile.TemporaryDirectory(prefix="caveat-benchmark-") as scratch:
        measured = asyncio.run(measure(options.half, Path(scratch)))
    if options.show:
        print("\n".join(showing(measured)))
    print(table(measured))
    likes = count_like_sentences()
    for name, (reported, of) in likes.items():
        print(f"{name:<32} {reported:>12} {of:>9}")
    if options.json:
        print(json.dumps({**shares(measured), **likes}))
    return 0 if kept(measured.together) else 1


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = command_line(__doc__)
    halves = (Half.TUNING, Half.HELD_OUT)
    parser.add_argument("--half", type=Half, choices=halves, default=Half.TUNING)
    parser.add_argument("--show", action="store_true", help="print what was missed and wrong")
    return parser.parse_args()


async def measure(half: Half, scratch: Path) -> Measured:
    """Detect with a pair a task, and with many."""
    written = pairs(half)
    given = [(pair, read(pair, scratch / str(at))) for at, pair in enumerate(written)]
    detect = partial(ExtractiveReasoner(CorpusIndex(scratch / "index")).ask, DETECT)
    return Measured(
        half=half,
        pairs=written,
        apart=await _score(detect, given, 1),
        together=await _score(detect, given, TOGETHER),
        plain_apart=_plain(written, 1),
        plain_together=_plain(written, TOGETHER),
    )


Given = Sequence[tuple[Pair, tuple[Note, Note]]]


async def _score(detect: Detect, given: Given, at_once: int) -> Score:
    dealt = [given[at : at + at_once] for at in range(0, len(given), at_once)]
    return score([([pair for pair, _ in each], await detected(detect, each)) for each in dealt])


def _plain(written: Sequence[Pair], at_once: int) -> Score:
    dealt = [written[at : at + at_once] for at in range(0, len(written), at_once)]
    return score((each, _by_noun(each)) for each in dealt)


def _by_noun(dealt: Sequence[Pair]) -> list[Reported]:
    texts = [note.text for pair in dealt for note in pair.notes]
    return [
        found
        for place, one in enumerate(texts)
        for other in texts[place + 1 :]
        for found in report_by_noun(one, other)
    ]


def kept(score: Score) -> bool:
    """Whether both aims are met."""
    return score.recall >= RECALL_AIM and score.precision >= PRECISION_AIM


def table(measured: Measured) -> str:
    there = Counter(pair.kind for pair in measured.pairs if pair.contradicts)
    asked = f"{measured.half} half: {len(measured.pairs)} pairs, {there.total()} are contradictions"
    aims = f"aims with many a task: recall {RECALL_AIM:.0%}, precision {PRECISION_AIM:.0%}"
    columns = f"{'precision':>9} {'recall':>7} {'right':>6} {'wrong':>6} {'of':>4}"
    lines = [
        f"{asked}; {aims}",
        "",
        f"{'detector':<32} {'pairs a task':>12} {columns}",
        _row("Caveat", 1, measured.apart),
        _row("Caveat", TOGETHER, measured.together),
        _row("same noun, other number", 1, measured.plain_apart),
        _row("same noun, other number", TOGETHER, measured.plain_together),
        "",
        f"{'kind, a pair a task':<32} {'found':>12} {'of':>9}",
    ]
    lines += [
        f"{kind:<32} {measured.apart.kinds.get(kind, 0):>12} {count:>9}"
        for kind, count in sorted(there.items())
    ]
    return "\n".join(lines)


def _row(name: str, at_once: int, score: Score) -> str:
    return (
        f"{name:<32} {at_once:>12} {score.precision:>9.0%} {score.recall:>7.0%} {score.right:>6} "
        f"{score.reported - score.right:>6} {score.contradictions:>4}"
    )


def count_like_sentences() -> dict[str, tuple[int, int]]:
    """Count the pairs of sentences that are reported as a contradiction, by what they are."""
    table = tomllib.loads(Path(__file__).with_name("like_sentences.toml").read_text("utf-8"))
    counts = {}
    for kind, written in table.items():
        reported = [pair for pair in written if _is_reported(*pair)]
        counts[f"like sentences, {kind}"] = (len(reported), len(written))
        for pair in written:
            if (pair in reported) is not (kind == "contradicting"):
                say(f"{kind}: {pair[0]} | {pair[1]}")
    return counts


def _is_reported(*pair: str | tuple[str, str]) -> bool:
    said = [
        each if isinstance(each, str) else quotes.Quote(each[1], title=each[0]) for each in pair
    ]
    topic = said[0] if isinstance(said[0], str) else said[0].text
    return bool(quotes.found(*said, topic=topic))


def shares(measured: Measured) -> dict[str, object]:
    scores = {
        name: {
            "precision": round(each.precision, 4),
            "recall": round(each.recall, 4),
            **{key: getattr(each, key) for key in ("right", "reported", "contradictions")},
        }
        for name in ("apart", "together", "plain_apart", "plain_together")
        for each in [getattr(measured, name)]
    }
    return {"half": measured.half, "kept": kept(measured.together), **scores}


def showing(measured: Measured) -> list[str]:
    """Print what was missed with a pair a task, and what was wrong with one and with many."""
    lines = ["missed:"]
    for pair in measured.apart.missed:
        lines += [f"  {pair.kind}: {note.title}: {note.text}" for note in pair.notes]
    for name, found in (("one pair a task", measured.apart), ("many", measured.together)):
        lines.append(f"wrong, {name}:")
        lines += [f"  {' | '.join(each)}" for each in found.wrong]
    return [*lines, ""]


if __name__ == "__main__":
    sys.exit(main())

